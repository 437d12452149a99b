//! The times of polling: soon after a change, and less often without changes.

use std::time::Duration;

use tokio::time::Instant;

/// The interval before the first look, and after a change.
const SHORTEST: Duration = Duration::from_secs(2);

/// The maximum interval, while nothing changes.
const LONGEST: Duration = Duration::from_secs(30);

/// The time of the next look.
#[derive(Debug)]
pub(super) struct Pace {
    pause: Duration,
    due: Option<Instant>,
}

impl Default for Pace {
    fn default() -> Self {
        Self {
            pause: SHORTEST,
            due: None,
        }
    }
}

impl Pace {
    /// The time of the next look; `None` while there is nothing to poll.
    pub(super) fn due(&self) -> Option<Instant> {
        self.due
    }

    pub(super) fn is_due(&self, now: Instant) -> bool {
        self.due.is_some_and(|due| due <= now)
    }

    /// Records a look at new resources and, if it was due, at the others. `is_any` is whether there
    /// is a resource to poll.
    pub(super) fn looked(&mut self, now: Instant, is_any: bool, has_changed: bool) {
        if !is_any {
            *self = Self::default();
            return;
        }
        let is_due = self.is_due(now);
        if has_changed {
            self.pause = SHORTEST;
        } else if is_due {
            self.pause = self.pause.saturating_mul(2).min(LONGEST);
        }
        if has_changed || is_due || self.due.is_none() {
            self.due = Some(now + self.pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds until each of the next looks, given whether each finds a change.
    fn pauses(found: &[bool]) -> Vec<u64> {
        let (mut pace, mut now) = (Pace::default(), Instant::now());
        pace.looked(now, true, false);
        let mut pauses = Vec::new();
        for has_changed in found {
            let pause = pace.due().unwrap() - now;
            pauses.push(pause.as_secs());
            now += pause;
            pace.looked(now, true, *has_changed);
        }
        pauses
    }

    #[test]
    fn pauses_double_until_something_changes() {
        let found = [false, false, false, false, false, true, false, true];
        assert_eq!(pauses(&found), [2, 4, 8, 16, 30, 30, 2, 4]);
    }

    #[test]
    fn new_subscriptions_do_not_put_off_the_next_look() {
        let (mut pace, begin) = (Pace::default(), Instant::now());
        pace.looked(begin, true, false);
        let due = pace.due();
        pace.looked(begin + SHORTEST / 2, true, false);
        assert_eq!(pace.due(), due);
        pace.looked(begin + SHORTEST, false, false);
        assert_eq!(pace.due(), None);
    }
}
