//! The pauses between polls of a task, and the task's expected end, from the server's last values
//! within this client's bounds. Knows neither tasks nor connections.

use std::time::Duration;

use tokio::time::Instant;

use crate::error::Error;
use crate::link::backoff::{Backoff, chance};

/// The pause between two requests if the server names none.
const USUAL: Duration = Duration::from_secs(1);
/// The shortest pause, whatever the server names.
const SHORTEST: Duration = Duration::from_millis(100);
/// The longest pause.
const LONGEST: Duration = Duration::from_secs(60);
/// The factor of the pause while the server reports the task on its own.
const LISTENING: u32 = 10;

/// The pauses between polls of one task, and their end.
#[derive(Debug)]
pub(super) struct Pace {
    /// The time when this client first learned of the task. The task's creation time is useless,
    /// because the server's clock may differ.
    since: Instant,
    interval: Duration,
    /// The time for which the server stores the task; `None` if it stores the task forever.
    ttl: Option<Duration>,
    /// The pauses while requests fail.
    backoff: Backoff,
}

impl Pace {
    /// The pace of a task that this client learns of now.
    pub(super) fn new() -> Self {
        Self {
            since: Instant::now(),
            interval: USUAL,
            ttl: None,
            backoff: Backoff::default(),
        }
    }

    /// Notes the server's last values: `pollIntervalMs` and `ttlMs`.
    pub(super) fn note(&mut self, interval: Option<u64>, ttl: Option<u64>) {
        if let Some(interval) = interval {
            self.interval = Duration::from_millis(interval).clamp(SHORTEST, LONGEST);
        }
        self.ttl = ttl.map(Duration::from_millis);
        self.backoff = Backoff::default();
    }

    /// The pause before the next poll, after one failed with `error`; `None` if another is useless.
    pub(super) fn pause_after(&mut self, error: &Error) -> Option<Duration> {
        // The caller limits the time of each request. A failed login is not repeated, because the
        // user did not ask for that.
        let is_final = error.is_timeout() || error.authorization().is_some();
        if is_final || !error.is_passing() {
            return None;
        }
        let pause = self.backoff.pause(error.retry_after())?;
        Some(pause.max(self.pause(false)))
    }

    /// The pause before the next poll. With `is_told`, the server reports the task on its own.
    pub(super) fn pause(&self, is_told: bool) -> Duration {
        let interval = match is_told {
            true => (self.interval * LISTENING).min(LONGEST),
            false => self.interval,
        };
        // The random part is added, so that no request comes sooner than the server asks. It
        // spreads the requests of many clients.
        let pause = interval.mul_f64(1.0 + 0.1 * chance());
        self.left().map_or(pause, |left| pause.min(left))
    }

    /// The time for which the server stored the task, once it is over.
    pub(super) fn expired(&self) -> Option<Duration> {
        self.ttl.filter(|_| self.left() == Some(Duration::ZERO))
    }

    fn left(&self) -> Option<Duration> {
        let ttl = self.ttl?;
        Some(ttl.saturating_sub(self.since.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_is_what_the_server_asks_for_within_bounds() {
        for (interval, is_told, least) in [
            (None, false, USUAL),
            (Some(0), false, SHORTEST),
            (Some(250), false, Duration::from_millis(250)),
            (Some(u64::MAX), false, LONGEST),
            (None, true, 10 * USUAL),
            (Some(30_000), true, LONGEST),
        ] {
            let mut pace = Pace::new();
            pace.note(interval, None);
            // A value that the server does not repeat stays valid.
            pace.note(None, None);
            let pauses: Vec<_> = (0..50).map(|_| pace.pause(is_told)).collect();
            for pause in &pauses {
                assert!((least..=least.mul_f64(1.1)).contains(pause), "{pause:?}");
            }
            assert!(pauses.iter().any(|pause| pause != &pauses[0]));
        }
    }

    #[tokio::test(start_paused = true)]
    async fn the_time_of_a_task_is_counted_from_when_it_was_heard_of_and_may_change() {
        let mut pace = Pace::new();
        pace.note(Some(5_000), Some(3_000));
        assert_eq!(pace.pause(false), Duration::from_secs(3));
        tokio::time::advance(Duration::from_secs(3)).await;
        assert_eq!(pace.expired(), Some(Duration::from_secs(3)));
        pace.note(None, Some(60_000));
        assert_eq!(pace.expired(), None);
        pace.note(None, None);
        tokio::time::advance(Duration::from_secs(86_400)).await;
        assert_eq!(pace.expired(), None);
    }
}
