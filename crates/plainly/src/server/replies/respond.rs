//! From the outcome of a request to its one response, in bytes: within the room that there is for large replies.

use plainly_errors::{ErrorKind, Internal, Revision, Unavailable};
use plainly_protocol::peer::Peer;

use crate::server::Server;
use crate::server::answer::MethodResult;
use crate::server::failure::incident::chain;
use crate::server::handling::AnswerResult;
use crate::server::outgoing::encode::Encoded;

impl Server {
    /// The reply to `initialize`, the request `id`.
    pub(in crate::server) fn initialize(&self, id: &str, peer: &Peer) -> Encoded {
        let mut result = self.0.discovery.initialize(peer);
        let meta = result.meta.take();
        let answer = MethodResult::new(result, meta).into();
        self.respond(id, peer.revision, Ok(answer))
    }

    /// Writes a response, and logs an internal error. If there is no room for the response, writes an error instead.
    pub(in crate::server) fn respond(
        &self,
        id: &str,
        revision: Revision,
        outcome: AnswerResult,
    ) -> Encoded {
        if let Err(error) = &outcome
            && let ErrorKind::Internal(detail) = error.kind()
            // An incident was logged when it got its number.
            && !matches!(detail, Internal::Incident { .. })
        {
            tracing::error!(id, error = %chain(error), "a request failed inside the server");
        }
        let encoded = self.0.encoder.response(id, revision, outcome);
        let http_status = encoded.http_status;
        match self.0.unsent.hold(encoded.bytes) {
            Ok(bytes) => Encoded { http_status, bytes },
            // The error takes no room of its own, so every request gets a reply, however full the server is.
            Err(_no_room) => {
                let overloaded = Unavailable::Overloaded.into();
                self.0.encoder.error(Some(id), revision, &overloaded)
            }
        }
    }
}
