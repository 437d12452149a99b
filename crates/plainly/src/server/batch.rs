//! Several messages in one: 2025-03-26 alone has batches, and must be served them. Each request of a batch is one in
//! flight like any other: it counts, it can be cancelled, and its id is taken. The replies are one message, and all
//! together no larger than one may be.

use std::collections::{BTreeMap, HashSet};

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use plainly_errors::{Internal, InvalidRequest, ProtocolError, Revision};
use plainly_protocol::envelope::{Malformed, Message, Request};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;

use super::Server;
use super::dispatch::{Begun, Started};
use super::encode::Encoded;
use super::malformed::cancelled;
use super::session::Session;

/// The messages of a batch, each judged by itself.
pub(super) type Messages<'a> = Vec<Result<Message<'a>, Malformed<'a>>>;

/// A batch whose handlers run. Dropping it cancels them.
pub(super) struct Batch {
    replies: Replies,
    ids: HashSet<RequestId>,
    running: FuturesUnordered<BoxFuture<'static, Ended>>,
}

/// A request that runs no more; without a reply if it was cancelled.
struct Ended {
    place: usize,
    id: Box<str>,
    reply: Option<Encoded>,
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

    /// Starts every message of a session.
    pub(super) async fn start_batch(&self, session: &Session, messages: Messages<'_>) -> Batch {
        let revision = session.peer.revision;
        let mut batch = Batch {
            replies: Replies::new(self.clone(), revision),
            ids: HashSet::new(),
            running: FuturesUnordered::new(),
        };
        for (place, message) in messages.into_iter().enumerate() {
            match message {
                Ok(Message::Request(request)) => {
                    batch.start(place, session, &request).await;
                }
                Ok(Message::Notification(notification)) => {
                    if let Some(id) = cancelled(&notification) {
                        session.in_flight.cancel(&id);
                    }
                }
                Ok(Message::Response(_)) => {}
                Err(malformed) => {
                    let answer = self.malformed(&malformed, revision);
                    batch.replies.add(place, answer.bytes);
                }
            }
        }
        batch
    }
}

impl Batch {
    async fn start(&mut self, place: usize, session: &Session, request: &Request<'_>) {
        let raw = request.id.as_raw();
        let server = self.replies.server.clone();
        match self.begin(&server, session, request).await {
            Ok(Begun::Done(reply)) => self.replies.fit(place, raw, reply),
            Ok(Begun::Pending(finishing)) => {
                let tracked = session.in_flight.track(&request.id.to_owned());
                let (id, revision) = (Box::<str>::from(raw), session.peer.revision);
                self.running.push(Box::pin(async move {
                    let instead = || server.shutting_down(&id, revision);
                    let reply = match tracked {
                        Some(tracked) => tracked.run(finishing, instead).await,
                        None => Some(finishing.await),
                    };
                    Ended { place, id, reply }
                }));
            }
            Err(error) => {
                let refusal = server.respond(raw, session.peer.revision, Err(error));
                self.replies.add(place, refusal.bytes);
            }
        }
    }

    async fn begin(
        &mut self,
        server: &Server,
        session: &Session,
        request: &Request<'_>,
    ) -> Result<Begun, ProtocolError> {
        if request.method == Method::Initialize.name() {
            return Err(ProtocolError::invalid_request(
                "Invalid request: initialize can't be part of a batch",
            ));
        }
        let id = request.id.to_owned();
        session.in_flight.check(&id)?;
        if !self.ids.insert(id) {
            return Err(InvalidRequest::DuplicateId.into());
        }
        match server.start(request, &session.peer, Some(&session.news)) {
            Started::Done(reply) => Ok(Begun::Done(reply)),
            Started::Running(running) => {
                session.in_flight.check_room()?;
                Ok(running.begin().await)
            }
            // No revision that has batches has this.
            Started::Listening(_) => Err(ProtocolError::method_not_found(&*request.method)),
        }
    }

    /// Waits for all handlers, and gives the array of the replies; nothing if no message wants one.
    pub(super) async fn finish(mut self) -> Option<Bytes> {
        while let Some(Ended { place, id, reply }) = self.running.next().await {
            if let Some(reply) = reply {
                self.replies.fit(place, &id, reply);
            }
        }
        self.replies.join()
    }
}

/// The replies so far, by the places of their requests.
struct Replies {
    server: Server,
    revision: Revision,
    written: BTreeMap<usize, Bytes>,
    /// How many more bytes there may be.
    room: usize,
}

impl Replies {
    fn new(server: Server, revision: Revision) -> Self {
        Self {
            room: server.limits().reply_bytes,
            server,
            revision,
            written: BTreeMap::new(),
        }
    }

    /// Adds the reply to the request `id`, or an error if there is no room for it.
    fn fit(&mut self, place: usize, id: &str, reply: Encoded) {
        if reply.bytes.len() <= self.room {
            return self.add(place, reply.bytes);
        }
        drop(reply);
        let limit = self.server.limits().reply_bytes as u64;
        let error = Internal::ReplyTooLarge { limit }.into();
        let refusal = self.server.respond(id, self.revision, Err(error));
        self.add(place, refusal.bytes);
    }

    /// Adds a reply; an error is small, and never left out.
    fn add(&mut self, place: usize, reply: Bytes) {
        self.room = self.room.saturating_sub(reply.len());
        self.written.insert(place, reply);
    }

    fn join(self) -> Option<Bytes> {
        if self.written.is_empty() {
            return None;
        }
        let bytes: usize = self.written.values().map(|reply| reply.len() + 1).sum();
        let mut out = Vec::with_capacity(bytes + 1);
        for reply in self.written.into_values() {
            out.push(if out.is_empty() { b'[' } else { b',' });
            out.extend_from_slice(&reply);
        }
        out.push(b']');
        Some(out.into())
    }
}
