//! Limits the rate of responses to unreadable input: a burst of 100, then one per 100 milliseconds.

use std::time::Duration;

use tokio::time::Instant;

const BURST: u32 = 100;
const PAUSE: Duration = Duration::from_millis(100);

/// A token bucket, which is refilled over time.
#[derive(Debug)]
pub(super) struct Throttle {
    left: u32,
    refilled: Instant,
}

impl Default for Throttle {
    fn default() -> Self {
        Self {
            left: BURST,
            refilled: Instant::now(),
        }
    }
}

impl Throttle {
    /// Takes a token, if there is one.
    pub(super) fn allow(&mut self) -> bool {
        let pauses = self.refilled.elapsed().as_millis() / PAUSE.as_millis();
        let earned = u32::try_from(pauses).unwrap_or(u32::MAX);
        self.left = self.left.saturating_add(earned).min(BURST);
        // Not set to the current time, so that the rest of a pause counts towards the next token.
        self.refilled += PAUSE * earned;
        let allowed = self.left > 0;
        self.left = self.left.saturating_sub(1);
        allowed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_burst_of_100_and_then_one_per_pause() {
        let mut throttle = Throttle::default();
        assert_eq!((0..150).filter(|_| throttle.allow()).count(), 100);
        tokio::time::advance(PAUSE * 3).await;
        assert_eq!((0..10).filter(|_| throttle.allow()).count(), 3);
    }
}
