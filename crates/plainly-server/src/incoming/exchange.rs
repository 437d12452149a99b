//! Answers one HTTP request: a modern one on its own, a legacy one within its session.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderValue, StatusCode};
use plainly_errors::{InvalidRequest, ProtocolError, Refusal, Revision};
use plainly_protocol::envelope::{self, Envelope, Message, Notification, Request, Response};
use plainly_protocol::header::MCP_SESSION_ID;
use plainly_protocol::method::Method;
use plainly_protocol::trace_context::{TRACE_PARENT, TraceParent};

use crate::Server;
use crate::incoming::batch::{BatchMessages, unanswerable};
use crate::incoming::elsewhere::{cancel, take_answer};
use crate::incoming::malformed::{self, UnservedMessage};
use crate::incoming::session_replies::SessionReplies;
use crate::operation::{Arrival, Transport};
use crate::outgoing::encode::EncodedReply;
use crate::permissions::Permissions;
use crate::replies::Replies;
use crate::resolve::{self, HttpSender, LegacyRequest, ResolveError, last_event_id, session_name};
use crate::sessions::session::Session;
use crate::sessions::streams::Streams;
use crate::store::Viewer;
use plainly_transport::{Exchange, Frame, Pipe, Reply};

impl Exchange for Server {
    async fn exchange(&self, frame: &Frame) -> Reply {
        // The limit of the transport may be a different one.
        if frame.body.len() > self.limits().message_bytes {
            return self.refuse(&self.limits().too_large().into(), frame.client);
        }
        let arrival = self.arrival(frame);
        let envelope = match envelope::parse(&frame.body, &self.limits().envelope) {
            Ok(envelope) => envelope,
            Err(malformed) => {
                return reply(self.malformed(arrival, &malformed, Revision::UNKNOWN_PEER));
            }
        };
        if let Some(refusal) = self.forbidden(frame, arrival, &envelope) {
            return refusal;
        }
        // Boxed if modern clients hardly ever send it, because otherwise the future of every
        // request would be as large.
        match envelope {
            Envelope::Single(Message::Request(ref request)) => {
                self.request(frame, arrival, request).await
            }
            Envelope::Single(Message::Notification(notification)) => {
                Box::pin(self.notification(frame, arrival, &notification)).await
            }
            Envelope::Single(Message::Response(response)) => {
                Box::pin(self.response(frame, arrival, &response)).await
            }
            Envelope::Batch(messages) => Box::pin(self.batch(frame, arrival, messages)).await,
        }
    }

    async fn open_stream(&self, frame: &Frame) -> Reply {
        let opened = match resolve::by_session(frame, &self.0.sessions).await {
            // Boxed, because modern clients open no streams.
            Ok(Some(session)) => Box::pin(self.stream_of(frame, &session)).await,
            // Without a session there is no stream to open: a modern client subscribes with a
            // request.
            Ok(None) => Err(without_session("GET opens the stream of a session")),
            Err(ResolveError { error, .. }) => Err(error),
        };
        opened.unwrap_or_else(|error| self.refuse(&error, frame.client))
    }

    async fn end_session(&self, frame: &Frame) -> Reply {
        match resolve::by_session(frame, &self.0.sessions).await {
            // The session is looked up although only its name is needed, because only the principal
            // that opened it may end it.
            Ok(Some(session)) => {
                let name = session_name(&frame.headers).unwrap_or_default();
                match self.0.sessions.end(name, &session).await {
                    Ok(()) => Reply::new(StatusCode::NO_CONTENT, Bytes::new()),
                    Err(error) => self.refuse(&error, frame.client),
                }
            }
            Ok(None) => self.refuse(&without_session("DELETE ends a session"), frame.client),
            Err(ResolveError { error, .. }) => self.refuse(&error, frame.client),
        }
    }

    fn open_pipe(&self, head: Frame) -> Result<Pipe, ProtocolError> {
        let caller = head.caller();
        self.pipe(head.extensions, caller)
    }

    async fn put(&self, pipe: &str, message: Frame) -> Reply {
        if message.body.len() > self.limits().message_bytes {
            return self.refuse(&self.limits().too_large().into(), message.client);
        }
        let arrival = self.arrival(&message);
        let put = self.put_into(pipe, arrival, message).await;
        put.unwrap_or_else(|error| self.refused(arrival, &error))
    }

    fn refuse(&self, error: &ProtocolError, client: Option<IpAddr>) -> Reply {
        let arrival = Arrival::unread(Transport::Http { client });
        let message = UnservedMessage::new(arrival, Revision::UNKNOWN_PEER);
        reply(self.refusal(message, error))
    }
}

impl Server {
    /// The arrival of the message of a frame.
    fn arrival(&self, frame: &Frame) -> Arrival {
        let client = frame.client;
        let transport = Transport::Http { client };
        let arrival = self.0.observer.arrival(transport, frame.body.len());
        arrival.of_http(|| TraceParent::parse(frame.headers.get(TRACE_PARENT)?.to_str().ok()?))
    }

