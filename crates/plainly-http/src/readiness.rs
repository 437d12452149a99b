//! The readiness of a server, for the probes of load balancers.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use plainly_transport::health::Health;

/// The readiness of a server, which [`Route::readiness`](super::Route::readiness) reports to load
/// balancers. A server is ready for new clients as long as its health allows it and until it is
/// asked to stop. Clones share the state.
#[derive(Clone)]
pub struct Readiness {
    takes_clients: Arc<AtomicBool>,
    health: Arc<dyn Fn() -> Health + Send + Sync>,
}

impl Default for Readiness {
    fn default() -> Self {
        Self::new()
    }
}

impl Readiness {
    /// The readiness of a server that is always healthy until it is asked to stop.
    pub fn new() -> Self {
        Self::of(|| Health::Ready)
    }

    /// The readiness of a server with this health. For example, one of several replicas may be
    /// unhealthy because its keys differ from those of the others.
    pub fn of(health: impl Fn() -> Health + Send + Sync + 'static) -> Self {
        Self {
            takes_clients: Arc::new(AtomicBool::new(true)),
            health: Arc::new(health),
        }
    }

    /// The health of the server. It is not ready once the server was asked to stop.
    pub fn health(&self) -> Health {
        match self.takes_clients.load(Ordering::Relaxed) {
            true => (self.health)(),
            false => Health::NotReady,
        }
    }

    /// Whether the server accepts new clients.
    pub fn is_ready(&self) -> bool {
        self.health() != Health::NotReady
    }

    /// Waits for `shutdown`, then reports that the server is not ready, and returns after `time`.
    /// Meanwhile the server continues, so that load balancers can send their clients elsewhere.
    pub async fn drain(&self, shutdown: impl Future<Output = ()>, time: Duration) {
        shutdown.await;
        self.takes_clients.store(false, Ordering::Relaxed);
        tokio::time::sleep(time).await;
    }
}

impl fmt::Debug for Readiness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let takes_clients = &self.takes_clients;
        f.debug_struct("Readiness")
            .field("takes_clients", takes_clients)
            .finish_non_exhaustive()
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

    #[tokio::test]
    async fn a_server_is_as_ready_as_its_health_until_it_was_asked_to_stop() {
        let readiness = |health| Readiness::of(move || health);
        for (health, is_ready) in [
            (Health::Ready, true),
            (Health::Degraded, true),
            (Health::NotReady, false),
        ] {
            assert_eq!(readiness(health).is_ready(), is_ready);
        }
        let degraded = readiness(Health::Degraded);
        let stopped = degraded.drain(std::future::ready(()), Duration::from_secs(1));
        assert!(stopped.now_or_never().is_none() && !degraded.is_ready());
    }
}
