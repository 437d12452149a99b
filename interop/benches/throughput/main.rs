//! Measures the speed and the resources of this project, compared with rmcp, bare hyper and bare
//! axum. Each server is pinned to one core, the load to another; rounds are interleaved, and
//! results are medians. Run `cargo bench -p plainly-interop --bench throughput` on Linux with two
//! cores and `wrk`; `-- --help` shows how to measure less. `docs/performance.md` explains the
//! measurements.
//!
//! Under `cargo test`, only checks that every server answers every case.

mod cores;
mod figures;
mod goals;
mod http;
mod machine;
mod minimal;
mod part;
mod proc;
mod programs;
mod running;
mod stdio;
mod table;

use std::error::Error;
use std::time::Duration;

use clap::Parser;
use plainly_interop::Case;

use cores::Cores;
use figures::median;
use goals::Goals;
use part::Part;
use programs::{Columns, HTTP, Program, STDIO};
use table::Results;

/// Measures plainly next to rmcp, bare hyper and bare axum, and prints a table in Markdown.
#[derive(Parser)]
#[command(name = "cargo bench -p plainly-interop --bench throughput --")]
struct Options {
    /// Measures this part alone; can be repeated
    #[arg(long, value_name = "PART")]
    only: Vec<Part>,

    /// How often each server is measured
    #[arg(long, default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    rounds: u32,

    /// How many seconds each time
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u64).range(1..))]
    seconds: u64,

    /// How often each server is started
    #[arg(long, default_value_t = 201, value_parser = clap::value_parser!(u32).range(1..))]
    starts: u32,

    /// Builds a minimal server with each library from nothing too, which takes minutes
    #[arg(long)]
    build: bool,

    /// What cargo says to every benchmark
    #[arg(long, hide = true)]
    bench: bool,
}

impl Options {
    fn wants(&self, part: Part) -> bool {
        let is_asked_for = self.only.contains(&part);
        is_asked_for
            || self.build && part == Part::Build
            || self.only.is_empty() && part != Part::Build
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    if !std::env::args().any(|argument| argument == "--bench") {
        return answers();
    }
    let options = Options::parse();
    let mut results = Results::default();
    let outcome = measure(&options, &mut results);
    // Prints the results before returning an error, so that a failure doesn't lose earlier
    // measurements.
    print(&options, &results)?;
    outcome
}

/// Checks that every server answers every case.
#[expect(clippy::print_stdout, reason = "says what was looked at")]
fn answers() -> Result<(), Box<dyn Error>> {
    for case in Case::ALL {
        HTTP.iter()
            .try_for_each(|program| http::answers(program, case))?;
        STDIO
            .iter()
            .try_for_each(|program| stdio::answers(program, case))?;
        println!(
            "{} servers answer {}",
            HTTP.len() + STDIO.len(),
            case.name()
        );
    }
    Ok(())
}

fn measure(options: &Options, results: &mut Results) -> Result<(), Box<dyn Error>> {
    let cores = Cores::split()?;
    let length = Duration::from_secs(options.seconds);
    for part in Part::ALL.into_iter().filter(|&part| options.wants(part)) {
        tell(part);
        match part {
            Part::Http(case) => {
                let round = |program: &Program| http::round(&cores, program, case, length);
                results.add(part, &interleaved(HTTP, options.rounds, round)?);
            }
            Part::Stdio { window } => {
                let round = |program: &Program| stdio::round(&cores, program, window, length);
                results.add(part, &interleaved(STDIO, options.rounds, round)?);
            }
            Part::Start => {
                let start = |program: &Program| stdio::start(&cores, program);
                let starts = interleaved(STDIO, options.starts, start)?;
                let seconds = |starts: &Vec<_>| median(starts.iter().map(Duration::as_secs_f64));
                results.start = Some(starts.map(seconds));
            }
            Part::Build => results.built = Some(cores.on_all(minimal::builds)?),
        }
    }
    Ok(())
}

/// The results of several rounds of each program. Each round runs all programs one after the other,
/// so that other load on the machine affects all of them.
fn interleaved<T>(
    programs: &[Program],
    rounds: u32,
    round: impl Fn(&Program) -> Result<T, Box<dyn Error>>,
) -> Result<Columns<Vec<T>>, Box<dyn Error>> {
    let mut all = Columns::<Vec<T>>::default();
    for round_number in 0..rounds {
        let mut order: Vec<&Program> = programs.iter().collect();
        // Alternates the order, because cleanup after one program must not always slow the same
        // other one.
        if round_number % 2 == 1 {
            order.reverse();
        }
        for program in order {
            let of_program = all.slot(program.column).get_or_insert_default();
            of_program.push(round(program)?);
        }
    }
    Ok(all)
}

#[expect(clippy::print_stderr, reason = "standard output is the table's alone")]
fn tell(part: Part) {
    eprintln!("measuring {}", part.name());
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn print(options: &Options, results: &Results) -> Result<(), Box<dyn Error>> {
    println!("{}.", machine::description()?);
    println!(
        "Medians of {} rounds of {} s, and of {} starts.\n",
        options.rounds, options.seconds, options.starts
    );
    println!("{results}\n{}", Goals::of(results));
    Ok(())
}
