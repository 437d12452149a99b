//! Answers one HTTP request: a modern one by itself, a legacy one within its session.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use futures_util::{Stream, StreamExt};
use http::{Extensions, HeaderMap, HeaderValue, StatusCode};
use plainly_errors::{InvalidRequest, ProtocolError, Refusal, Revision};
use plainly_protocol::envelope::{self, Envelope, Message, Notification, Request, Response};
use plainly_protocol::header::MCP_SESSION_ID;

use super::Server;
use super::answer::Answer;
use super::batch::{Messages, unanswerable};
use super::dispatch::Started;
use super::encode::Encoded;
use super::malformed;
use super::resolve::{self, Sender, Unresolved, last_event_id, session_name};
use super::running::{Sending, Sent};
use super::scope::Scope;
use super::session::Session;
use super::streams::Streams;
use crate::transport::{Event, Exchange, Feed, Frame, Pipe, Reply};

impl Exchange for Server {
    async fn exchange(&self, frame: &Frame) -> Reply {
        // The transport's own limit may be another.
        if frame.body.len() > self.limits().message_bytes {
            return self.refuse(&Refusal::TooLarge.into());
        }
        match envelope::parse(&frame.body, &self.limits().envelope) {
            Ok(Envelope::Single(Message::Request(ref request))) => {
                self.request(frame, request).await
            }
            Ok(Envelope::Single(Message::Notification(notification))) => {
                self.notification(frame, &notification)
            }
            Ok(Envelope::Single(Message::Response(response))) => self.response(frame, &response),
            // In a box, as hardly any request is one: every request's future would be as large.
            Ok(Envelope::Batch(messages)) => Box::pin(self.batch(frame, messages)).await,
            Err(malformed) => reply(self.malformed(&malformed, Revision::UNKNOWN_PEER)),
        }
    }

    fn open_stream(&self, frame: &Frame) -> Reply {
        let opened = match resolve::by_session(frame, &self.0.sessions) {
            Ok(Some(session)) => self.stream_of(&session, last_event_id(&frame.headers)),
            Ok(None) => Err(Refusal::MethodNotAllowed.into()),
            Err(Unresolved { error, .. }) => Err(error),
        };
        opened.unwrap_or_else(|error| self.refuse(&error))
    }

    fn end_session(&self, frame: &Frame) -> Reply {
        match resolve::by_session(frame, &self.0.sessions) {
            Ok(Some(_)) => {
                let name = session_name(&frame.headers);
                name.into_iter().for_each(|name| self.0.sessions.end(name));
                Reply::new(StatusCode::NO_CONTENT, Bytes::new())
            }
            Ok(None) => self.refuse(&Refusal::MethodNotAllowed.into()),
            Err(Unresolved { error, .. }) => self.refuse(&error),
        }
    }

    fn open_pipe(&self, head: Frame) -> Result<Pipe, ProtocolError> {
        self.pipe(head.extensions)
    }

    async fn put(&self, pipe: &str, message: Frame) -> Result<(), ProtocolError> {
        self.put_into(pipe, message).await
    }

    fn refuse(&self, error: &ProtocolError) -> Reply {
        reply(self.0.encoder.error(None, Revision::UNKNOWN_PEER, error))
    }
}

impl Server {
    async fn request(&self, frame: &Frame, request: &Request<'_>) -> Reply {
        match resolve::over_http(frame, request, &self.0.sessions) {
            Ok(Sender::Modern(scope)) => self.mirroring(&frame.headers, scope, request).await,
            Ok(Sender::Legacy(session, scope)) => self.within(&session, scope, request).await,
            Ok(Sender::Opening) => self.open(request, &frame.extensions),
            Err(unresolved) => reply(self.unresolved(request, &unresolved)),
        }
    }

    /// A modern request, whose headers may repeat arguments too.
    async fn mirroring(&self, headers: &HeaderMap, scope: Scope, request: &Request<'_>) -> Reply {
        let tools = &self.0.routes.tools;
        if let Err(error) = resolve::mirrored_arguments(headers, request, tools) {
            let revision = scope.peer().revision;
            return reply(self.respond(request.id.as_raw(), revision, Err(error)));
        }
        let mut running = match self.start(request, scope) {
            Started::Done(encoded) => return reply(encoded),
            Started::Listening(listening) => return Reply::feed(listening),
            Started::Running(running) => running,
        };
        let first = running.next().await;
        sent(first, running, None)
    }

    /// A request of a session; nothing if it was cancelled.
    async fn within(&self, session: &Session, scope: Scope, request: &Request<'_>) -> Reply {
        let mut running = match self.start(request, scope) {
            Started::Done(encoded) => return reply(encoded),
            // No revision that has sessions has this.
            Started::Listening(_) => return accepted(),
            Started::Running(running) => {
                running.tracked(session.in_flight.track(&request.id.to_owned()))
            }
        };
        let first = running.next().await;
        sent(first, running, session.streams.as_ref())
    }

