//! Requests to stop the process.

/// Resolves on SIGINT (Ctrl-C) or SIGTERM. On Unix, a second signal during shutdown ends the process at once, as if
/// nothing handled it.
pub async fn requested() {
    #[cfg(unix)]
    unix::requested().await;
    // If the signal can't be received, no request to stop will ever arrive.
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

#[cfg(unix)]
mod unix {
    use std::sync::Arc;
    use std::sync::atomic::AtomicBool;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use tokio::signal::unix::{SignalKind, signal};

    pub(super) async fn requested() {
        tokio::select! {
            () = received(SignalKind::interrupt()) => {}
            () = received(SignalKind::terminate()) => {}
        }
        let_the_next_end_the_process();
    }

    /// From now on a signal takes its usual course, and does so in the signal handler: neither a handler that blocks
    /// its thread nor a runtime that waits for its last one can delay it.
    fn let_the_next_end_the_process() {
        for signal in [SIGINT, SIGTERM] {
            let always = Arc::new(AtomicBool::new(true));
            if let Err(error) = signal_hook::flag::register_conditional_default(signal, always) {
                tracing::warn!(signal, %error, "a second signal will not end the process");
            }
        }
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
