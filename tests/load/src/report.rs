//! The requirements, and a table of whether they were met.

use std::io::{self, Write};
use std::time::Duration;

/// A requirement, and whether it was met.
#[derive(Debug)]
pub(crate) struct Held {
    pub(crate) what: String,
    pub(crate) found: String,
    pub(crate) bound: String,
    pub(crate) is_held: bool,
}

impl Held {
    /// Requires at most `bound`.
    pub(crate) fn most<T: PartialOrd + ToString>(what: &str, found: T, bound: T) -> Self {
        let is_held = found <= bound;
        Self::new(
            what,
            found.to_string(),
            format!("<= {}", bound.to_string()),
            is_held,
        )
    }

    /// Requires at least `bound`.
    pub(crate) fn least<T: PartialOrd + ToString>(what: &str, found: T, bound: T) -> Self {
        let is_held = found >= bound;
        Self::new(
            what,
            found.to_string(),
            format!(">= {}", bound.to_string()),
            is_held,
        )
    }

    /// Requires a duration of at most `bound`.
    pub(crate) fn within(what: &str, found: Duration, bound: Duration) -> Self {
        Self::new(
            what,
            time(found),
            format!("<= {}", time(bound)),
            found <= bound,
        )
    }

    fn new(what: &str, found: String, bound: String, is_held: bool) -> Self {
        Self {
            what: what.to_owned(),
            found,
            bound,
            is_held,
        }
    }
}

pub(crate) fn mebibytes(bytes: u64) -> f64 {
    (bytes as f64 / f64::from(1 << 20) * 10.0).round() / 10.0
}

fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 1.0 => format!("{seconds:.2} s"),
        seconds => format!("{:.1} ms", seconds * 1_000.0),
    }
}

/// Prints a table in Markdown.
pub(crate) fn print(all: &[Held]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "| what | found | bound | |\n|---|---|---|---|")?;
    for held in all {
        let Held {
            what,
            found,
            bound,
            is_held,
        } = held;
        let verdict = if *is_held { "held" } else { "**NOT HELD**" };
        writeln!(out, "| {what} | {found} | {bound} | {verdict} |")?;
    }
    Ok(())
}
