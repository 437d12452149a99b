//! Encodes the outcome of a request to its only response, within the room for large replies.

use plainly_errors::{ProtocolError, Revision, Unavailable};
use plainly_protocol::envelope::Request;
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;

use crate::Server;
use crate::answer::{Answer, MethodResult};
use crate::handling::AnswerResult;
use crate::operation::{Arrival, Operation, OperationOutcome};
use crate::outgoing::encode::EncodedReply;
use crate::request::Scope;
use plainly_transport::quota::Holder;

impl Server {
    /// The reply to `initialize`.
    pub(crate) fn initialize(
        &self,
        arrival: Arrival,
        request: &Request<'_>,
        peer: &Peer,
    ) -> EncodedReply {
        let id = request.id.as_raw();
        let mut result = self.0.discovery.initialize(peer);
        let meta = result.meta.take();
        let answer = MethodResult::new(result, meta).into();
        let (reply, error) = self.write(id, peer.revision, None, Ok(answer));
        let trace = arrival.trace(request.params.as_ref());
        let reported = self.0.observer.report(self.0.errors.dialect, || Operation {
            method: Some(Method::Initialize.name()),
            id: Some(id),
            principal: peer.principal.as_ref(),
            implementation: peer.implementation.as_ref(),
            trace: trace.as_ref(),
            ..Operation::new(
                arrival,
                peer.revision,
                ended(&reply, error.as_ref(), false),
                Some(&reply),
            )
        });
        self.recorded(reported, Some(id), peer.revision, reply)
    }

    /// Encodes the response to a request in this context, and reports its outcome and its error.
    pub(crate) fn respond(&self, id: &str, scope: &Scope, outcome: AnswerResult) -> EncodedReply {
        let has_failed = outcome.is_err();
        if let Err(error) = &outcome {
            self.0.errors.report(scope.asker(), error);
        }
        let is_tool_error = matches!(&outcome, Ok(Answer::Tool(result)) if result.is_tool_error());
        let (reply, error) = self.write(id, scope.peer().revision, scope.caller(), outcome);
        if let Some(error) = error.as_ref().filter(|_| !has_failed) {
            self.0.errors.report(scope.asker(), error);
        }
        let reported = self.0.observer.report(self.0.errors.dialect, || {
            let outcome = ended(&reply, error.as_ref(), is_tool_error);
            scope.asker().operation(id, outcome, Some(&reply))
        });
        self.recorded(reported, Some(id), scope.peer().revision, reply)
    }

    /// The reply, if its operation was recorded; otherwise the error, because a reply that was not
    /// recorded must not be sent.
    pub(crate) fn recorded(
        &self,
        reported: Result<(), ProtocolError>,
        id: Option<&str>,
        revision: Revision,
        reply: EncodedReply,
    ) -> EncodedReply {
        match reported {
            Ok(()) => reply,
            Err(error) => self.0.encoder.error(id, revision, &error),
        }
    }

    /// Encodes a response. Also returns the error if the request failed, its outcome could not be
    /// encoded, or there is no room for it.
    fn write(
        &self,
        id: &str,
        revision: Revision,
        caller: Option<Holder>,
        outcome: AnswerResult,
    ) -> (EncodedReply, Option<ProtocolError>) {
        let overloaded = || {
            // The error needs no room, so that every request gets a reply, however busy the server
            // is.
            let overloaded = Unavailable::Overloaded.into();
            let encoded = self.0.encoder.error(Some(id), revision, &overloaded);
            (encoded, Some(overloaded))
        };
        let mut room = self.0.unsent.room(caller);
        let known = outcome.as_ref().map_or(0, Answer::known_bytes);
        // A response that exceeds the limit for any reply gets the error for that, however busy the
        // server is.
        if known <= self.0.limits.reply_bytes && room.reserve(known).is_err() {
            return overloaded();
        }
        let (encoded, instead) = self.0.encoder.response(id, revision, outcome);
        match room.hold(encoded.bytes) {
            Ok(bytes) => (EncodedReply { bytes, ..encoded }, instead),
            Err(_no_room) => overloaded(),
        }
    }
}

/// The outcome of an operation with this reply and the underlying error.
fn ended<'a>(
    reply: &EncodedReply,
    error: Option<&'a ProtocolError>,
    is_tool_error: bool,
) -> OperationOutcome<'a> {
    match (reply.code, error) {
        (Some(code), Some(error)) => OperationOutcome::Refused { error, code },
        // The error became a tool error, which the model reads.
        (None, Some(_)) => OperationOutcome::ToolFailed,
        (_, None) if is_tool_error => OperationOutcome::ToolFailed,
        (_, None) => OperationOutcome::Served,
    }
}
