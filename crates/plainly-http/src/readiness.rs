//! The readiness of a server, for the probes of balancers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The readiness of a server, which [`Route::readiness`](super::Route::readiness) reports to balancers: a server takes new
/// clients until it is asked to stop. Clones share it.
#[derive(Clone, Debug)]
pub struct Readiness(Arc<AtomicBool>);

impl Default for Readiness {
    fn default() -> Self {
        Self::new()
    }
}

impl Readiness {
    /// The readiness of a server that takes clients.
    pub fn new() -> Self {
        Self(Arc::new(AtomicBool::new(true)))
    }

    /// Whether the server takes new clients.
    pub fn is_ready(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Waits for `shutdown`, then is not ready any more, and ends after `time`: until then the server goes on, while
    /// balancers notice and send their clients elsewhere.
    pub async fn drain(&self, shutdown: impl Future<Output = ()>, time: Duration) {
        shutdown.await;
        self.0.store(false, Ordering::Relaxed);
        tokio::time::sleep(time).await;
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use tokio::sync::oneshot;
    use tokio::time::advance;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_drains_for_its_time_once_it_was_asked_to_stop() {
        let readiness = Readiness::new();
        let (ask, asked) = oneshot::channel::<()>();
        let second = Duration::from_secs(1);
        let drain = readiness.drain(asked.map(drop), 5 * second);
        let mut drain = std::pin::pin!(drain);
        advance(100 * second).await;
        assert!((&mut drain).now_or_never().is_none() && readiness.is_ready());
        drop(ask);
        assert!((&mut drain).now_or_never().is_none() && !readiness.is_ready());
        advance(4 * second).await;
        assert!((&mut drain).now_or_never().is_none());
        drain.await;
        assert!(!readiness.clone().is_ready());
    }
}
