//! Serves one peer over messages: requests run concurrently, and responses are sent as soon as they
//! are ready. A legacy session, if one is opened, belongs to the connection.

mod throttle;

use std::future::{Future, poll_fn};
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::future::Either;
use futures_util::stream::SelectAll;
use futures_util::{FutureExt, StreamExt};
use http::Extensions;
use plainly_errors::{InvalidRequest, ProtocolError, Revision};
use plainly_protocol::envelope::{
    self, Envelope, IdSearch, MalformedKind, MalformedMessage, Message, Request,
};
use plainly_protocol::id::{RawId, RequestId};
use plainly_protocol::peer::Peer;
use tokio::time::timeout;

use self::throttle::Throttle;
use crate::Server;
use crate::in_flight::InFlight;
use crate::incoming::batch::{BatchMessages, ids};
use crate::incoming::malformed::{UnservedMessage, cancelled, error_of};
use crate::operation::{Arrival, Transport};
use crate::outgoing::Departure;
use crate::replies::Replies;
use crate::resolve::{self, ResolveError, Sender};
use crate::sessions::ended::ConnectionSession;
use crate::sessions::session::Session;
use crate::store::Viewer;
use plainly_transport::quota::Holder;
use plainly_transport::{ConnectionMemory, FlushProgress, Inbound, Messages};

/// The time for a peer to read the last responses after its requests were ended.
const LAST_WORDS: Duration = Duration::from_secs(1);
/// Responses are flushed once this many bytes wait, even if more messages have arrived, so that the
/// peer can process some while the rest are served. With sixteen times as much, the two took turns,
/// and half of the time neither core did anything.
const FLUSH: usize = 4 << 10;

/// A connection to a peer.
pub(crate) struct Connection<M> {
    server: Server,
    /// The extensions that are added to every request.
    extensions: Extensions,
    memory: ConnectionMemory,
    messages: M,
    /// The number of bytes that are sent but not flushed, plus one for each message.
    unflushed: usize,
    session: Option<Arc<Session>>,
    /// The connection as a session, if the ends of sessions are observed.
    observed: Option<ConnectionSession>,
    /// The responses of the running requests, and the stream of the session.
    running: SelectAll<Replies>,
    /// Whether the last turn sent a message of `running`.
    has_spoken: bool,
    in_flight: Arc<InFlight>,
    throttle: Throttle,
}

impl<M: Messages> Connection<M> {
    pub(crate) fn new(server: Server, extensions: Extensions, messages: M) -> Self {
        Self {
            in_flight: InFlight::new(server.limits()),
            observed: server.0.sessions.observer.connection(),
            server,
            extensions,
            memory: ConnectionMemory::new(),
            messages,
            unflushed: 0,
            session: None,
            running: SelectAll::new(),
            has_spoken: false,
            throttle: Throttle::default(),
        }
    }

    /// Serves the peer until it ends the connection or `stop` resolves, then finishes the running
    /// requests.
    pub(crate) async fn serve(mut self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let served = self.run(stop).await;
        if let (Some(observed), Err(error)) = (&mut self.observed, &served) {
            observed.error = Some(error.kind());
        }
        served
    }

    async fn run(&mut self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let mut stop = pin!(stop.fuse());
        loop {
            // All received messages are processed before anything is awaited, so that the responses
            // to a burst need few flushes.
            self.take_all().await?;
            let next = tokio::select! {
                biased;
                // Polled first, because a peer that sends without pause must not keep the server
                // from stopping.
                () = &mut stop => break,
                next = self.next() => next,
            };
            match next {
                Either::Left(outgoing) => self.send(outgoing),
                Either::Right(received) => match received? {
                    Some(inbound) => self.take(inbound),
                    None => break,
                },
            }
        }
        // Subscriptions never end by themselves, so waiting for them would always take the whole
        // time for shutdown.
        self.in_flight.stop_subscriptions();
        // From here on no question can be answered, and no change is reported.
        self.session.iter().for_each(|session| session.close());
        let shutdown = self.server.limits().shutdown;
        tokio::select! {
            finished = timeout(shutdown, self.finish()) => if let Ok(finished) = finished {
                return finished;
            },
            // After a peer that finished sending, nobody is left who would wait for its requests.
            () = &mut stop => {}
        }
        // Requests that are still running get an error. A peer that doesn't even read that is given
        // up.
        self.in_flight.stop_all();
        timeout(LAST_WORDS, self.finish()).await.unwrap_or(Ok(()))
    }

    /// Processes every message that has already arrived, and flushes the responses.
    async fn take_all(&mut self) -> io::Result<()> {
        while let Some(inbound) = self.messages.take_buffered() {
            self.take(inbound);
            // Otherwise all responses to a peer that sends without pause would be stored in memory.
            if self.unflushed >= FLUSH {
                self.flush().await?;
            }
        }
        self.flush().await
    }