    /// The rest of the stream that an event was of, or else the one on which the session is told of changes.
    fn stream_of(&self, session: &Session, event: Option<&str>) -> Result<Reply, ProtocolError> {
        match (&session.streams, event) {
            (Some(streams), Some(event)) => streams.resume(event).map(Reply::feed),
            (None, _) | (_, None) => self.listen_in_session(&session.news).map(Reply::feed),
        }
    }

    fn open(&self, request: &Request<'_>, extensions: &Extensions) -> Reply {
        let opened = resolve::opening(request, extensions, self.limits()).and_then(|peer| {
            let revision = peer.revision;
            let name = self.0.sessions.open(Arc::new(peer)).map_err(|error| {
                ProtocolError::internal("No session could be opened").with_source(error)
            })?;
            Ok((revision, name))
        });
        match opened {
            Ok((revision, name)) => {
                let answer =
                    Answer::Initialize(Box::new(self.0.routes.discovery.initialize(revision)));
                let mut reply = reply(self.respond(request.id.as_raw(), revision, Ok(answer)));
                let name =
                    HeaderValue::from_str(&name).expect("hexadecimal digits are visible ASCII");
                reply.headers.insert(MCP_SESSION_ID, name);
                reply
            }
            Err(unresolved) => reply(self.unresolved(request, &unresolved)),
        }
    }

    fn notification(&self, frame: &Frame, notification: &Notification<'_>) -> Reply {
        match resolve::by_session(frame, &self.0.sessions) {
            Ok(Some(session)) => {
                malformed::cancelled(notification)
                    .into_iter()
                    .for_each(|id| session.in_flight.cancel(&id));
                accepted()
            }
            Ok(None) => accepted(),
            Err(Unresolved { error, .. }) => self.refuse(&error),
        }
    }

    /// The answer to a question of ours; what nobody waits for is accepted as well.
    fn response(&self, frame: &Frame, response: &Response<'_>) -> Reply {
        match resolve::by_session(frame, &self.0.sessions) {
            Ok(Some(session)) => {
                session.unanswered.answer(response);
                accepted()
            }
            Ok(None) => self.refuse(&ProtocolError::invalid_request(
                "Invalid request: a client sends no responses",
            )),
            Err(Unresolved { error, .. }) => self.refuse(&error),
        }
    }

    /// Several messages at once: 2025-03-26 alone has them.
    async fn batch(&self, frame: &Frame, messages: Messages<'_>) -> Reply {
        let session = match resolve::by_session(frame, &self.0.sessions) {
            Ok(session) => session,
            Err(Unresolved { error, .. }) => return self.refuse(&error),
        };
        if let Err(error) = Self::accepts_batches(session.as_ref().map(|session| &*session.peer)) {
            return self.refuse(&error);
        }
        let Some(session) = session else {
            return self.refuse(&InvalidRequest::SessionRequired.into());
        };
        if let Some(malformed) = unanswerable(&messages) {
            return self.refuse(&malformed::error_of(malformed));
        }
        let mut batch = self
            .start_batch(&session, &frame.extensions, messages)
            .await;
        let first = batch.next().await;
        sent(first, batch, session.streams.as_ref())
    }
}

/// A whole reply where nothing is said before it; else messages, of which it is the last, and which can be had again where
/// there are streams for that. `first` was taken out of what is sent, `rest` is what follows it.
fn sent(first: Option<Sent>, rest: impl Sending, streams: Option<&Arc<Streams>>) -> Reply {
    let first = match first {
        Some(Sent::Reply(encoded)) => return reply(encoded),
        Some(Sent::Listening(listening)) => return Reply::feed(*listening),
        None => return accepted(),
        first @ Some(Sent::Before(_) | Sent::Pause) => first,
    };
    let begun = Begun { first, rest };
    match streams {
        Some(streams) => streams.carry(begun).map_or_else(Reply::feed, Reply::feed),
        None => Reply::feed(begun),
    }
}

/// What is sent for a request, of which the first part was taken out.
#[derive(Debug)]
struct Begun<S> {
    first: Option<Sent>,
    rest: S,
}

impl<S: Sending> Stream for Begun<S> {
    type Item = Sent;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Sent>> {
        let this = self.get_mut();
        match this.first.take() {
            Some(first) => Poll::Ready(Some(first)),
            None => this.rest.poll_next_unpin(context),
        }
    }
}

impl<S: Sending> Sending for Begun<S> {
    fn poll_end(&mut self, context: &mut Context<'_>) -> Poll<()> {
        self.rest.poll_end(context)
    }

    fn stop(&mut self) {
        self.rest.stop();
    }
}

impl<S: Sending> Feed for Begun<S> {
    fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            match ready!(self.poll_next_unpin(context)).map(Sent::message) {
                Some(Some(message)) => return Poll::Ready(Some(message.into())),
                // Who can't come again goes on waiting.
                Some(None) => {}
                None => return Poll::Ready(None),
            }
        }
    }

    fn end(&mut self) {
        self.stop();
    }
}

fn reply(encoded: Encoded) -> Reply {
    let status =
        StatusCode::from_u16(encoded.http_status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    Reply::new(status, encoded.bytes)
}

fn accepted() -> Reply {
    Reply::new(StatusCode::ACCEPTED, Bytes::new())
}
