//! Answers to messages that could not be served: malformed, without a known sender, or too late.

use plainly_errors::{InvalidParams, ProtocolError, Revision};
use plainly_protocol::envelope::{Malformed, MalformedKind, Notification, Request};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;

use crate::Server;
use crate::outgoing::access::{Transport, Unserved};
use crate::outgoing::encode::Encoded;
use crate::resolve::Unresolved;

impl Server {
    /// The response to a request without a known sender.
    pub(crate) fn unresolved(
        &self,
        transport: Transport,
        request: &Request<'_>,
        unresolved: &Unresolved,
    ) -> Encoded {
        let message = Unserved {
            transport,
            revision: unresolved.revision,
            id: Some(request.id.as_raw()),
            method: Some(&request.method),
        };
        self.0.encoder.refusal(message, &unresolved.error)
    }

    /// The response to a malformed message, with its id if that could be read.
    pub(crate) fn malformed(
        &self,
        transport: Transport,
        malformed: &Malformed<'_>,
        revision: Revision,
    ) -> Encoded {
        let message = Unserved {
            id: malformed.id.as_ref().map(|id| id.as_raw()),
            ..Unserved::new(transport, revision)
        };
        self.0.encoder.refusal(message, &error_of(malformed))
    }
}

/// The error for a malformed message.
pub(crate) fn error_of(malformed: &Malformed<'_>) -> ProtocolError {
    match malformed.kind {
        MalformedKind::Parse => ProtocolError::parse_error(format!("Parse error: {malformed}")),
        MalformedKind::InvalidRequest => {
            ProtocolError::invalid_request(format!("Invalid request: {malformed}"))
        }
        MalformedKind::InvalidParams => ProtocolError::from(InvalidParams::NotAnObject)
            .with_message(format!("Invalid params: {malformed}")),
    }
}

/// The id of the request that `notification` cancels; its reason is ignored, because it is for
/// humans.
pub(crate) fn cancelled(notification: &Notification<'_>) -> Option<RequestId> {
    if notification.method != Method::Cancelled.name() {
        return None;
    }
    let id = notification.params.as_ref()?.get("requestId")?;
    serde_json::from_str(id).ok()
}
