//! The last event of a stream. If this replica is gone, another one sends it to the client in place
//! of the response.

use bytes::Bytes;
use plainly_errors::ProtocolError;
use plainly_protocol::envelope::{Message, Request};
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;
use plainly_protocol::types::{CallToolResult, Content};

use crate::Server;
use crate::answer::Answer;
use crate::incoming::batch::BatchMessages;

/// The message. It makes no promise, because the handler ran until its process ended.
const GONE: &str = "The server that ran this is gone; it may have been carried out.";

impl Server {
    /// The last event in place of the response to a request.
    pub(super) fn last_word(&self, request: &Request<'_>, peer: &Peer) -> Bytes {
        let (encoder, id) = (&self.0.encoder, request.id.as_raw());
        let is_tool = request.method == Method::CallTool.name();
        let reply = match is_tool {
            true => {
                let told = CallToolResult::new([Content::text(GONE)]).is_error(true);
                encoder
                    .response(id, peer.revision, Ok(Answer::Tool(told)))
                    .0
            }
            false => encoder.error(Some(id), peer.revision, &ProtocolError::internal(GONE)),
        };
        reply.bytes
    }

    /// The last event in place of the responses to a batch.
    pub(super) fn last_words(&self, messages: &BatchMessages<'_>, peer: &Peer) -> Bytes {
        let requests = messages.iter().filter_map(|message| match message {
            Ok(Message::Request(request)) => Some(self.last_word(request, peer)),
            Ok(Message::Notification(_) | Message::Response(_)) | Err(_) => None,
        });
        let words: Vec<Bytes> = requests.collect();
        [b"[", &*words.join(&b','), b"]"].concat().into()
    }
}
