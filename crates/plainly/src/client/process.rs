//! What is at the other end of a byte stream: a process of ours, which ends with the stream, or nothing that we know of.

use std::process::ExitStatus;
use std::time::Duration;

#[cfg(feature = "stdio")]
use crate::transport::child::{Grace, Process};

/// The other end.
#[derive(Debug)]
pub(super) enum Server {
    /// It is somebody else's.
    Foreign,
    /// It is ours.
    #[cfg(feature = "stdio")]
    Ours(Process, Grace),
}

impl Server {
    /// Waits until the process has ended; for ever, if there is none.
    pub(super) async fn exited(&mut self) {
        match self {
            Self::Foreign => std::future::pending().await,
            #[cfg(feature = "stdio")]
            Self::Ours(process, _) => {
                if process.wait().await.is_err() {
                    std::future::pending::<()>().await;
                }
            }
        }
    }

    /// How the process ended, if it has or does so at once, and what it last wrote to standard error. One that is
    /// `broken` gets no more time.
    pub(super) async fn last_words(&mut self, broken: bool) -> (Option<ExitStatus>, String) {
        /// Requests in flight wait for this, so it must be short.
        const AT_ONCE: Duration = Duration::from_millis(250);
        match self {
            Self::Foreign => (None, String::new()),
            #[cfg(feature = "stdio")]
            Self::Ours(process, grace) => {
                if broken {
                    (grace.eof, grace.term) = (Duration::ZERO, Duration::ZERO);
                }
                let exit = tokio::time::timeout(AT_ONCE, process.wait()).await;
                (exit.ok().and_then(Result::ok), process.last_words().await)
            }
        }
    }

    /// Ends the process, whose input is closed.
    pub(super) async fn stop(&mut self) {
        match self {
            Self::Foreign => {}
            #[cfg(feature = "stdio")]
            Self::Ours(process, grace) => process.stop(*grace).await,
        }
    }
}
