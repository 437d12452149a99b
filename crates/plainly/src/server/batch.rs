//! Several messages in one: 2025-03-26 alone has batches, and must be served them.

use std::future::Future;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::FuturesOrdered;
use plainly_errors::{ProtocolError, Revision};
use plainly_protocol::envelope::{Malformed, Message};
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;

use super::Server;
use super::dispatch::Started;

/// The messages of a batch, each judged by itself.
pub(super) type Messages<'a> = Vec<Result<Message<'a>, Malformed<'a>>>;

impl Server {
    /// Whether `peer` may send batches; the error says who may.
    pub(super) fn accepts_batches(peer: Option<&Peer>) -> Result<(), ProtocolError> {
        if peer.is_some_and(|peer| peer.revision == Revision::V2025_03_26) {
            return Ok(());
        }
        Err(ProtocolError::invalid_request(
            "Invalid request: send one message at a time; only 2025-03-26 has batches",
        ))
    }

    /// Starts every message, and gives the array of their responses in the same order; nothing if none wants one.
    pub(super) fn start_batch(
        &self,
        peer: &Arc<Peer>,
        messages: Messages<'_>,
    ) -> impl Future<Output = Option<Bytes>> + Send + use<> {
        let started = messages
            .into_iter()
            .filter_map(|message| self.start_of_batch(peer, message));
        let finishing = started.map(|started| async move {
            match started {
                Started::Done(encoded) => encoded,
                Started::Running(running) => running.finish().await,
            }
        });
        let mut finishing: FuturesOrdered<_> = finishing.collect();
        async move {
            let mut out = vec![b'['];
            while let Some(encoded) = finishing.next().await {
                if out.len() > 1 {
                    out.push(b',');
                }
                out.extend_from_slice(&encoded.bytes);
            }
            out.push(b']');
            (out.len() > 2).then(|| out.into())
        }
    }

    fn start_of_batch(
        &self,
        peer: &Arc<Peer>,
        message: Result<Message<'_>, Malformed<'_>>,
    ) -> Option<Started> {
        match message {
            Ok(Message::Request(request)) if request.method == Method::Initialize.name() => {
                let error = ProtocolError::invalid_request(
                    "Invalid request: initialize can't be part of a batch",
                );
                Some(Started::Done(self.respond(
                    request.id.as_raw(),
                    peer.revision,
                    Err(error),
                )))
            }
            Ok(Message::Request(request)) => Some(self.start(&request, peer)),
            Ok(Message::Notification(_) | Message::Response(_)) => None,
            Err(malformed) => Some(Started::Done(self.malformed(&malformed, peer.revision))),
        }
    }
}
