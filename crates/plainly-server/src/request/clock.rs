//! The time that a handler has: it begins anew with each step of progress, and stands still while the client is asked.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the restarts and stops of a handler's time. It measures nothing: the task with the
/// deadline looks here.
#[derive(Debug, Default)]
pub(crate) struct HandlerClock {
    /// The number of restarts.
    restarts: AtomicUsize,
    /// The number of questions to the client that are waiting; while there are any, the time does not count.
    stops: AtomicUsize,
}

impl HandlerClock {
    /// Begins the handler's time anew.
    pub(super) fn restart(&self) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
    }

    /// The number of restarts; `None` while the time does not count.
    pub(crate) fn restarts(&self) -> Option<usize> {
        let is_stopped = self.stops.load(Ordering::Relaxed) > 0;
        (!is_stopped).then(|| self.restarts.load(Ordering::Relaxed))
    }

    /// Stops the handler's time until the result is dropped; then it begins anew.
    pub(super) fn stop(&self) -> StoppedClock<'_> {
        self.stops.fetch_add(1, Ordering::Relaxed);
        StoppedClock(self)
    }
}

/// A handler's time that does not count.
pub(super) struct StoppedClock<'a>(&'a HandlerClock);

impl Drop for StoppedClock<'_> {
    fn drop(&mut self) {
        // The restart comes first: whoever sees the time count again must not see the old count of restarts.
        self.0.restart();
        self.0.stops.fetch_sub(1, Ordering::Relaxed);
    }
}
