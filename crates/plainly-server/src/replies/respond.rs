//! From the outcome of a request to its one response, in bytes: within the room that there is for large replies.

use plainly_errors::{ProtocolError, Revision, Unavailable};
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;

use crate::Server;
use crate::answer::{Answer, MethodResult};
use crate::handling::AnswerResult;
use crate::outgoing::access::{Transport, Unserved};
use crate::outgoing::encode::Encoded;
use crate::request::Scope;
use plainly_transport::quota::Holder;

impl Server {
    /// The reply to `initialize`, the request `id`.
    pub(crate) fn initialize(&self, transport: Transport, id: &str, peer: &Peer) -> Encoded {
        let mut result = self.0.discovery.initialize(peer);
        let meta = result.meta.take();
        let answer = MethodResult::new(result, meta).into();
        let (reply, _error) = self.write(id, peer.revision, None, Ok(answer));
        let principal = peer.principal.as_ref().map(|one| one.as_str());
        let message = Unserved {
            method: Some(Method::Initialize.name()),
            ..Unserved::new(transport, peer.revision)
        };
        reply.log(message, principal);
        reply
    }

    /// Writes the response to a request in this context, and logs both how it went and its error.
    pub(crate) fn respond(&self, id: &str, scope: &Scope, outcome: AnswerResult) -> Encoded {
        if let Err(error) = &outcome {
            self.0.errors.report(scope.asker(), error);
        }
        let is_tool_error = matches!(&outcome, Ok(Answer::Tool(result)) if result.is_tool_error());
        let (reply, instead) = self.write(id, scope.peer().revision, scope.caller(), outcome);
        if let Some(error) = &instead {
            self.0.errors.report(scope.asker(), error);
        }
        scope
            .asker()
            .log(Some(&reply), is_tool_error || instead.is_some());
        reply
    }

    /// Writes a response; and its error, if the outcome could not be written, or there is no room
    /// for it.
    fn write(
        &self,
        id: &str,
        revision: Revision,
        caller: Option<Holder>,
        outcome: AnswerResult,
    ) -> (Encoded, Option<ProtocolError>) {
        let overloaded = || {
            // The error takes no room of its own, so every request gets a reply, however full the server is.
            let overloaded = Unavailable::Overloaded.into();
            let encoded = self.0.encoder.error(Some(id), revision, &overloaded);
            (encoded, Some(overloaded))
        };
        let mut room = self.0.unsent.room(caller);
        let known = outcome.as_ref().map_or(0, Answer::known_bytes);
        // One that is too large for any reply is refused for that, however full the server is.
        if known <= self.0.limits.reply_bytes && room.reserve(known).is_err() {
            return overloaded();
        }
        let (encoded, instead) = self.0.encoder.response(id, revision, outcome);
        match room.hold(encoded.bytes) {
            Ok(bytes) => (Encoded { bytes, ..encoded }, instead),
            Err(_no_room) => overloaded(),
        }
    }
}
