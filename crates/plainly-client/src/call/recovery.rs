//! Decides after a failed attempt of a call which cause to remove, and whether to repeat the call.

use std::sync::atomic::{AtomicBool, Ordering};

use plainly_errors::{ErrorKind, InvalidRequest, ProtocolError, Revision};
use plainly_protocol::method::Method;
use tokio::time::{Instant, sleep};

use super::visits::VisitsOfCall;
use crate::connect::Client;
use crate::connect::session::Epoch;
use crate::error::{Error, LocalError, Result};
use crate::message::budget::{Budget, Cause};
use crate::message::deadline::Deadline;

/// One call, with the attempts that were made and those that are left.
#[derive(Debug)]
pub(crate) struct Recovery<'a> {
    pub(super) method: Method,
    pub(super) start: Instant,
    is_attempted: AtomicBool,
    pub(super) budget: Budget,
    /// The pages that the user was sent to; `None` if this call may not send the user to pages.
    visits: Option<&'a VisitsOfCall>,
}

impl<'a> Recovery<'a> {
    /// Begins a call of `method`.
    pub(super) fn new(client: &Client, method: Method, visits: Option<&'a VisitsOfCall>) -> Self {
        let most = client.connected.limits().rounds;
        let left = visits.map_or(0, |visits| visits.left(most));
        Self {
            method,
            start: Instant::now(),
            is_attempted: AtomicBool::new(false),
            budget: Budget::new(client.retries.pauses(), left),
            visits,
        }
    }

    /// Notes that a request is about to be sent.
    pub(super) fn begin_attempt(&self) {
        self.is_attempted.store(true, Ordering::Relaxed);
    }

    /// The attempts so far, including those that failed for lack of credentials or of a connection;
    /// none if the result came from the cache.
    pub(super) fn attempts(&self) -> u32 {
        u32::from(self.is_attempted.load(Ordering::Relaxed)) + self.budget.spent()
    }

    /// The cause of `error`, which a request of `revision` ended with, if the cause can be removed.
    fn cause(&self, error: &Error, revision: Revision, is_repeatable: bool) -> Option<Cause> {
        let kind = error.protocol().map(ProtocolError::kind);
        match (error.local(), kind) {
            // The client must open a new session then (2025-11-25, "Session Management").
            (Some(LocalError::SessionLost), _) => Some(Cause::Session),
            // Many servers send this, with status 400, for a session that they have forgotten.
            (
                _,
                Some(ErrorKind::InvalidRequest(
                    InvalidRequest::SessionRequired | InvalidRequest::SessionNotFound,
                )),
            ) if revision.traits().sessions && error.http_status().is_some() => {
                Some(Cause::Session)
            }
            // A session cannot change its version.
            (_, Some(ErrorKind::UnsupportedProtocolVersion { .. })) => {
                (!revision.traits().sessions).then_some(Cause::Revision)
            }
            (_, Some(ErrorKind::HeaderMismatch)) => {
                (self.method == Method::CallTool).then_some(Cause::Headers)
            }
            _ if error.url_elicitations().is_some() => Some(Cause::Visit),
            _ => (is_repeatable && error.is_retryable()).then_some(Cause::Passing),
        }
    }
}

impl Client {
    /// Removes the cause of `error`, which a request ended with. Returns whether to repeat the
    /// request.
    ///
    /// # Errors
    ///
    /// The error of a new session, which says more than `error`.
    pub(super) async fn recover(
        &self,
        recovery: &Recovery<'_>,
        error: &Error,
        epoch: Epoch,
        is_repeatable: bool,
    ) -> Result<bool> {
        let cause = recovery.cause(error, epoch.revision, is_repeatable);
        let Some(cause) = cause.filter(|cause| recovery.budget.spend(*cause)) else {
            return Ok(false);
        };
        let connected = &self.connected;
        let method = recovery.method.name();
        tracing::debug!(%error, method, ?cause, "removing the cause of a failure");
        // No handshake may take longer than the call.
        let deadline = Deadline::new(&connected.options.clocks, self.timeout);
        // The futures are in boxes, because most calls succeed at once and need no room for them.
        let recovered = match cause {
            Cause::Session => {
                let renewing = Box::pin(connected.renew(epoch.session));
                deadline.wait_for(method, renewing).await.map(|()| true)
            }
            Cause::Revision => {
                let changing = Box::pin(connected.change(epoch.revision, offered(error)));
                deadline.wait_for(method, changing).await
            }
            Cause::Headers => Ok(Box::pin(self.learn_headers()).await),
            Cause::Visit => Ok(Box::pin(self.visit(error, recovery.visits)).await),
            Cause::Passing => Ok(self.pause_after(error, recovery).await),
            #[cfg(feature = "http")]
            Cause::Unsent | Cause::Credentials => Ok(false),
        };
        match recovered {
            // This error is about the handshake, and would be misleading as the answer to the call.
            Err(Error::Protocol(refusal)) => {
                tracing::debug!(%refusal, "the server refused another handshake");
                Ok(false)
            }
            recovered => recovered,
        }
    }

    /// Waits until the call may be repeated; `false` if that is too late. A repetition with other
    /// headers also counts as one of the client's retries.
    async fn pause_after(&self, error: &Error, recovery: &Recovery<'_>) -> bool {
        let budget = &recovery.budget;
        let pauses = budget.spent_on(Cause::Passing);
        if pauses + budget.spent_on(Cause::Headers) > self.retries.pauses() {
            return false;
        }
        let earlier = pauses - 1;
        let pause = self.retries.pause(error, earlier, recovery.start.elapsed());
        if let Some(pause) = pause {
            sleep(pause).await;
        }
        pause.is_some()
    }
}

/// The versions that the server offers when it refuses one.
fn offered(error: &Error) -> &[String] {
    match error.protocol().map(ProtocolError::kind) {
        Some(ErrorKind::UnsupportedProtocolVersion { supported, .. }) => supported,
        _ => &[],
    }
}
