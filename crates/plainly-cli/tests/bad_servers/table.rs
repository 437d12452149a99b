//! Runs the rows of the table, and compares the results with the expected ones.

use std::io::Read;
use std::net::TcpStream;
use std::process::ExitCode;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use crate::row::{self, Row, is_as_expected};
use crate::{play, run};

const TABLE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/bad_servers/bad_servers.txt"
);

/// The number of rows that run at the same time. Most only wait.
const AT_ONCE: usize = 8;

pub(crate) fn main() -> ExitCode {
    match std::env::var(play::ROW) {
        Ok(title) => played(&title),
        Err(_) => tested(),
    }
}

fn table() -> String {
    std::fs::read_to_string(TABLE).unwrap()
}

/// The main function of a server, or of a process that a server has started and left behind.
fn played(title: &str) -> ExitCode {
    let mut lifeline = TcpStream::connect(std::env::var(play::LIFELINE).unwrap()).unwrap();
    match row::all(&table()).iter().find(|row| row.title == title) {
        // Serving fails when its output is closed.
        Some(row) => drop(play::on_stdio(row)),
        // Waits until the test has seen enough of the process.
        None => drop(lifeline.read(&mut [0])),
    }
    ExitCode::SUCCESS
}

/// The main function of the test.
fn tested() -> ExitCode {
    let wanted: Vec<_> = std::env::args().skip(1).collect();
    let wanted: Vec<_> = wanted
        .iter()
        .filter(|word| !word.starts_with('-'))
        .collect();
    let is_wanted =
        |row: &Row| wanted.is_empty() || wanted.iter().any(|it| row.title.contains(*it));
    let rows: Vec<_> = row::all(&table()).into_iter().map(Arc::new).collect();
    let (next, seen) = (AtomicUsize::new(0), Mutex::new(vec![None; rows.len()]));
    thread::scope(|scope| {
        for _ in 0..AT_ONCE {
            scope.spawn(|| {
                while let Some(row) = rows.get(next.fetch_add(1, Ordering::SeqCst)) {
                    let outcome = is_wanted(row).then(|| run::outcome(row));
                    let place = rows.iter().position(|it| it.title == row.title).unwrap();
                    seen.lock().unwrap()[place] = outcome;
                }
            });
        }
    });
    let seen = seen.into_inner().unwrap();
    let told = |(row, outcome): (&Arc<Row>, &Option<String>)| match outcome {
        Some(outcome) if !is_as_expected(&row.expected, outcome) => {
            Some((Arc::clone(row), outcome.clone()))
        }
        _ => None,
    };
    let wrong: Vec<_> = rows.iter().zip(&seen).filter_map(told).collect();
    for (row, outcome) in &wrong {
        eprintln!("## {}{outcome}", row.text);
    }
    for (row, _) in &wrong {
        eprintln!("error: other than expected: {}", row.title);
    }
    eprintln!(
        "{} bad servers, {} other than expected",
        seen.iter().flatten().count(),
        wrong.len()
    );
    if std::env::var("BAD_SERVERS").is_ok_and(|what| what == "overwrite") {
        overwrite(&rows, &wrong);
    }
    match wrong.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Writes the observed results into the table.
fn overwrite(rows: &[Arc<Row>], wrong: &[(Arc<Row>, String)]) {
    let table = table();
    let head = table.split("\n## ").next().unwrap();
    let rows = rows.iter().map(|row| {
        let seen = wrong.iter().find(|(other, _)| other.title == row.title);
        let outcome = seen.map_or(&row.expected, |(_, outcome)| outcome);
        let heading = match &*row.heading {
            "" => String::new(),
            heading => format!("\n{heading}\n"),
        };
        format!("\n## {}{outcome}{heading}", row.text)
    });
    std::fs::write(TABLE, head.to_owned() + &rows.collect::<String>()).unwrap();
}
