//! The goals, and whether they were reached.

use std::fmt;

use plainly_interop::Case;

use crate::part::Part;
use crate::programs::{Column, Columns};
use crate::table::{Results, ratio};

/// Requests per second: the part, and the minimum ratios to bare hyper and to rmcp.
const RATES: [(Part, Option<f64>, f64); 5] = [
    (Part::Http(Case::Echo), Some(0.70), 2.5),
    (Part::Http(Case::Read), Some(0.70), 2.5),
    (Part::Http(Case::ReadText), Some(0.45), 2.0),
    (Part::Http(Case::Missing), Some(0.70), 2.5),
    (Part::PIPELINED, None, 2.5),
];

/// Peak memory over these cases: the maximum ratio to rmcp.
const PEAKS: [(&str, &[Case], f64); 2] = [
    (
        "peak memory, small",
        &[Case::Echo, Case::Read, Case::Missing],
        0.8,
    ),
    (
        "peak memory, 1 MiB",
        &[Case::ReadText, Case::ReadBinary],
        0.5,
    ),
];

/// The start: the maximum ratio to rmcp.
const START: f64 = 1.0;

enum Bound {
    AtLeast(f64),
    AtMost(f64),
}

struct Goal {
    what: String,
    next_to: Column,
    bound: Bound,
    reached: f64,
}

impl Goal {
    /// Compares the printed values, so that a printed 0.70 reaches a goal of 0.70.
    fn is_reached(&self) -> bool {
        let printed = (self.reached * 100.0).round();
        match self.bound {
            Bound::AtLeast(least) => printed >= (least * 100.0).round(),
            Bound::AtMost(most) => printed <= (most * 100.0).round(),
        }
    }
}

/// The goals for the measured parts, as a table.
pub(crate) struct Goals(Vec<Goal>);

impl Goals {
    pub(crate) fn of(results: &Results) -> Self {
        let goals = rates(results).chain(peaks(results)).chain(start(results));
        Self(goals.collect())
    }
}

fn rates(results: &Results) -> impl Iterator<Item = Goal> {
    RATES.into_iter().flat_map(move |(part, of_bare, of_rmcp)| {
        let rates = results
            .load(part)
            .map(|figures| figures.map(|figures| figures.rate));
        [(Column::Bare, of_bare), (Column::Rmcp, Some(of_rmcp))]
            .into_iter()
            .filter_map(move |(next_to, least)| {
                Some(Goal {
                    what: part.title(),
                    next_to,
                    bound: Bound::AtLeast(least?),
                    reached: ratio(rates.as_ref()?, next_to)?,
                })
            })
    })
}

fn peaks(results: &Results) -> impl Iterator<Item = Goal> {
    PEAKS.into_iter().filter_map(|(what, cases, most)| {
        let highest = |column| {
            let peaks = cases.iter().filter_map(|&case| {
                let figures = results.load(Part::Http(case))?.get(column)?;
                Some(figures.peak)
            });
            peaks.reduce(f64::max)
        };
        let both = [Column::Rmcp, Column::Plainly];
        let peaks: Columns<f64> = both
            .into_iter()
            .filter_map(|column| Some((column, highest(column)?)))
            .collect();
        Some(Goal {
            what: what.to_owned(),
            next_to: Column::Rmcp,
            bound: Bound::AtMost(most),
            reached: ratio(&peaks, Column::Rmcp)?,
        })
    })
}

fn start(results: &Results) -> Option<Goal> {
    Some(Goal {
        what: Part::Start.title(),
        next_to: Column::Rmcp,
        bound: Bound::AtMost(START),
        reached: ratio(results.start.as_ref()?, Column::Rmcp)?,
    })
}

impl fmt::Display for Goals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| to reach | | measured | |\n|---|---|---:|---|")?;
        for goal in &self.0 {
            let Goal {
                what,
                next_to,
                bound,
                reached,
            } = goal;
            let bound = match bound {
                Bound::AtLeast(least) => format!("at least {least:.2}"),
                Bound::AtMost(most) => format!("at most {most:.2}"),
            };
            let verdict = if goal.is_reached() {
                "reached"
            } else {
                "**missed**"
            };
            writeln!(
                f,
                "| {what} | {bound} of {} | {reached:.2} | {verdict} |",
                next_to.head()
            )?;
        }
        Ok(())
    }
}
