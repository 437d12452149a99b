//! What is at the other end of a byte stream: a process of ours, which ends with the stream, or nothing that we know of.

use std::process::ExitStatus;
#[cfg(feature = "child")]
use std::time::Duration;

#[cfg(feature = "child")]
use crate::transport::child::{Grace, Process};

/// The other end.
#[derive(Debug)]
pub(super) enum OtherEnd {
    /// It is somebody else's.
    Foreign,
    /// It is ours.
    #[cfg(feature = "child")]
    Ours(Process, Grace),
}

impl OtherEnd {
    /// Waits until the process has ended; for ever, if there is none.
    pub(super) async fn exited(&mut self) {
        match self {
            Self::Foreign => std::future::pending().await,
            #[cfg(feature = "child")]
            Self::Ours(process, _) => {
                if process.wait().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    /// Gives the process no time to end by itself.
    pub(super) fn hurry(&mut self) {
        match self {
            Self::Foreign => {}
            #[cfg(feature = "child")]
            Self::Ours(_, grace) => (grace.eof, grace.term) = (Duration::ZERO, Duration::ZERO),
        }
    }

    /// How the process ended, if it has or does so at once, and what it last wrote to standard error.
    pub(super) async fn last_words(&mut self) -> (Option<ExitStatus>, String) {
        match self {
            Self::Foreign => (None, String::new()),
            #[cfg(feature = "child")]
            Self::Ours(process, _) => {
                // Requests in flight wait for this, so it must be short.
                const AT_ONCE: Duration = Duration::from_millis(250);
                let exit = tokio::time::timeout(AT_ONCE, process.wait()).await;
                (exit.ok().and_then(Result::ok), process.last_words().await)
            }
        }
    }

    /// Ends the process, whose input is closed.
    pub(super) async fn stop(&mut self) {
        match self {
            Self::Foreign => {}
            #[cfg(feature = "child")]
            Self::Ours(process, grace) => process.stop(*grace).await,
        }
    }
}
