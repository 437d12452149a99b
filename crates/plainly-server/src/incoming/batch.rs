//! Batches, several messages in one, which only 2025-03-26 has and requires. Each request of a
//! batch is in flight like any other: it counts, it can be cancelled, and its id is in use. The
//! responses are one message, which must not exceed the size of a single response.

use std::collections::{BTreeMap, HashSet};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::stream::SelectAll;
use futures_util::{Stream, StreamExt};
use http::Extensions;
use plainly_errors::{Internal, InvalidRequest, ProtocolError, Revision};
use plainly_protocol::envelope::{MalformedMessage, Message, Object, Request};
use plainly_protocol::meta::RequestMeta;
use plainly_protocol::method::Method;
use plainly_protocol::peer::Peer;

use crate::Server;
use crate::incoming::elsewhere::cancel;
use crate::incoming::malformed::{UnservedMessage, cancelled, error_of};
use crate::operation::Arrival;
use crate::outgoing::encode::EncodedReply;
use crate::outgoing::{Departure, ReplySource};
use crate::replies::Replies;
use crate::request::{Interest, Scope};
use crate::resolve::ResolveError;
use crate::sessions::session::Session;
use plainly_transport::quota::Holder;

/// The messages of a batch, each checked separately.
pub(crate) type BatchMessages<'a> = Vec<Result<Message<'a>, MalformedMessage<'a>>>;

/// A running batch: the messages of its handlers and, at the end, all responses as one message, or
/// none if no message expects a response. Dropping it cancels the handlers.
#[derive(Debug)]
struct Batch {
    replies: Option<BatchReplies>,
    running: SelectAll<Part>,
}

/// One request of a batch.
#[derive(Debug)]
struct Part {
    place: usize,
    id: Box<str>,
    replies: Replies,
}

/// The fault of the first of `messages`, if none of them can be answered.
pub(crate) fn unanswerable<'m, 'a>(
    messages: &'m BatchMessages<'a>,
) -> Option<&'m MalformedMessage<'a>> {
    let is_unreadable = |message: &Result<_, MalformedMessage<'_>>| matches!(message, Err(malformed) if malformed.id.is_none());
    messages
        .first()
        .filter(|_| messages.iter().all(is_unreadable))
        .and_then(|first| first.as_ref().err())
}

/// The ids of the messages that can be answered, as JSON.
pub(crate) fn ids<'a>(messages: &BatchMessages<'a>) -> impl Iterator<Item = &'a str> {
    messages.iter().filter_map(|message| match message {
        Ok(Message::Request(request)) => Some(request.id.as_raw()),
        Ok(Message::Notification(_) | Message::Response(_)) => None,
        Err(malformed) => Some(malformed.id?.as_raw()),
    })
}

impl Server {
    /// Whether `peer` may send batches. The error names the revision that may.
    pub(crate) fn accepts_batches(peer: Option<&Peer>) -> Result<(), ProtocolError> {
        if peer.is_some_and(|peer| peer.revision.traits().batches) {
            return Ok(());
        }
        Err(ProtocolError::invalid_request(
            "Invalid request: send one message at a time; only 2025-03-26 has batches",
        ))
    }

    /// Serves every message of a batch within a session.
    pub(crate) fn serve_batch(
        &self,
        arrival: Arrival,
        session: &Arc<Session>,
        extensions: &Extensions,
        messages: BatchMessages<'_>,
    ) -> Replies {
        let revision = session.peer.revision;
        let mut joined = BatchReplies::new(self.clone(), arrival, &session.peer);
        // An id whose request was already answered is free again in the session, but two responses
        // with the same id in one message could not be distinguished.
        let (mut ids, mut running) = (HashSet::new(), SelectAll::new());
        for (place, message) in messages.into_iter().enumerate() {
            match message {
                Ok(Message::Request(request)) => {
                    let (id, owned) = (request.id.as_raw(), request.id.to_owned());
                    let arrival = part(arrival, request.params.as_ref());
                    // Admission rejects an id that is in flight. Later in the batch it may be free,
                    // if a cancellation comes in between.
                    let is_new = session.in_flight.has(&owned) || ids.insert(owned);
                    if let Err(error) = check_part(&request, is_new) {
                        let unresolved = ResolveError { error, revision };
                        let refusal = self.unresolved(arrival, &request, &unresolved);
                        joined.add(place, refusal.bytes);
                        continue;
                    }
                    let scope = scope(session, extensions, &request).arrived(arrival);
                    let mut replies = self.dispatch(&request, scope, Some(&session.in_flight));
                    // Begun before the next part is read, so that a cancellation later in the batch
                    // finds the request in flight.
                    match replies.begin() {
                        Some(reply) => joined.fit(place, id, reply),
                        None => running.push(Part {
                            place,
                            id: id.into(),
                            replies,
                        }),
                    }
                }
                Ok(Message::Notification(notification)) => {
                    if let Some(id) = cancelled(&notification) {
                        cancel(session, id);
                    }
                    let arrival = part(arrival, notification.params.as_ref());
                    let observer = &self.0.observer;
                    observer.accepted(arrival, Some(&session.peer), &notification);
                }
                Ok(Message::Response(response)) => session.unanswered.answer(&response),
                Err(malformed) if malformed.id.is_some() => {
                    joined.add(
                        place,
                        self.malformed(arrival.part(0), &malformed, revision).bytes,
                    );
                }
                Err(malformed) => {
                    let message = UnservedMessage::new(arrival, revision);
                    let why = "the revision has no error without an id";
                    self.ignore(message, &error_of(&malformed), why);
                }
            }
        }
        let replies = Some(joined);
        Replies::from_source(Batch { replies, running })
    }
}

