//! Counts the instructions of one operation of each hot path in user mode, with callgrind. The
//! count is the same on a busy machine as on a quiet one.
//!
//! `cargo run --profile counted -p plainly-instructions` prints a table next to the recorded one,
//! and fails if a row has grown by more than 5 %. With `-- record` it records the table. Needs
//! valgrind.
//!
//! To see where the instructions are spent: `CARGO_PROFILE_COUNTED_STRIP=none
//! CARGO_PROFILE_COUNTED_DEBUG=1 cargo build --profile counted -p plainly-instructions`, then
//! `valgrind --tool=callgrind target/counted/plainly-instructions run 'ROW' 1000` and
//! `callgrind_annotate`.

mod cases;
mod count;
mod recorded;
mod request;
mod servers;

use std::error::Error;
use std::process::ExitCode;

use crate::cases::CASES;
use crate::recorded::Recorded;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match *arguments.as_slice() {
        ["run", name, times] => cases::run(name, times.parse()?).map(|()| ExitCode::SUCCESS),
        ["record"] => Recorded::of_this_compiler(count_all()?)?
            .write()
            .map(|()| ExitCode::SUCCESS),
        [] => compare(),
        _ => Err("expected nothing, `record`, or `run ROW TIMES`".into()),
    }
}

/// The rows with their counts.
type Counts = Vec<(String, u64)>;

fn count_all() -> Outcome<Counts> {
    let count = |case: &cases::Case| Ok((case.name.to_owned(), count::of(case)?));
    CASES.iter().map(count).collect()
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn compare() -> Outcome<ExitCode> {
    let counted = Recorded::of_this_compiler(count_all()?)?;
    let recorded = Recorded::read()?;
    let comparison = recorded.compare(&counted);
    print!("{}", comparison.table);
    if recorded.compiler != counted.compiler {
        println!(
            "\nNot compared: recorded with {}, counted with {}.",
            recorded.compiler, counted.compiler
        );
        return Ok(ExitCode::SUCCESS);
    }
    if comparison.wrong.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("\n{}", comparison.wrong.join("\n"));
    println!("If that is meant: cargo run --profile counted -p plainly-instructions -- record");
    Ok(ExitCode::FAILURE)
}
