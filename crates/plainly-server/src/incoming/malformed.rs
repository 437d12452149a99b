//! Responses to messages that could not be served: malformed, from an unknown sender, or too late.

use plainly_errors::mistake::quoted;
use plainly_errors::{InvalidParams, ProtocolError, Revision};
use plainly_protocol::envelope::{MalformedKind, MalformedMessage, Notification, Request};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use plainly_protocol::trace_context::TraceContext;

use crate::Server;
use crate::failure::incident::chain;
use crate::operation::{Arrival, Operation, OperationOutcome};
use crate::outgoing::encode::EncodedReply;
use crate::resolve::ResolveError;

/// A message that could not be served, with the data that is known nevertheless.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnservedMessage<'a> {
    pub(crate) arrival: Arrival,
    pub(crate) revision: Revision,
    /// The id of the message, as JSON.
    pub(crate) id: Option<&'a str>,
    pub(crate) method: Option<&'a str>,
    pub(crate) trace: Option<&'a TraceContext>,
}

impl UnservedMessage<'_> {
    /// A message that could not be read.
    pub(crate) const fn new(arrival: Arrival, revision: Revision) -> Self {
        Self {
            arrival,
            revision,
            id: None,
            method: None,
            trace: None,
        }
    }
}

impl Server {
    /// The response to a message that could not be served. The message is also reported.
    pub(crate) fn refusal(
        &self,
        message: UnservedMessage<'_>,
        error: &ProtocolError,
    ) -> EncodedReply {
        let revision = message.revision;
        let reply = self.0.encoder.error(message.id, revision, error);
        let code = self.0.errors.dialect.code(error, revision);
        tracing::debug!(
            target: "plainly::failure",
            id = message.id.map(quoted).as_deref(),
            method = message.method,
            %revision,
            transport = message.arrival.transport.name(),
            code = code.get(),
            error = chain(error),
            "refused a message",
        );
        let outcome = OperationOutcome::Refused { error, code };
        let reported = self.0.observer.report(self.0.errors.dialect, || Operation {
            method: message.method,
            id: message.id,
            trace: message.trace,
            ..Operation::new(message.arrival, revision, outcome, Some(&reply))
        });
        self.recorded(reported, message.id, revision, reply)
    }

    /// Logs why a faulty message gets no response at all.
    pub(crate) fn ignore(&self, message: UnservedMessage<'_>, error: &ProtocolError, why: &str) {
        let revision = message.revision;
        tracing::warn!(
            target: "plainly::failure",
            %revision,
            transport = message.arrival.transport.name(),
            code = self.0.errors.dialect.code(error, revision).get(),
            error = chain(error),
            "ignored a message: {why}",
        );
    }

    /// The response to a request from an unknown sender.
    pub(crate) fn unresolved(
        &self,
        arrival: Arrival,
        request: &Request<'_>,
        unresolved: &ResolveError,
    ) -> EncodedReply {
        let trace = arrival.trace(request.params.as_ref());
        let message = UnservedMessage {
            arrival,
            revision: unresolved.revision,
            id: Some(request.id.as_raw()),
            method: Some(&request.method),
            trace: trace.as_ref(),
        };
        self.refusal(message, &unresolved.error)
    }

    /// The response to a malformed message, with its id if that could be read.
    pub(crate) fn malformed(
        &self,
        arrival: Arrival,
        malformed: &MalformedMessage<'_>,
        revision: Revision,
    ) -> EncodedReply {
        let message = UnservedMessage {
            id: malformed.id.as_ref().map(|id| id.as_raw()),
            ..UnservedMessage::new(arrival, revision)
        };
        self.refusal(message, &error_of(malformed))
    }
}

/// The error for a malformed message.
pub(crate) fn error_of(malformed: &MalformedMessage<'_>) -> ProtocolError {
    match malformed.kind {
        MalformedKind::Parse => ProtocolError::parse_error(format!("Parse error: {malformed}")),
        MalformedKind::InvalidRequest => {
            ProtocolError::invalid_request(format!("Invalid request: {malformed}"))
        }
        MalformedKind::InvalidParams => ProtocolError::from(InvalidParams::NotAnObject)
            .with_message(format!("Invalid params: {malformed}")),
    }
}

/// The id of the request that `notification` cancels. Its reason is ignored, because it is for
/// humans.
pub(crate) fn cancelled(notification: &Notification<'_>) -> Option<RequestId> {
    if notification.method != Method::Cancelled.name() {
        return None;
    }
    let id = notification.params.as_ref()?.get("requestId")?;
    serde_json::from_str(id).ok()
}