/// The arrival of a message with these parameters within a batch.
fn part(arrival: Arrival, params: Option<&Object<'_>>) -> Arrival {
    arrival.part(params.map_or(0, |it| it.raw().len()))
}

/// Rejects requests that can't be part of a batch.
fn check_part(request: &Request<'_>, is_new: bool) -> Result<(), ProtocolError> {
    // 2025-03-26, "Lifecycle": no other request is allowed until it is answered.
    if request.method == Method::Initialize.name() {
        return Err(ProtocolError::invalid_request(
            "Invalid request: initialize can't be part of a batch",
        ));
    }
    match is_new {
        true => Ok(()),
        false => Err(InvalidRequest::DuplicateId.into()),
    }
}

impl Stream for Part {
    type Item = (usize, Box<str>, Departure);

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        let outgoing = ready!(this.replies.poll_next_unpin(context));
        Poll::Ready(outgoing.map(|outgoing| (this.place, this.id.clone(), outgoing)))
    }
}

impl ReplySource for Batch {
    fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Departure>> {
        while let Some((place, id, outgoing)) = ready!(self.running.poll_next_unpin(context)) {
            match (outgoing, &mut self.replies) {
                (Departure::Reply(reply), Some(replies)) => replies.fit(place, &id, reply),
                (outgoing, _) => return Poll::Ready(Some(outgoing)),
            }
        }
        Poll::Ready(
            self.replies
                .take()
                .and_then(BatchReplies::join)
                .map(Departure::Reply),
        )
    }

    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let mut ended = Poll::Ready(());
        // A part that is polled here wakes only the caller. Pushed again, each part is polled again
        // in its turn.
        for mut part in std::mem::take(&mut self.running) {
            if part.replies.poll_end(context).is_pending() {
                ended = Poll::Pending;
            }
            self.running.push(part);
        }
        ended
    }

    fn stop(&mut self) {
        self.running.iter_mut().for_each(|part| part.replies.stop());
    }
}

/// The context in which a part of a batch is served.
fn scope(session: &Arc<Session>, extensions: &Extensions, request: &Request<'_>) -> Scope {
    let wants = Interest::of(&RequestMeta::of(request.params.as_ref()));
    Scope::within(session, wants).carrying(extensions)
}

/// The responses so far, by the positions of their requests.
#[derive(Debug)]
struct BatchReplies {
    server: Server,
    arrival: Arrival,
    revision: Revision,
    caller: Option<Holder>,
    written: BTreeMap<usize, Bytes>,
    /// The number of bytes left for responses.
    room: usize,
}

impl BatchReplies {
    fn new(server: Server, arrival: Arrival, peer: &Peer) -> Self {
        Self {
            room: server.limits().reply_bytes,
            server,
            arrival: arrival.part(0),
            revision: peer.revision,
            caller: Holder::of(peer.principal.as_ref(), arrival.transport.client()),
            written: BTreeMap::new(),
        }
    }

    /// Adds the response to the request `id`, or an error if there is no room for it.
    fn fit(&mut self, place: usize, id: &str, reply: EncodedReply) {
        if reply.bytes.len() <= self.room {
            return self.add(place, reply.bytes);
        }
        // Releases the response's memory and its room among the unsent responses before the error
        // is written.
        drop(reply);
        let limit = self.server.limits().reply_bytes as u64;
        let error = Internal::ReplyTooLarge { limit }.into();
        let message = UnservedMessage {
            id: Some(id),
            ..UnservedMessage::new(self.arrival, self.revision)
        };
        let refusal = self.server.refusal(message, &error);
        self.add(place, refusal.bytes);
    }

    /// Adds a response. An error is small and is never left out.
    fn add(&mut self, place: usize, reply: Bytes) {
        self.room = self.room.saturating_sub(reply.len());
        self.written.insert(place, reply);
    }

    fn join(self) -> Option<EncodedReply> {
        if self.written.is_empty() {
            return None;
        }
        let bytes: usize = self.written.values().map(|reply| reply.len() + 1).sum();
        let mut out = Vec::with_capacity(bytes + 1);
        let server = self.server;
        for reply in self.written.into_values() {
            out.push(if out.is_empty() { b'[' } else { b',' });
            out.extend_from_slice(&reply);
        }
        out.push(b']');
        // The parts had room a moment ago, so the whole is sent even if there is none left.
        let held = server.0.unsent.room(self.caller).hold(out.into());
        Some(EncodedReply {
            http_status: 200,
            code: None,
            bytes: held.unwrap_or_else(|no_room| no_room),
        })
    }
}
