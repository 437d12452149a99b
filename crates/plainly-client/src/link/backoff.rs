//! The pause before a lost stream is opened again. It is as long as the server asks, within a
//! bound. Otherwise it increases each time, and is random, so that not all clients of a recovered
//! server reconnect at once.

use std::hash::{BuildHasher as _, RandomState};
use std::time::Duration;

use tokio::time::Instant;

/// The longest first pause; each further one may be twice as long.
const FIRST: Duration = Duration::from_secs(1);
/// The longest of these pauses.
const LONGEST: Duration = Duration::from_secs(30);
/// The longest pause that a server may ask for.
const LONGEST_ASKED: Duration = Duration::from_secs(600);
/// The life of a stream after which the pauses start again from the shortest.
const IN_ORDER: Duration = Duration::from_secs(60);
/// The most tries in a row without any event.
const TRIES: u32 = 30;

/// The pauses between one stream and the next.
#[derive(Debug, Default)]
pub(crate) struct Backoff {
    /// The number of doublings of the longest pause.
    doublings: u32,
    /// The tries since the last event.
    tries: u32,
    /// The time when the stream was opened; `None` while there is none.
    opened: Option<Instant>,
}

impl Backoff {
    /// Notes that the stream is open.
    pub(crate) fn opened(&mut self) {
        self.opened = Some(Instant::now());
    }

    /// Notes that an event arrived on the stream.
    pub(crate) fn came(&mut self) {
        self.tries = 0;
    }

    /// Whether no stream was lost recently.
    pub(crate) fn is_fresh(&self) -> bool {
        self.doublings == 0 || self.was_in_order()
    }

    /// The pause after a stream was lost, or could not be opened. `asked` is the server's wish.
    /// `None` if another try is useless.
    pub(crate) fn pause(&mut self, asked: Option<Duration>) -> Option<Duration> {
        if self.was_in_order() {
            *self = Self::default();
        }
        self.opened = None;
        if self.tries == TRIES {
            return None;
        }
        let longest = FIRST.saturating_mul(1 << self.doublings).min(LONGEST);
        if longest < LONGEST {
            self.doublings += 1;
        }
        self.tries += 1;
        Some(match asked {
            Some(asked) => asked.min(LONGEST_ASKED),
            None => longest.mul_f64(chance()),
        })
    }

    fn was_in_order(&self) -> bool {
        self.opened.is_some_and(|since| since.elapsed() >= IN_ORDER)
    }
}

/// A random number from 0 to 1.
pub(crate) fn chance() -> f64 {
    // This is not for secrets, so the random keys of hash maps suffice.
    let random = RandomState::new().hash_one(0);
    f64::from(u32::try_from(random >> 32).unwrap_or_default()) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// The shortest and the longest of many pauses, each after `after` other pauses.
    fn extremes(after: u32) -> (Duration, Duration) {
        let pauses = (0..300).filter_map(|_| {
            let mut backoff = Backoff::default();
            for _ in 0..after {
                backoff.pause(None);
            }
            backoff.pause(None)
        });
        let pauses = pauses.collect::<Vec<_>>();
        let (shortest, longest) = (pauses.iter().min(), pauses.iter().max());
        (
            *shortest.expect("there is one"),
            *longest.expect("there is one"),
        )
    }

    #[test]
    fn the_pauses_double_up_to_half_a_minute_and_are_anything_below() {
        for (after, seconds) in [(0, 1), (1, 2), (2, 4), (4, 16), (5, 30), (29, 30)] {
            let most = seconds * SECOND;
            let (shortest, longest) = extremes(after);
            assert!(shortest < most.mul_f64(0.1), "{shortest:?}");
            assert!(
                longest <= most && longest > most.mul_f64(0.9),
                "{longest:?}"
            );
        }
    }

    #[tokio::test(start_paused = true)]
    async fn they_begin_anew_after_a_minute_and_not_before() {
        for (lived, is_fresh) in [(59, false), (60, true)] {
            let mut backoff = Backoff::default();
            for _ in 0..5 {
                backoff.pause(None);
            }
            backoff.opened();
            tokio::time::advance(lived * SECOND).await;
            assert_eq!(backoff.is_fresh(), is_fresh);
            backoff.pause(None);
            assert_eq!(backoff.doublings == 1, is_fresh);
        }
    }

    #[test]
    fn what_the_server_asks_for_counts_within_a_bound_and_a_stream_with_events_is_opened_for_ever()
    {
        let mut backoff = Backoff::default();
        for _ in 0..100 {
            assert_eq!(backoff.pause(Some(7 * SECOND)), Some(7 * SECOND));
            backoff.came();
        }
        for asked in [LONGEST_ASKED + SECOND, Duration::MAX] {
            assert_eq!(backoff.pause(Some(asked)), Some(LONGEST_ASKED));
            backoff.came();
        }
        for _ in 0..TRIES {
            assert!(backoff.pause(Some(SECOND)).is_some());
        }
        assert!(backoff.pause(Some(SECOND)).is_none());
    }
}