    /// Finishes the running requests and closes the connection. If dropped in between, the next
    /// call continues.
    async fn finish(&mut self) -> io::Result<()> {
        while let Some(outgoing) = self.running.next().await {
            self.send(outgoing);
            self.flush().await?;
        }
        self.flush().await?;
        // All messages were sent, so a peer that has disconnected by now misses nothing.
        if let Err(error) = poll_fn(|context| self.messages.poll_close(context)).await {
            tracing::debug!(%error, "a connection was not closed cleanly");
        }
        Ok(())
    }

    /// The next message to or from the peer, in the order of their arrival. If both are ready, they
    /// take turns, so that neither delays the other. Cancel-safe.
    async fn next(&mut self) -> Either<Departure, io::Result<Option<Inbound>>> {
        let received = poll_fn(|context| self.messages.poll_receive(context));
        let next = if std::mem::take(&mut self.has_spoken) {
            tokio::select! {
                biased;
                received = received => Either::Right(received),
                Some(outgoing) = self.running.next() => Either::Left(outgoing),
            }
        } else {
            tokio::select! {
                biased;
                Some(outgoing) = self.running.next() => Either::Left(outgoing),
                received = received => Either::Right(received),
            }
        };
        self.has_spoken = matches!(next, Either::Left(_));
        next
    }

    /// Flushes the sent responses. If dropped in between, the next call continues.
    async fn flush(&mut self) -> io::Result<()> {
        let most = self.server.limits().write_stall;
        // The time limit restarts with each part that the peer reads.
        while self.unflushed > 0 {
            let flushing = poll_fn(|context| self.messages.poll_flush(context));
            let progress = timeout(most, flushing).await.map_err(|_elapsed| {
                let why = format!("the peer read none of its replies for {most:?}");
                io::Error::new(io::ErrorKind::TimedOut, why)
            })?;
            if progress? == FlushProgress::Complete {
                self.unflushed = 0;
            }
        }
        Ok(())
    }

    fn take(&mut self, inbound: Inbound) {
        let server = self.server.clone();
        let limits = server.limits();
        let bytes = match inbound {
            // Not every transport applies the limit.
            Inbound::Message(bytes) if bytes.len() <= limits.message_bytes => bytes,
            Inbound::Message(bytes) => {
                let mut search = IdSearch::default();
                search.push(&bytes);
                return self.refuse_too_large(search.id());
            }
            Inbound::TooLong { id } => return self.refuse_too_large(id),
        };
        let arrival = server.0.observer.arrival(Transport::Stream, bytes.len());
        match envelope::parse(&bytes, &limits.envelope) {
            Ok(Envelope::Single(Message::Request(request))) => self.request(arrival, &request),
            Ok(Envelope::Single(Message::Notification(notification))) => {
                // All other notifications, such as `notifications/initialized`, need no action by a
                // server.
                if let Some(id) = cancelled(&notification) {
                    self.in_flight.cancel(&id);
                }
                let peer = self.session.as_ref().map(|session| &*session.peer);
                server.0.observer.accepted(arrival, peer, &notification);
            }
            Ok(Envelope::Single(Message::Response(response))) => match &self.session {
                Some(session) => session.unanswered.answer(&response),
                None => tracing::debug!("ignored a response: no request is open"),
            },
            Ok(Envelope::Batch(messages)) => self.batch(arrival, messages),
            Err(malformed) => self.malformed(arrival, &malformed),
        }
    }

    fn request(&mut self, arrival: Arrival, request: &Request<'_>) {
        let session = self.session.as_ref();
        match resolve::over_stream(request, &self.extensions, &self.memory, session) {
            // Not admitted, because it is answered immediately and clients must not cancel it
            // (2025-11-25, "Cancellation").
            Ok(Sender::Opening) => self.open(arrival, request),
            Ok(Sender::Peer(scope)) => {
                self.heard(scope.peer().revision);
                let scope = scope.arrived(arrival);
                let mut replies = self.server.dispatch(request, scope, Some(&self.in_flight));
                // Most requests are answered at once and need not wait for others.
                match replies.begin() {
                    Some(reply) => self.push(reply.bytes),
                    None => self.running.push(replies),
                }
            }
            Err(unresolved) => {
                let encoded = self.server.unresolved(arrival, request, &unresolved);
                self.push(encoded.bytes);
            }
        }
    }

    /// Records the revision of a client that identified itself.
    fn heard(&mut self, revision: Revision) {
        if let Some(observed) = &mut self.observed {
            observed.revision = Some(revision);
        }
    }