    /// The error response to a message that was read but about which nothing else is known.
    fn refused(&self, arrival: Arrival, error: &ProtocolError) -> Reply {
        let message = UnservedMessage::new(arrival, Revision::UNKNOWN_PEER);
        reply(self.refusal(message, error))
    }

    /// The error response to a message for which the sender lacks permission. For a batch, if one
    /// of its messages needs more permissions.
    pub(super) fn forbidden(
        &self,
        frame: &Frame,
        arrival: Arrival,
        envelope: &Envelope<'_>,
    ) -> Option<Reply> {
        let permissions: &Arc<dyn Permissions> = frame.extensions.get()?;
        let (single, batch) = match envelope {
            Envelope::Single(message) => (Some(message), None),
            Envelope::Batch(messages) => (None, Some(messages)),
        };
        let mut messages = single
            .into_iter()
            .chain(batch.into_iter().flatten().flatten());
        messages.find_map(|message| {
            let (error, headers) = permissions.refuses(message)?;
            let trace;
            let mut unserved = UnservedMessage::new(arrival, Revision::UNKNOWN_PEER);
            match message {
                Message::Request(request) => {
                    trace = arrival.trace(request.params.as_ref());
                    unserved.id = Some(request.id.as_raw());
                    unserved.method = Some(&request.method);
                    unserved.trace = trace.as_ref();
                }
                Message::Notification(notification) => {
                    unserved.method = Some(&notification.method);
                }
                Message::Response(_) => {}
            }
            let mut refusal = reply(self.refusal(unserved, &error));
            refusal.headers.extend(headers);
            Some(refusal)
        })
    }

    async fn request(&self, frame: &Frame, arrival: Arrival, request: &Request<'_>) -> Reply {
        match resolve::over_http(frame, request, &self.0.features.tools) {
            Ok(HttpSender::Modern(scope)) => {
                let mut replies = self.dispatch(request, scope.arrived(arrival), None);
                replies.first().await;
                sent(replies, None, Bytes::new)
            }
            Ok(HttpSender::Legacy(_)) if request.method == Method::Initialize.name() => {
                Box::pin(self.open(frame, arrival, request)).await
            }
            Ok(HttpSender::Legacy(legacy)) => {
                self.legacy_request(frame, arrival, request, legacy).await
            }
            Err(unresolved) => reply(self.unresolved(arrival, request, &unresolved)),
        }
    }

    async fn legacy_request(
        &self,
        frame: &Frame,
        arrival: Arrival,
        request: &Request<'_>,
        legacy: LegacyRequest<'_>,
    ) -> Reply {
        match resolve::legacy_over_http(frame, legacy, &self.0.sessions).await {
            Ok((scope, session)) => {
                let scope = scope.arrived(arrival);
                let streams = session.streams.as_ref();
                let replies = self.dispatch(request, scope, Some(&session.in_flight));
                let mut pending = SessionReplies { replies, streams };
                pending.replies.first().await;
                let last_word = || self.last_word(request, &session.peer);
                sent(pending.into_replies(), streams, last_word)
            }
            Err(unresolved) => reply(self.unresolved(arrival, request, &unresolved)),
        }
    }

    /// The rest of the stream that the event was part of or, without an event, the stream of the
    /// session's changes.
    async fn stream_of(
        &self,
        frame: &Frame,
        session: &Arc<Session>,
    ) -> Result<Reply, ProtocolError> {
        match (&session.streams, last_event_id(&frame.headers)) {
            (Some(streams), Some(event)) => match streams.elsewhere(event) {
                Some(place) => {
                    session.take(place.stream()).await;
                    Box::pin(place.resume()).await.map(Reply::feed)
                }
                None => streams.resume(event).map(Reply::feed),
            },
            (None, _) | (_, None) => {
                let viewer = Viewer::with(&session.peer, &frame.extensions);
                let subscriptions = &self.0.subscriptions;
                let change = session.listening().await?;
                let opened = subscriptions.open_stream(session, frame.caller(), &viewer)?;
                if let Some(change) = change {
                    session.listen(change).await?;
                }
                Ok(Reply::feed(opened))
            }
        }
    }

    async fn open(&self, frame: &Frame, arrival: Arrival, request: &Request<'_>) -> Reply {
        let opened = match resolve::opening(request, &frame.extensions, self.limits()) {
            Ok(peer) => {
                let peer = Arc::new(peer);
                let said = request.params.as_ref().map_or(0, |it| it.raw().len());
                let opened = self
                    .0
                    .sessions
                    .open(Arc::clone(&peer), frame.caller(), said);
                let name = opened.await.map_err(ResolveError::from);
                name.map(|name| (peer, name))
            }
            Err(unresolved) => Err(unresolved),
        };
        match opened {
            Ok((peer, name)) => {
                let mut reply = reply(self.initialize(arrival, request, &peer));
                let name =
                    HeaderValue::from_str(&name).expect("hexadecimal digits are visible ASCII");
                reply.headers.insert(MCP_SESSION_ID, name);
                reply
            }
            Err(unresolved) => reply(self.unresolved(arrival, request, &unresolved)),
        }
    }

