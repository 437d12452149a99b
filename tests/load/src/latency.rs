//! How long calls took.

use std::time::Duration;

/// The times of calls, in ascending order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Latencies(Vec<Duration>);

impl Latencies {
    pub(crate) fn new(times: impl IntoIterator<Item = Duration>) -> Self {
        let mut times: Vec<_> = times.into_iter().collect();
        times.sort_unstable();
        Self(times)
    }

    pub(crate) fn count(&self) -> usize {
        self.0.len()
    }

    /// That which so many of a hundred did not exceed; zero of none.
    pub(crate) fn percentile(&self, percent: usize) -> Duration {
        let rank = (self.0.len() * percent).div_ceil(100).saturating_sub(1);
        self.0.get(rank).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_what_so_many_did_not_exceed() {
        let all = Latencies::new((1..=200).rev().map(Duration::from_millis));
        let of = |percent| all.percentile(percent).as_millis();
        assert_eq!([of(0), of(50), of(99), of(100)], [1, 100, 198, 200]);
        assert_eq!(Latencies::default().percentile(99), Duration::ZERO);
    }
}
