//! Progress and log messages that a handler sends before the reply, if the client asked for them.

use plainly_protocol::method::Method;
use plainly_protocol::types::{LoggingLevel, LoggingMessageParams, ProgressParams};
use serde::Serialize;

use super::context::Scope;
use crate::outgoing::notifications;

impl Scope {
    /// Reports the handler's progress, if the client requested it, and restarts the handler's time.
    /// A value that does not increase is not sent. The client of a task gets only the message, when
    /// it polls.
    pub(crate) async fn progress(
        &self,
        progress: f64,
        total: Option<f64>,
        message: Option<String>,
    ) {
        // The value must increase ("Progress Flow"), and a repeated one would restart the handler's
        // time without progress.
        if !self.advance(progress) {
            return tracing::debug!(progress, "not sent: the progress did not advance");
        }
        // Also if the client did not request progress, because the time limits the handler's work.
        self.clock().restart();
        if let Some(message) = &message {
            self.stage().say(message).await;
        }
        if let Some(token) = &self.interest().progress {
            let mut params = ProgressParams::new(token.clone(), progress);
            (params.total, params.message) = (total, message);
            self.tell(Method::Progress, &params).await;
        }
    }

    /// Whether `progress` is finite and greater than every previous value.
    fn advance(&self, progress: f64) -> bool {
        let mut last = self.last_progress().lock();
        let is_more = progress.is_finite() && progress > *last;
        if is_more {
            *last = progress;
        }
        is_more
    }

    /// Whether the client wants log messages of `level`.
    pub(crate) fn wants_log(&self, level: LoggingLevel) -> bool {
        let least = match self.session() {
            Some(session) => Some(session.level()),
            // A modern client that sets no level gets no log messages (2026-07-28, "Logging").
            None => self.interest().level,
        };
        least.is_some_and(|least| level >= least)
    }

    /// Sends a log message.
    pub(crate) async fn log(&self, params: &LoggingMessageParams) {
        self.tell(Method::LoggingMessage, params).await;
    }

    async fn tell(&self, method: Method, params: &impl Serialize) {
        match notifications::notification(method, params) {
            Ok(message) => self.outbox().send(message).await,
            Err(error) => tracing::error!(%error, "a notification could not be written"),
        }
    }

    /// Makes the client poll for the following messages, if it can.
    pub(crate) fn close_stream(&self) {
        let streams = self.session().and_then(|session| session.streams.as_ref());
        if streams.is_some_and(|streams| streams.can_poll()) {
            self.outbox().pause();
        }
    }
}
