//! The table: a column for each server, a row for each figure, and the ratios of this project to
//! the others.

use std::fmt;

use crate::figures::{Figures, Measure};
use crate::minimal::Built;
use crate::part::Part;
use crate::programs::{Column, Columns};

/// All results.
#[derive(Default)]
pub(crate) struct Results {
    loads: Vec<(Part, Columns<Figures>)>,
    /// The start, in seconds.
    pub(crate) start: Option<Columns<f64>>,
    pub(crate) built: Option<Columns<Built>>,
}

impl Results {
    pub(crate) fn add(&mut self, part: Part, rounds: &Columns<Vec<Measure>>) {
        self.loads
            .push((part, rounds.map(|rounds| Figures::new(rounds))));
    }

    pub(crate) fn load(&self, part: Part) -> Option<&Columns<Figures>> {
        let mut loads = self.loads.iter();
        loads
            .find(|(of, _)| *of == part)
            .map(|(_, figures)| figures)
    }
}

impl fmt::Display for Results {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let heads = Column::ALL.map(Column::head).join(" | ");
        writeln!(f, "| | {heads} | of bare | of rmcp |")?;
        writeln!(f, "|---|{}", "---:|".repeat(Column::ALL.len() + 2))?;
        for (part, figures) in &self.loads {
            load(*part, figures).iter().try_for_each(|row| row.fmt(f))?;
        }
        if let Some(seconds) = &self.start {
            start(seconds).fmt(f)?;
        }
        if let Some(built) = &self.built {
            build(built).iter().try_for_each(|row| row.fmt(f))?;
        }
        Ok(())
    }
}

struct Row {
    title: String,
    cells: Columns<String>,
    /// The ratio of this project's figure to that of bare hyper.
    of_bare: Option<String>,
    of_rmcp: Option<String>,
}

impl Row {
    fn new(title: impl Into<String>, cells: Columns<String>) -> Self {
        Self {
            title: title.into(),
            cells,
            of_bare: None,
            of_rmcp: None,
        }
    }

    /// Adds the ratios of these figures.
    fn compared(mut self, figures: &Columns<f64>) -> Self {
        let of = |other| ratio(figures, other).map(|ratio| format!("{ratio:.2}"));
        self.of_bare = of(Column::Bare);
        self.of_rmcp = of(Column::Rmcp);
        self
    }
}

impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| {} |", self.title)?;
        let cells = Column::ALL.map(|column| self.cells.get(column));
        for cell in cells
            .into_iter()
            .chain([self.of_bare.as_ref(), self.of_rmcp.as_ref()])
        {
            write!(f, " {} |", cell.map_or("", |cell| cell))?;
        }
        writeln!(f)
    }
}

/// The ratio of this project's figure to another one.
pub(crate) fn ratio(figures: &Columns<f64>, other: Column) -> Option<f64> {
    Some(figures.get(Column::Plainly)? / figures.get(other)?)
}

fn load(part: Part, figures: &Columns<Figures>) -> [Row; 4] {
    let rates = figures.map(|figures| figures.rate);
    let costs = figures.map(|figures| figures.cost);
    let of = |other| {
        let by_cpu = 1.0 / ratio(&costs, other)?;
        Some(format!("{:.2} ({by_cpu:.2})", ratio(&rates, other)?))
    };
    let micro = |seconds: f64| digits(seconds * 1e6);
    [
        Row {
            title: format!("**{}**: requests/s", part.title()),
            cells: rates.map(|&rate| thousands(rate)),
            of_bare: of(Column::Bare),
            of_rmcp: of(Column::Rmcp),
        },
        Row::new(
            "– CPU per request, µs (core busy)",
            figures
                .map(|figures| format!("{} ({:.0} %)", micro(figures.cost), figures.busy * 100.0)),
        ),
        Row::new(
            "– latency p50 / p99, µs",
            figures.map(|Figures { latency, .. }| {
                format!("{} / {}", micro(latency.p50), micro(latency.p99))
            }),
        ),
        Row::new(
            "– memory idle / peak / after (its own), MiB",
            figures.map(|figures| {
                let times = [figures.idle, figures.peak, figures.after];
                let times = times.map(mebibytes).join(" / ");
                format!("{times} ({})", mebibytes(figures.own))
            }),
        )
        .compared(&figures.map(|figures| figures.peak)),
    ]
}

fn start(seconds: &Columns<f64>) -> Row {
    let cells = seconds.map(|seconds| format!("{:.2}", seconds * 1e3));
    Row::new(format!("**{}**: ms", Part::Start.title()), cells).compared(seconds)
}

fn build(built: &Columns<Built>) -> [Row; 3] {
    let title = Part::Build.title();
    [
        Row::new(
            format!("**{title}**: seconds (of CPU)"),
            built.map(|built| format!("{:.0} ({:.0})", built.seconds, built.cpu_seconds)),
        )
        .compared(&built.map(|built| built.cpu_seconds)),
        Row::new(
            "– crates that it needs",
            built.map(|built| built.crates.to_string()),
        ),
        Row::new("– its size, MiB", built.map(|built| mebibytes(built.bytes)))
            .compared(&built.map(|built| built.bytes)),
    ]
}

fn mebibytes(bytes: f64) -> String {
    format!("{:.1}", bytes / f64::from(1 << 20))
}

/// The number with at least three digits.
fn digits(number: f64) -> String {
    match number {
        ..10.0 => format!("{number:.2}"),
        10.0..100.0 => format!("{number:.1}"),
        _ => thousands(number),
    }
}

/// The number with separators, as in `1,234,567`.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .filter_map(|group| std::str::from_utf8(group).ok())
        .collect();
    groups.join(",")
}
