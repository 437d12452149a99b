//! What came of a scenario, and the table of all.

use std::io::{self, Write};
use std::time::Duration;

use serde::Serialize;

/// What came of one scenario.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Outcome {
    pub(crate) scenario: &'static str,
    /// What was asked of the server.
    pub(crate) asked: String,
    pub(crate) seconds: f64,
    pub(crate) bystander: Option<Beside>,
    pub(crate) memory: Option<Memory>,
    pub(crate) descriptors: Option<Descriptors>,
    /// From the end of the abuse until all is as before.
    pub(crate) recovery_seconds: Option<f64>,
    pub(crate) held: Vec<Held>,
}

/// How a bystander fared.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Beside {
    pub(crate) calls: usize,
    pub(crate) failed: usize,
    pub(crate) p50_ms: f64,
    pub(crate) p99_ms: f64,
    pub(crate) p50_before_ms: f64,
    pub(crate) p99_before_ms: f64,
}

/// In MiB.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Memory {
    pub(crate) before: f64,
    pub(crate) peak: f64,
    pub(crate) after: f64,
}

#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Descriptors {
    pub(crate) before: usize,
    pub(crate) after: usize,
}

/// One thing that was to hold.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Held {
    pub(crate) what: String,
    pub(crate) found: String,
    pub(crate) bound: String,
    pub(crate) is_held: bool,
}

impl Held {
    /// At most `bound`.
    pub(crate) fn most<T: PartialOrd + ToString>(what: &str, found: T, bound: T) -> Self {
        let is_held = found <= bound;
        Self::new(
            what,
            found.to_string(),
            format!("<= {}", bound.to_string()),
            is_held,
        )
    }

    /// At least `bound`.
    pub(crate) fn least<T: PartialOrd + ToString>(what: &str, found: T, bound: T) -> Self {
        let is_held = found >= bound;
        Self::new(
            what,
            found.to_string(),
            format!(">= {}", bound.to_string()),
            is_held,
        )
    }

    /// Exactly `bound`.
    pub(crate) fn exactly<T: PartialEq + ToString>(what: &str, found: T, bound: T) -> Self {
        let is_held = found == bound;
        Self::new(
            what,
            found.to_string(),
            format!("= {}", bound.to_string()),
            is_held,
        )
    }

    /// No longer than `bound`.
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

impl Outcome {
    /// Where the scenario itself came to grief.
    pub(crate) fn failed(scenario: &'static str, error: &anyhow::Error) -> Self {
        let held = Held::new(
            "it runs to its end",
            format!("{error:#}"),
            "no error".to_owned(),
            false,
        );
        Self {
            scenario,
            asked: String::new(),
            seconds: 0.0,
            bystander: None,
            memory: None,
            descriptors: None,
            recovery_seconds: None,
            held: vec![held],
        }
    }

    pub(crate) fn is_held(&self) -> bool {
        self.held.iter().all(|held| held.is_held)
    }
}

pub(crate) fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 10_000.0).round() / 10.0
}

pub(crate) fn mebibytes(bytes: u64) -> f64 {
    (bytes as f64 / f64::from(1 << 20) * 10.0).round() / 10.0
}

/// As people write it.
pub(crate) fn time(time: Duration) -> String {
    match time.as_secs_f64() {
        seconds if seconds >= 1.0 => format!("{seconds:.2} s"),
        seconds => format!("{:.1} ms", seconds * 1_000.0),
    }
}

/// A table in Markdown, and below it each requirement with its figure.
pub(crate) fn print(outcomes: &[Outcome]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(
        out,
        "| scenario | bystander: calls, failed | p50, p99 (before), ms | memory before, peak, after, MiB | descriptors | recovery, s | verdict |\n\
         |---|---|---|---|---|---|---|"
    )?;
    for outcome in outcomes {
        writeln!(out, "{}", row(outcome))?;
    }
    writeln!(
        out,
        "\n| scenario | requirement | found | bound | |\n|---|---|---|---|---|"
    )?;
    for outcome in outcomes {
        for Held {
            what,
            found,
            bound,
            is_held,
        } in &outcome.held
        {
            writeln!(
                out,
                "| {} | {what} | {found} | {bound} | {} |",
                outcome.scenario,
                word(*is_held)
            )?;
        }
    }
    writeln!(out)?;
    for outcome in outcomes {
        writeln!(
            out,
            "- {} ({:.0} s): {}",
            outcome.scenario, outcome.seconds, outcome.asked
        )?;
    }
    Ok(())
}

fn row(outcome: &Outcome) -> String {
    let (calls, times) = match &outcome.bystander {
        Some(Beside {
            calls,
            failed,
            p50_ms,
            p99_ms,
            p50_before_ms,
            p99_before_ms,
        }) => (
            format!("{calls}, {failed}"),
            format!("{p50_ms}, {p99_ms} ({p50_before_ms}, {p99_before_ms})"),
        ),
        None => Default::default(),
    };
    let memory = outcome.memory.map(
        |Memory {
             before,
             peak,
             after,
         }| format!("{before}, {peak}, {after}"),
    );
    let descriptors = outcome
        .descriptors
        .map(|Descriptors { before, after }| format!("{before}, {after}"));
    let recovery = outcome
        .recovery_seconds
        .map(|seconds| format!("{seconds:.2}"));
    let cells = [
        outcome.scenario.to_owned(),
        calls,
        times,
        memory.unwrap_or_default(),
        descriptors.unwrap_or_default(),
        recovery.unwrap_or_default(),
        word(outcome.is_held()).to_owned(),
    ];
    format!("| {} |", cells.join(" | "))
}

pub(crate) fn word(is_held: bool) -> &'static str {
    if is_held { "held" } else { "**NOT HELD**" }
}
