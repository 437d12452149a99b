//! How many requests a second one core serves: each server pinned to one core, the load to another, in interleaved
//! rounds, medians. `cargo bench -p plainly-interop --bench throughput [-- ROUNDS SECONDS]`, on Linux with `wrk` and
//! `taskset` installed.
//!
//! Where a server is well below 100 % busy, the load (or another program on the machine) was the limit: then only the
//! cost of a request, and the ratios by it in parentheses, say something about the server.
//!
//! To measure another server, write its binary in `src/bin/` and give it a row in [`HTTP`] or [`STDIO`].

mod http;
mod server;
mod stdio;

use std::error::Error;
use std::time::Duration;

use plainly_interop::Case;
use server::{Measure, Program};

/// Servers over HTTP; the first is the floor, the second the peer that the others are compared with.
const HTTP: &[Program] = &[
    Program {
        name: "hyper-floor",
        path: env!("CARGO_BIN_EXE_hyper-floor"),
    },
    Program {
        name: "rmcp-http",
        path: env!("CARGO_BIN_EXE_rmcp-http"),
    },
    Program {
        name: "plainly-http",
        path: env!("CARGO_BIN_EXE_plainly-http"),
    },
];

/// Servers over standard input and output; the first is the peer.
const STDIO: &[Program] = &[
    Program {
        name: "rmcp-stdio",
        path: env!("CARGO_BIN_EXE_rmcp-stdio"),
    },
    Program {
        name: "plainly-stdio",
        path: env!("CARGO_BIN_EXE_plainly-stdio"),
    },
];

/// Starts the server afresh, loads it for the given time, and ends it.
type Round = fn(&Program, Case, Duration) -> Result<Measure, Box<dyn Error>>;

/// One block of the table: what is measured, on which servers, and how.
struct Block {
    title: String,
    case: Case,
    programs: &'static [Program],
    /// Columns of ratios: the rows that all others are divided by.
    references: &'static [usize],
    round: Round,
}

fn main() -> Result<(), Box<dyn Error>> {
    let (rounds, length) = arguments()?;
    server::pin_self()?;
    for block in blocks() {
        let mut measures = vec![Vec::new(); block.programs.len()];
        for _ in 0..rounds {
            for (program, measures) in block.programs.iter().zip(&mut measures) {
                measures.push((block.round)(program, block.case, length)?);
            }
        }
        print(&block, &measures);
    }
    Ok(())
}

fn blocks() -> Vec<Block> {
    let http = Case::ALL.map(|case| Block {
        title: format!(
            "{} over HTTP, {} connections",
            case.method(),
            http::CONNECTIONS
        ),
        case,
        programs: HTTP,
        references: &[0, 1],
        round: http::round,
    });
    let stdio = Block {
        title: format!(
            "{} over stdio, {} in flight",
            Case::Echo.method(),
            stdio::WINDOW
        ),
        case: Case::Echo,
        programs: STDIO,
        references: &[0],
        round: stdio::round,
    };
    http.into_iter().chain([stdio]).collect()
}

/// Rounds and the length of one; cargo adds `--bench` of its own.
fn arguments() -> Result<(usize, Duration), Box<dyn Error>> {
    let numbers: Vec<u64> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .map(|argument| argument.parse())
        .collect::<Result<_, _>>()?;
    match *numbers.as_slice() {
        [] => Ok((7, Duration::from_secs(3))),
        [rounds, seconds] if rounds > 0 && seconds > 0 => {
            Ok((usize::try_from(rounds)?, Duration::from_secs(seconds)))
        }
        _ => Err("expected no arguments, or the number of rounds and the seconds of each".into()),
    }
}

/// A row in figures: medians over the rounds.
struct Row {
    rate: f64,
    cost: f64,
    busy: f64,
}

impl Row {
    fn new(rounds: &[Measure]) -> Self {
        let median_of = |figure: fn(&Measure) -> f64| median(rounds.iter().map(figure));
        Self {
            rate: median_of(Measure::rate),
            cost: median_of(Measure::cpu_per_request),
            busy: median_of(Measure::busy),
        }
    }
}

#[expect(clippy::print_stdout, reason = "the table is what this program is for")]
fn print(block: &Block, measures: &[Vec<Measure>]) {
    let rows: Vec<Row> = measures.iter().map(|rounds| Row::new(rounds)).collect();
    let heads: String = block
        .references
        .iter()
        .map(|&row| format!(" × {} (by CPU) |", block.programs[row].name))
        .collect();
    println!(
        "\n| {} | requests/s |{heads} CPU µs/request | server busy |",
        block.title
    );
    println!(
        "|---|---:|{}---:|---:|",
        "---:|".repeat(block.references.len())
    );
    for (program, row) in block.programs.iter().zip(&rows) {
        let ratios: String = block
            .references
            .iter()
            .map(|&reference| &rows[reference])
            .map(|other| {
                format!(
                    " {:.2} ({:.2}) |",
                    row.rate / other.rate,
                    other.cost / row.cost
                )
            })
            .collect();
        let (cost, busy) = (row.cost * 1e6, row.busy * 100.0);
        println!(
            "| {} | {:.0} |{ratios} {cost:.2} | {busy:.0} % |",
            program.name, row.rate
        );
    }
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}
