//! Counts the instructions of one operation. This program runs twice under callgrind, with more
//! repetitions the second time. The difference excludes constant costs, such as the start.

use std::process::Command;

use crate::Outcome;
use crate::cases::Case;

/// The instructions of one operation.
pub(crate) fn of(case: &Case) -> Outcome<u64> {
    let few = run(case.name, case.times)?;
    let many = run(case.name, case.times * 2)?;
    Ok(many.saturating_sub(few) / u64::from(case.times))
}

fn run(name: &str, times: u32) -> Outcome<u64> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(std::env::current_exe()?)
        .args(["run", name, &times.to_string()])
        .output()
        .map_err(|error| format!("can't start valgrind: {error}"))?;
    let told = String::from_utf8_lossy(&output.stderr);
    let collected = told.lines().find_map(|line| {
        let (_, count) = line.split_once("Collected : ")?;
        count.trim().parse().ok()
    });
    match collected {
        Some(count) if output.status.success() => Ok(count),
        _ => Err(format!("{name}: valgrind told no count: {told}").into()),
    }
}
