//! A deadline for several requests together, such as all before the first call.

use std::future::Future;
use std::time::Duration;

use super::clocks::{Clocks, Stopwatch};
use crate::error::{Error, LocalError};

/// A deadline, by clocks that are paused while the client waits for the user.
#[derive(Debug)]
pub(crate) struct Deadline {
    clock: Stopwatch,
    after: Duration,
}

impl Deadline {
    pub(crate) fn new(clocks: &Clocks, after: Duration) -> Self {
        Self {
            clock: clocks.stopwatch(),
            after,
        }
    }

    /// The time that is left.
    pub(crate) fn left(&self) -> Duration {
        self.after.saturating_sub(self.clock.elapsed())
    }

    /// Waits for `asking`, which calls `method`, for the remaining time.
    pub(crate) async fn wait_for<T>(
        &self,
        method: &'static str,
        asking: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let asked = self.clock.wait_until(self.after, asking).await;
        asked.ok_or(LocalError::Timeout {
            method,
            after: self.after,
            instead: None,
        })?
    }
}