    async fn notification(
        &self,
        frame: &Frame,
        arrival: Arrival,
        notification: &Notification<'_>,
    ) -> Reply {
        match resolve::by_session(frame, &self.0.sessions).await {
            Ok(session) => {
                // A modern client cancels by closing the connection, so its notifications have no
                // effect here. They are nevertheless accepted (202).
                if let Some(session) = &session
                    && let Some(id) = malformed::cancelled(notification)
                {
                    cancel(session, id);
                }
                let peer = session.as_ref().map(|session| &*session.peer);
                self.0.observer.accepted(arrival, peer, notification);
                accepted()
            }
            Err(ResolveError { error, .. }) => {
                let unserved = UnservedMessage {
                    method: Some(&notification.method),
                    ..UnservedMessage::new(arrival, Revision::UNKNOWN_PEER)
                };
                reply(self.refusal(unserved, &error))
            }
        }
    }

    /// Accepts the answer to one of the server's questions. An unexpected answer is accepted too.
    async fn response(&self, frame: &Frame, arrival: Arrival, response: &Response<'_>) -> Reply {
        match resolve::by_session(frame, &self.0.sessions).await {
            Ok(Some(session)) => match take_answer(&session, response).await {
                Ok(()) => accepted(),
                Err(error) => self.refused(arrival, &error),
            },
            Ok(None) => {
                let why = "Invalid request: clients of this revision send no responses";
                self.refused(arrival, &ProtocolError::invalid_request(why))
            }
            Err(ResolveError { error, .. }) => self.refused(arrival, &error),
        }
    }

    /// Answers several messages at once, which only 2025-03-26 has.
    async fn batch(&self, frame: &Frame, arrival: Arrival, messages: BatchMessages<'_>) -> Reply {
        let session = match resolve::by_session(frame, &self.0.sessions).await {
            Ok(session) => session,
            Err(ResolveError { error, .. }) => return self.refused(arrival, &error),
        };
        if let Err(error) = Self::accepts_batches(session.as_ref().map(|session| &*session.peer)) {
            return self.refused(arrival, &error);
        }
        let Some(session) = session else {
            return self.refused(arrival, &InvalidRequest::SessionRequired.into());
        };
        // HTTP has a status for this. Over a stream, 2025-03-26 allows no response.
        if let Some(malformed) = unanswerable(&messages) {
            return self.refused(arrival, &malformed::error_of(malformed));
        }
        for message in messages.iter().flatten() {
            if let Message::Response(response) = message
                && let Err(error) = take_answer(&session, response).await
            {
                return self.refused(arrival, &error);
            }
        }
        let is_written = session.streams.as_ref().is_some_and(|it| it.is_journaled());
        let last_words = is_written.then(|| self.last_words(&messages, &session.peer));
        let streams = session.streams.as_ref();
        let replies = self.serve_batch(arrival, &session, &frame.extensions, messages);
        let mut pending = SessionReplies { replies, streams };
        pending.replies.first().await;
        sent(pending.into_replies(), streams, || {
            last_words.unwrap_or_default()
        })
    }
}

/// Sends the response as a whole if no message precedes it, otherwise as the last of several
/// events, which can be resumed if the session has streams for that. A cancelled request gets no
/// message at all.
///
/// The headers of the HTTP response say whether it is one message or a stream of events, so the
/// caller has already waited for the first item.
fn sent(
    mut replies: Replies,
    streams: Option<&Arc<Streams>>,
    last_word: impl FnOnce() -> Bytes,
) -> Reply {
    if let Some(encoded) = replies.take_reply() {
        return reply(encoded);
    }
    if replies.is_over() {
        return accepted();
    }
    match streams {
        // A session that has ended meanwhile stores no events, but the client on this connection
        // still gets its response.
        Some(streams) => streams
            .carry(replies, last_word)
            .map_or_else(Reply::feed, Reply::feed),
        None => Reply::feed(replies),
    }
}

fn reply(encoded: EncodedReply) -> Reply {
    let status =
        StatusCode::from_u16(encoded.http_status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Reply::new(status, encoded.bytes)
}

pub(super) fn accepted() -> Reply {
    Reply::new(StatusCode::ACCEPTED, Bytes::new())
}

/// The error for a request that needs a session but names none.
fn without_session(purpose: &str) -> ProtocolError {
    let why = format!(
        "Method not allowed: {purpose}, which the header Mcp-Session-Id names. Send messages by POST"
    );
    ProtocolError::from(Refusal::MethodNotAllowed).with_message(why)
}
