//! The recorded counts, in a file next to the source, and their comparison with new ones.

use std::fmt::Write;
use std::fs;
use std::process::Command;

use crate::{Counts, Outcome};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/recorded.txt");
/// The percentage that a row may grow. Random hash seeds and other versions of system libraries
/// cause a part of it.
const TOLERANCE_PERCENT: f64 = 5.0;

/// Counts, and the compiler that built the code.
pub(crate) struct Recorded {
    pub(crate) compiler: String,
    counts: Counts,
}

/// Two tables side by side.
pub(crate) struct Comparison {
    pub(crate) table: String,
    /// The reasons why the comparison fails.
    pub(crate) wrong: Vec<String>,
}

impl Recorded {
    pub(crate) fn of_this_compiler(counts: Counts) -> Outcome<Self> {
        let output = Command::new("rustc").arg("-vV").output()?;
        let told = String::from_utf8(output.stdout)?;
        let host = told.lines().find_map(|line| line.strip_prefix("host: "));
        let version = told.lines().next();
        let (version, host) = version.zip(host).ok_or("rustc doesn't tell its version")?;
        Ok(Self {
            compiler: format!("{version}, {host}"),
            counts,
        })
    }

    pub(crate) fn read() -> Outcome<Self> {
        let text = fs::read_to_string(FILE)?;
        let (compiler, rows) = text
            .split_once('\n')
            .ok_or("no line in the recorded counts")?;
        let row = |line: &str| -> Outcome<(String, u64)> {
            let (name, count) = line.split_once('\t').ok_or("no tab in a recorded count")?;
            Ok((name.to_owned(), count.parse()?))
        };
        Ok(Self {
            compiler: compiler.to_owned(),
            counts: rows.lines().map(row).collect::<Outcome<_>>()?,
        })
    }

    pub(crate) fn write(&self) -> Outcome<()> {
        let mut text = format!("{}\n", self.compiler);
        for (name, count) in &self.counts {
            writeln!(text, "{name}\t{count}")?;
        }
        Ok(fs::write(FILE, text)?)
    }

    fn get(&self, name: &str) -> Option<u64> {
        let row = self.counts.iter().find(|(other, _)| other == name);
        row.map(|(_, count)| *count)
    }

    /// Compares these counts with new ones.
    pub(crate) fn compare(&self, counted: &Self) -> Comparison {
        let mut table =
            "| operation | instructions | recorded | change |\n|---|---:|---:|---:|\n".to_owned();
        let mut wrong = Vec::new();
        for (name, count) in &counted.counts {
            let Some(before) = self.get(name) else {
                wrong.push(format!("{name}: not recorded"));
                table.push_str(&format!("| {name} | {count} | – | – |\n"));
                continue;
            };
            let change = percent(before, *count);
            table.push_str(&format!(
                "| {name} | {count} | {before} | {change:+.1} % |\n"
            ));
            if change > TOLERANCE_PERCENT {
                wrong.push(format!("{name}: grew by {change:.1} %"));
            }
        }
        let gone = self
            .counts
            .iter()
            .filter(|(name, _)| counted.get(name).is_none());
        wrong.extend(gone.map(|(name, _)| format!("{name}: recorded, but counted no more")));
        Comparison { table, wrong }
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "no operation takes 2^52 instructions"
)]
fn percent(before: u64, after: u64) -> f64 {
    (after as f64 / before.max(1) as f64 - 1.0) * 100.0
}
