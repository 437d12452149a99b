//! When the process is asked to stop.

/// Ready on SIGINT (Ctrl-C) or SIGTERM. On Unix, a second one while the first is being honoured ends the process at once,
/// as if nobody listened.
pub async fn requested() {
    #[cfg(unix)]
    unix::requested().await;
    // Where it can't be told, nobody asks.
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

#[cfg(unix)]
mod unix {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::sync::{Arc, LazyLock};

    use signal_hook::consts::{SIGINT, SIGTERM};
    use tokio::signal::unix::{SignalKind, signal};

    /// Whether the first signal is being honoured. Once it is, the next one takes its usual course, and does so in the
    /// signal handler: neither a handler that blocks its thread nor a runtime that waits for its last one can delay it.
    static IS_REQUESTED: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
        let is_requested = Arc::default();
        for signal in [SIGINT, SIGTERM] {
            let condition = Arc::clone(&is_requested);
            if let Err(error) = signal_hook::flag::register_conditional_default(signal, condition) {
                tracing::warn!(signal, %error, "a second signal will not end the process");
            }
        }
        is_requested
    });

    pub(super) async fn requested() {
        // Before ours is: handlers run in the order of their registration, and the first signal must find nothing set.
        let is_requested = &**IS_REQUESTED;
        tokio::select! {
            () = received(SignalKind::interrupt()) => {}
            () = received(SignalKind::terminate()) => {}
        }
        is_requested.store(true, Ordering::Relaxed);
    }

    async fn received(kind: SignalKind) {
        match signal(kind) {
            Ok(mut signals) => _ = signals.recv().await,
            Err(error) => {
                tracing::warn!(%error, "can't be stopped by a signal");
                std::future::pending().await
            }
        }
    }
}
