//! Samples the memory of the server each second, and checks whether it stays constant. Descriptors
//! and tasks vary with the load; the soak counts those that remain after all clients have
//! disconnected.

use std::time::Duration;

use crate::report::{Held, mebibytes};
use crate::usage::Usage;

/// The fraction of the time after which all caches and buffers have reached their size.
const WARM: f64 = 0.25;
/// The maximum growth of memory in MiB per hour, as far as ten minutes can show, and the allowed
/// noise.
const SLOPE: f64 = 30.0;
const NOISE: f64 = 4.0;

/// The memory in MiB, sampled each second, with the time in hours.
#[derive(Debug, Default)]
pub(crate) struct Samples(Vec<(f64, f64)>);

impl Samples {
    pub(crate) fn add(&mut self, at: Duration, usage: Usage) {
        let hours = at.as_secs_f64() / 3_600.0;
        self.0.push((hours, mebibytes(usage.resident)));
    }

    pub(crate) fn judge(&self) -> Held {
        let warm = (self.0.len() as f64 * WARM) as usize;
        let warm = self.0.get(warm..).unwrap_or_default();
        let hour = |point: Option<&(f64, f64)>| point.map_or(0.0, |(hour, _)| *hour);
        let hours = hour(warm.last()) - hour(warm.first());
        let rounded = |value: f64| (value * 10.0).round() / 10.0;
        Held::most(
            "growth of memory after warming up, MiB",
            rounded(slope(warm) * hours),
            rounded(SLOPE * hours + NOISE),
        )
    }
}

/// The slope of the best-fitting line.
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
