//! What the server takes, second by second, and whether that stays what it is.

use std::time::Duration;

use crate::report::{Held, mebibytes};
use crate::served::Gauges;
use crate::usage::Usage;

/// Of the time, after which all caches and buffers are what they will be.
const WARM: f64 = 0.25;
/// MiB that memory may grow in an hour, as far as ten minutes can tell, and what its noise may add.
const SLOPE: f64 = 30.0;
const NOISE: f64 = 4.0;

/// One look a second.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<Sample>);

#[derive(Clone, Copy, Debug)]
struct Sample {
    hours: f64,
    mebibytes: f64,
    descriptors: f64,
    tasks: f64,
}

impl Samples {
    pub(crate) fn add(&mut self, at: Duration, usage: Usage, gauges: Gauges) {
        self.0.push(Sample {
            hours: at.as_secs_f64() / 3_600.0,
            mebibytes: mebibytes(usage.resident),
            descriptors: usage.descriptors as f64,
            tasks: gauges.tasks as f64,
        });
    }

    pub(crate) fn judge(&self) -> Vec<Held> {
        let warm = self
            .0
            .get((self.0.len() as f64 * WARM) as usize..)
            .unwrap_or_default();
        let hours = warm.last().map_or(0.0, |last| last.hours)
            - warm.first().map_or(0.0, |first| first.hours);
        let of = |value: fn(&Sample) -> f64| {
            let points: Vec<_> = warm
                .iter()
                .map(|sample| (sample.hours, value(sample)))
                .collect();
            slope(&points) * hours
        };
        let rounded = |value: f64| (value * 10.0).round() / 10.0;
        let grown = |what, value, most| Held::most(what, rounded(of(value)), rounded(most));
        vec![
            grown(
                "growth of memory after warming up, MiB",
                |sample| sample.mebibytes,
                SLOPE * hours + NOISE,
            ),
            grown(
                "growth of descriptors after warming up",
                |sample| sample.descriptors,
                15.0,
            ),
            grown(
                "growth of runtime tasks after warming up",
                |sample| sample.tasks,
                15.0,
            ),
        ]
    }
}

/// Of the line that fits best.
fn slope(points: &[(f64, f64)]) -> f64 {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let above: f64 = points
        .iter()
        .map(|point| (point.0 - x) * (point.1 - y))
        .sum();
    let below: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    if below > 0.0 { above / below } else { 0.0 }
}
