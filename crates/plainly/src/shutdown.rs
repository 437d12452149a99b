//! When the process is asked to stop.

use std::future::Future;

/// Ready on SIGINT (Ctrl-C) or SIGTERM. From the first call on, neither of them ends the process by itself any more: to
/// honour a second one while the first is being honoured, await this again.
pub async fn requested() {
    let interrupt = tokio::signal::ctrl_c();
    #[cfg(unix)]
    tokio::select! {
        _ = interrupt => {}
        () = terminated() => {}
    }
    #[cfg(not(unix))]
    let _ = interrupt.await;
}

#[cfg(unix)]
fn terminated() -> impl Future<Output = ()> {
    use tokio::signal::unix::{SignalKind, signal};
    async {
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => _ = terminate.recv().await,
            Err(_) => std::future::pending().await,
        }
    }
}
