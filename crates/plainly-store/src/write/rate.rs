//! Limits the number of changes of each caller in a minute.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use plainly_server::store::StoreCaller;
use plainly_transport::lock::Lock;

/// The maximum number of changes of one caller in a minute.
const MOST: u32 = 1_000;
const MINUTE: Duration = Duration::from_secs(60);

/// The changes in the current minute.
#[derive(Default)]
pub(super) struct Rate(Lock<Option<Minute>>);

struct Minute {
    begin: Instant,
    /// The number of changes of each caller. Callers without a name share one.
    counts: HashMap<Option<StoreCaller>, u32>,
}

impl Rate {
    /// Counts a change. If there were too many, fails with the time until the next one is allowed.
    pub(super) fn count(&self, caller: Option<&StoreCaller>, now: Instant) -> Result<(), Duration> {
        let mut state = self.0.lock();
        let minute = match &mut *state {
            Some(minute) if now.duration_since(minute.begin) < MINUTE => minute,
            ended => ended.insert(Minute {
                begin: now,
                counts: HashMap::new(),
            }),
        };
        let count = minute.counts.entry(caller.cloned()).or_default();
        if *count >= MOST {
            return Err(MINUTE.saturating_sub(now.duration_since(minute.begin)));
        }
        *count += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_minute_counts_anew() {
        let rate = Rate::default();
        let begin = Instant::now();
        for _ in 0..MOST {
            rate.count(None, begin).unwrap();
        }
        let later = begin + Duration::from_secs(59);
        assert_eq!(rate.count(None, later), Err(Duration::from_secs(1)));
        assert_eq!(rate.count(None, begin + MINUTE), Ok(()));
    }
}
