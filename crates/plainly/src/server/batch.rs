//! Several messages in one: 2025-03-26 alone has batches, and must be served them. Each request of a batch is one in
//! flight like any other: it counts, it can be cancelled, and its id is taken.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::{AbortHandle, Abortable, BoxFuture, join_all};
use plainly_errors::{ProtocolError, Revision};
use plainly_protocol::envelope::{Malformed, Message, Request};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;

use super::Server;
use super::dispatch::{Begun, Started};
use super::encode::Encoded;
use super::malformed::cancelled;

/// The messages of a batch, each judged by itself.
pub(super) type Messages<'a> = Vec<Result<Message<'a>, Malformed<'a>>>;

/// Where the requests of a batch are in flight: a stream or a session.
pub(super) trait InFlight {
    /// Remembers a request for as long as it lives.
    type Tracked: Send + 'static;

    /// Whether a request of this id may start.
    fn check(&self, id: &RequestId) -> Result<(), ProtocolError>;

    /// Whether one more handler may run: what is refused must not have begun.
    fn check_room(&self) -> Result<(), ProtocolError>;

    /// Takes in a request that runs on, and what cancels it.
    fn track(&mut self, id: &RequestId, abort: AbortHandle) -> Self::Tracked;

    /// Cancels the request, if it runs.
    fn cancel(&mut self, id: &RequestId);
}

/// A batch whose handlers run. Dropping it cancels them.
pub(super) struct Batch<T>(Vec<Entry<T>>);

enum Entry<T> {
    Answered(Encoded),
    Running {
        id: RequestId,
        abort: AbortHandle,
        finishing: Abortable<BoxFuture<'static, Encoded>>,
        tracked: T,
    },
}

/// What a batch ends with.
pub(super) struct Replies {
    /// The requests that were in flight, without those that were cancelled.
    pub(super) ids: Vec<RequestId>,
    /// The array of the responses, in the order of the requests; nothing if none wants one.
    pub(super) bytes: Option<Bytes>,
}

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

    /// Starts every message.
    pub(super) async fn start_batch<F: InFlight>(
        &self,
        peer: &Arc<Peer>,
        messages: Messages<'_>,
        in_flight: &mut F,
    ) -> Batch<F::Tracked> {
        let mut entries = Vec::new();
        for message in messages {
            match message {
                Ok(Message::Request(request)) => {
                    let entry = self.start_of_batch(peer, &request, in_flight).await;
                    entries.push(entry.unwrap_or_else(|error| {
                        Entry::Answered(self.respond(
                            request.id.as_raw(),
                            peer.revision,
                            Err(error),
                        ))
                    }));
                }
                Ok(Message::Notification(notification)) => {
                    if let Some(id) = cancelled(&notification) {
                        in_flight.cancel(&id);
                    }
                }
                Ok(Message::Response(_)) => {}
                Err(malformed) => {
                    entries.push(Entry::Answered(self.malformed(&malformed, peer.revision)));
                }
            }
        }
        Batch(entries)
    }

    async fn start_of_batch<F: InFlight>(
        &self,
        peer: &Arc<Peer>,
        request: &Request<'_>,
        in_flight: &mut F,
    ) -> Result<Entry<F::Tracked>, ProtocolError> {
        if request.method == Method::Initialize.name() {
            return Err(ProtocolError::invalid_request(
                "Invalid request: initialize can't be part of a batch",
            ));
        }
        let id = request.id.to_owned();
        in_flight.check(&id)?;
        let running = match self.start(request, peer) {
            Started::Done(encoded) => return Ok(Entry::Answered(encoded)),
            Started::Running(running) => running,
        };
        in_flight.check_room()?;
        let finishing = match running.begin().await {
            Begun::Done(encoded) => return Ok(Entry::Answered(encoded)),
            Begun::Pending(finishing) => finishing,
        };
        let (abort, registration) = AbortHandle::new_pair();
        Ok(Entry::Running {
            tracked: in_flight.track(&id, abort.clone()),
            id,
            abort,
            finishing: Abortable::new(finishing, registration),
        })
    }
}

impl<T> Batch<T> {
    /// Waits for all handlers.
    pub(super) async fn finish(self) -> Replies {
        let finished = join_all(self.0.into_iter().map(Entry::finish)).await;
        let mut ids = Vec::new();
        let mut out = vec![b'['];
        for Finished { encoded, running } in finished {
            if let Some((id, abort, _tracked)) = running {
                // One may have been cancelled after it finished, while others still ran.
                if abort.is_aborted() {
                    continue;
                }
                ids.push(id);
            }
            let Some(encoded) = encoded else { continue };
            if out.len() > 1 {
                out.push(b',');
            }
            out.extend_from_slice(&encoded.bytes);
        }
        out.push(b']');
        let bytes = (out.len() > 2).then(|| out.into());
        Replies { ids, bytes }
    }
}

struct Finished<T> {
    encoded: Option<Encoded>,
    running: Option<(RequestId, AbortHandle, T)>,
}

impl<T> Entry<T> {
    async fn finish(self) -> Finished<T> {
        match self {
            Self::Answered(encoded) => Finished {
                encoded: Some(encoded),
                running: None,
            },
            Self::Running {
                id,
                abort,
                finishing,
                tracked,
            } => Finished {
                encoded: finishing.await.ok(),
                running: Some((id, abort, tracked)),
            },
        }
    }
}