    fn open(&mut self, arrival: Arrival, request: &Request<'_>) {
        // An id in flight is in use for this request too, because the client could not distinguish
        // the two responses.
        let opening = match self.in_flight.has(&request.id.to_owned()) {
            true => Err(ResolveError {
                error: InvalidRequest::DuplicateId.into(),
                revision: Revision::LATEST_LEGACY,
            }),
            false => resolve::opening(request, &self.extensions, self.server.limits()),
        };
        let encoded = match opening {
            Ok(peer) => {
                let encoded = self.server.initialize(arrival, request, &peer);
                self.begin_session(peer);
                encoded
            }
            Err(unresolved) => self.server.unresolved(arrival, request, &unresolved),
        };
        self.push(encoded.bytes);
    }

    /// Begins the session of the connection, replacing an earlier one.
    fn begin_session(&mut self, peer: Peer) {
        self.heard(peer.revision);
        // Requests in flight belong to the connection: those of an earlier session continue, and
        // their ids stay in use.
        let (peer, in_flight) = (Arc::new(peer), Arc::clone(&self.in_flight));
        let caller = Holder::of(peer.principal.as_ref(), None);
        let caller = caller.or_else(|| self.extensions.get().cloned());
        let topics = self.server.0.subscriptions.topics(caller.clone());
        let session = Session::new(peer, in_flight, topics, self.server.limits());
        let session = Arc::new(match &self.session {
            Some(before) => session.after(before),
            None => session,
        });
        // If there is no room for another listener or nothing to announce, the client gets no
        // notifications of changes.
        let viewer = Viewer::with(&session.peer, &self.extensions);
        let subscriptions = &self.server.0.subscriptions;
        if let Ok(listener) = subscriptions.open_stream(&session, caller, &viewer) {
            self.running.push(Replies::notifications(listener.boxed()));
        }
        if let Some(before) = self.session.replace(session) {
            before.close();
        }
    }

    fn send(&mut self, outgoing: Departure) {
        if let Some(message) = outgoing.into_bytes() {
            self.push(message);
        }
    }

    fn batch(&mut self, arrival: Arrival, messages: BatchMessages<'_>) {
        let peer = self.session.as_ref().map(|session| &*session.peer);
        let accepted = Server::accepts_batches(peer);
        let (Ok(()), Some(session)) = (&accepted, &self.session) else {
            let error = accepted
                .err()
                .unwrap_or_else(|| InvalidRequest::SessionRequired.into());
            return self.refuse_batch(arrival, &messages, &error);
        };
        let replies = self
            .server
            .serve_batch(arrival, session, &self.extensions, messages);
        self.running.push(replies);
    }

    fn malformed(&mut self, arrival: Arrival, malformed: &MalformedMessage<'_>) {
        let (id, error) = (malformed.id, error_of(malformed));
        let message = self.unserved(arrival, id.as_ref().map(RawId::as_raw));
        if id.is_none() && malformed.kind == MalformedKind::InvalidParams {
            // JSON-RPC 2.0, section 4.1.
            return self
                .server
                .ignore(message, &error, "a notification has no answer");
        }
        self.refuse(message, &error);
    }

    /// Rejects the messages of a batch, each with its own id, because its sender would wait for
    /// them otherwise.
    fn refuse_batch(
        &mut self,
        arrival: Arrival,
        messages: &BatchMessages<'_>,
        error: &ProtocolError,
    ) {
        let mut ids = ids(messages).peekable();
        if ids.peek().is_none() {
            return self.refuse(self.unserved(arrival, None), error);
        }
        ids.for_each(|id| self.refuse(self.unserved(arrival.part(0), Some(id)), error));
    }

    /// Rejects a message that is too large to be read, with its id if that was found.
    fn refuse_too_large(&mut self, id: Option<RequestId>) {
        let id = id.map(|id| id.to_string());
        let message = self.unserved(Arrival::unread(Transport::Stream), id.as_deref());
        self.refuse(message, &self.server.limits().too_large().into());
    }

    /// Rejects a message. A message without an id gets no error if the session's revision has no
    /// such error response. The rate of such responses is limited, so that two peers that answer
    /// each other's errors don't do so endlessly.
    fn refuse(&mut self, message: UnservedMessage<'_>, error: &ProtocolError) {
        let has_id = message.id.is_some();
        if !has_id && !message.revision.traits().errors_without_id {
            let why = "the revision has no error without an id";
            return self.server.ignore(message, error, why);
        }
        if !has_id && !self.throttle.allow() {
            let why = "too many before it had no id either";
            return self.server.ignore(message, error, why);
        }
        let encoded = self.server.refusal(message, error);
        self.push(encoded.bytes);
    }

    fn unserved<'m>(&self, arrival: Arrival, id: Option<&'m str>) -> UnservedMessage<'m> {
        UnservedMessage {
            id,
            ..UnservedMessage::new(arrival, self.revision())
        }
    }

    /// The revision of messages that respond to no request.
    fn revision(&self) -> Revision {
        let session = self.session.as_ref();
        session.map_or(Revision::UNKNOWN_PEER, |session| session.peer.revision)
    }

    fn push(&mut self, message: Bytes) {
        self.unflushed += message.len() + 1;
        self.messages.send(message);
    }
}
