//! The program's functions that observe the server.

use plainly_errors::ProtocolError;

use super::ServerBuilder;
use crate::operation::Operation;
use crate::sessions::ended::{EndedSession, SessionObserver};

impl ServerBuilder {
    /// Reports each request to `count` when it has ended, for metrics. This includes a request that
    /// was rejected before it reached a handler or a layer, one that the client cancelled, and a
    /// message that is not a request. Accepted notifications and responses are not reported
    /// ([`on_notification`](Self::on_notification) reports the former). Without `count` and without
    /// an access log, nothing is measured.
    ///
    /// `count` runs where the response is written, and should not block. The names of OpenTelemetry
    /// fit: a histogram `mcp.server.operation.duration` in seconds, with `mcp.method.name`,
    /// `mcp.protocol.version` and, for a failure, `error.type`.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicU64, Ordering};
    ///
    /// use plainly::server::Server;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let refused = Arc::new(AtomicU64::new(0));
    /// let counter = Arc::clone(&refused);
    /// let server = Server::builder("greeter", "1.0.0")
    ///     .on_operation(move |operation| {
    ///         if operation.outcome.error().is_some() {
    ///             counter.fetch_add(1, Ordering::Relaxed);
    ///         }
    ///     })
    ///     .build()?;
    /// let request = b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}\n";
    /// server.serve(&request[..], tokio::io::sink()).await?;
    /// assert_eq!(refused.load(Ordering::Relaxed), 1);
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn on_operation(mut self, count: impl Fn(&Operation<'_>) + Send + Sync + 'static) -> Self {
        self.observer.count(count);
        self
    }

    /// Reports each accepted notification of a client, for traces: its outcome is
    /// [`Accepted`](crate::OperationOutcome::Accepted). A rejected one is reported to
    /// [`on_operation`](Self::on_operation), because the rejection is a response.
    #[must_use]
    pub fn on_notification(
        mut self,
        notice: impl Fn(&Operation<'_>) + Send + Sync + 'static,
    ) -> Self {
        self.observer.notice(notice);
        self
    }

    /// Reports each request to `record` as [`on_operation`](Self::on_operation) does, but before
    /// its response is sent, for an audit. If `record` fails, the response is withheld and its
    /// error is sent instead.
    ///
    /// The request has already run by then. To reject requests before they run, add a
    /// [layer](Self::layer).
    #[must_use]
    pub fn record_operations(
        mut self,
        record: impl Fn(&Operation<'_>) -> Result<(), ProtocolError> + Send + Sync + 'static,
    ) -> Self {
        self.observer.record(record);
        self
    }

    /// Reports each session to `count` when it has ended, for metrics: a legacy session over HTTP,
    /// whatever ended it, and a connection over any other transport if a client identified itself
    /// on it. Requests of newer revisions over HTTP have no sessions.
    ///
    /// A session over HTTP that was idle for too long ends when another is opened. Sessions that
    /// are open when the program stops are ended by
    /// [`Server::end_sessions`](crate::Server::end_sessions), or with the last clone of the server.
    #[must_use]
    pub fn on_session_end(mut self, count: impl Fn(&EndedSession) + Send + Sync + 'static) -> Self {
        self.sessions = SessionObserver::new(count);
        self
    }
}
