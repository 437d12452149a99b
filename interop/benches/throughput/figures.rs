//! Computes figures from the results of rounds, as medians. Independent of what was measured.

use std::time::Duration;

/// The results of one round.
pub(crate) struct Measure {
    pub(crate) requests: u64,
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
    pub(crate) latency: Latency,
    /// Bytes of memory before the load.
    pub(crate) idle: f64,
    /// The maximum bytes of memory until the end of the load.
    pub(crate) peak: f64,
    /// Bytes of memory after the load.
    pub(crate) after: f64,
    /// The private part of these bytes, which is neither code nor another file.
    pub(crate) own: f64,
}

/// The time between a request and its response, in seconds.
pub(crate) struct Latency {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

impl Latency {
    pub(crate) fn of(mut all: Vec<Duration>) -> Self {
        all.sort_unstable();
        let at = |percent: usize| {
            let index = (all.len() * percent / 100).min(all.len().saturating_sub(1));
            all.get(index).map_or(f64::NAN, Duration::as_secs_f64)
        };
        Self {
            p50: at(50),
            p99: at(99),
        }
    }
}

impl Measure {
    /// The number of requests answered in a second.
    #[expect(clippy::cast_precision_loss, reason = "no round has 2^52 requests")]
    fn rate(&self) -> f64 {
        self.requests as f64 / self.seconds
    }

    fn busy(&self) -> f64 {
        self.cpu_seconds / self.seconds
    }

    fn cost(&self) -> f64 {
        self.busy() / self.rate()
    }
}

/// Medians over the rounds.
pub(crate) struct Figures {
    /// The number of requests answered in a second.
    pub(crate) rate: f64,
    /// The seconds of the server's core used for one request.
    pub(crate) cost: f64,
    /// The used share of the server's core. A value well below 1 means that the load was the limit,
    /// not the server.
    pub(crate) busy: f64,
    pub(crate) latency: Latency,
    pub(crate) idle: f64,
    pub(crate) peak: f64,
    pub(crate) after: f64,
    pub(crate) own: f64,
}

impl Figures {
    pub(crate) fn new(rounds: &[Measure]) -> Self {
        let of = |figure: fn(&Measure) -> f64| median(rounds.iter().map(figure));
        Self {
            rate: of(Measure::rate),
            cost: of(Measure::cost),
            busy: of(Measure::busy),
            latency: Latency {
                p50: of(|round| round.latency.p50),
                p99: of(|round| round.latency.p99),
            },
            idle: of(|round| round.idle),
            peak: of(|round| round.peak),
            after: of(|round| round.after),
            own: of(|round| round.own),
        }
    }
}

/// The middle value, or the mean of the two middle ones.
pub(crate) fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    if values.len() % 2 == 1 {
        values[middle]
    } else {
        f64::midpoint(values[middle - 1], values[middle])
    }
}
