//! The time limit of a handler: it restarts with each step of progress, and is suspended while the
//! client is asked.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the restarts and stops of a handler's time. It does not measure time: the task with the
/// deadline reads the counts.
#[derive(Debug, Default)]
pub(crate) struct HandlerClock {
    /// The number of restarts.
    restarts: AtomicUsize,
    /// The number of open questions to the client. While there are any, the time is suspended.
    stops: AtomicUsize,
}

impl HandlerClock {
    /// Restarts the handler's time.
    pub(super) fn restart(&self) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of restarts; `None` while the time is suspended.
    pub(crate) fn restarts(&self) -> Option<usize> {
        let is_stopped = self.stops.load(Ordering::Relaxed) > 0;
        (!is_stopped).then(|| self.restarts.load(Ordering::Relaxed))
    }

    /// Suspends the handler's time until the result is dropped, which restarts it.
    pub(super) fn stop(&self) -> StoppedClock<'_> {
        self.stops.fetch_add(1, Ordering::Relaxed);
        StoppedClock(self)
    }
}

/// A guard that suspends a handler's time.
pub(super) struct StoppedClock<'a>(&'a HandlerClock);

impl Drop for StoppedClock<'_> {
    fn drop(&mut self) {
        // The restart comes first, so that a reader that sees the time running again never sees the
        // old number of restarts.
        self.0.restart();
        self.0.stops.fetch_sub(1, Ordering::Relaxed);
    }
}
