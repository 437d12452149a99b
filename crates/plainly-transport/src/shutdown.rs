//! Requests to stop the process.

/// Resolves on SIGINT (Ctrl-C), and when [`terminated`] does. On Unix, a second SIGINT or SIGTERM
/// during shutdown ends the process at once, as without a handler.
pub async fn requested() {
    #[cfg(unix)]
    unix::requested().await;
    // If the signal can't be received, no request to stop will ever arrive.
    #[cfg(not(unix))]
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending().await
    }
}

/// Resolves on SIGTERM, and on SIGHUP, which the system sends when the terminal is closed; never on
/// systems without these signals. If SIGHUP was ignored when the process began, as with `nohup`, it
/// stays ignored.
pub async fn terminated() {
    #[cfg(unix)]
    unix::terminated().await;
    #[cfg(not(unix))]
    std::future::pending().await
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
            () = terminated() => {}
        }
        let_the_next_end_the_process();
    }

    pub(super) async fn terminated() {
        let hung_up = async {
            match ignores_hangups() {
                true => std::future::pending().await,
                false => received(SignalKind::hangup()).await,
            }
        };
        tokio::select! {
            () = received(SignalKind::terminate()) => {}
            () = hung_up => {}
        }
    }

    /// Restores the default effect of the signals, directly in the signal handler, so that neither
    /// a handler that blocks its thread nor a runtime that waits for it can delay the end. SIGHUP
    /// is excluded, because both a closed terminal and its shell may send one, and no user is
    /// waiting.
    fn let_the_next_end_the_process() {
        for signal in [SIGINT, SIGTERM] {
            let always = Arc::new(AtomicBool::new(true));
            if let Err(error) = signal_hook::flag::register_conditional_default(signal, always) {
                tracing::warn!(signal, %error, "a second signal will not end the process");
            }
        }
    }

    /// Whether SIGHUP is ignored. Once a handler is installed, it is not ignored any more.
    #[cfg(target_os = "linux")]
    fn ignores_hangups() -> bool {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mut lines = status.lines();
        let mask = lines.find_map(|line| line.strip_prefix("SigIgn:"));
        let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
        // The lowest bit belongs to signal 1, which is SIGHUP.
        mask.is_some_and(|mask| mask & 1 == 1)
    }

    /// Whether SIGHUP may be ignored. This system does not show it, but `nohup` redirects a
    /// standard error that is a terminal.
    #[cfg(not(target_os = "linux"))]
    fn ignores_hangups() -> bool {
        use std::io::IsTerminal;
        !std::io::stderr().is_terminal()
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
