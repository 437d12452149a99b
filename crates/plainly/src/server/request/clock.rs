//! The time that a handler has: it begins anew with each step of progress, and stands still while the client is asked.

use std::sync::atomic::{AtomicUsize, Ordering};

/// When a handler's time began anew, and whether it counts. It measures nothing: whoever has a deadline looks here.
#[derive(Debug, Default)]
pub(in crate::server) struct HandlerClock {
    /// How often the time began anew.
    restarts: AtomicUsize,
    /// How many wait for the client, while the time does not count.
    stops: AtomicUsize,
}

impl HandlerClock {
    /// Begins the handler's time anew.
    pub(super) fn restart(&self) {
        self.restarts.fetch_add(1, Ordering::Relaxed);
    }

    /// How often the handler's time began anew; nothing while it does not count.
    pub(in crate::server) fn restarts(&self) -> Option<usize> {
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
        // First the new beginning: whoever sees it count again must not see the old one.
        self.0.restart();
        self.0.stops.fetch_sub(1, Ordering::Relaxed);
    }
}
