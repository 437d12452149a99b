//! Answers one HTTP request: a modern one by itself, a legacy one within its session.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, StatusCode};
use plainly_errors::{InvalidRequest, ProtocolError, Refusal, Revision};
use plainly_protocol::envelope::{self, Envelope, Message, Notification, Request};
use plainly_protocol::header::MCP_SESSION_ID;

use super::Server;
use super::answer::Answer;
use super::batch::Messages;
use super::dispatch::Started;
use super::encode::Encoded;
use super::malformed;
use super::resolve::{self, Sender, Unresolved, session_of};
use super::session::Session;
use crate::transport::{Exchange, Frame, Pipe, Reply};

impl Exchange for Server {
    async fn exchange(&self, frame: Frame) -> Reply {
        let Frame { headers, body } = frame;
        // The transport's own limit may be another.
        if body.len() > self.limits().message_bytes {
            return self.refuse(&Refusal::TooLarge.into());
        }
        match envelope::parse(&body, &self.limits().envelope) {
            Ok(Envelope::Single(Message::Request(request))) => {
                self.request(&headers, &request).await
            }
            Ok(Envelope::Single(Message::Notification(notification))) => {
                self.notification(&headers, &notification)
            }
            Ok(Envelope::Single(Message::Response(_))) => self.response(&headers),
            Ok(Envelope::Batch(messages)) => self.batch(&headers, messages).await,
            Err(malformed) => reply(self.malformed(&malformed, Revision::LATEST)),
        }
    }

    fn open_stream(&self, headers: &HeaderMap) -> Reply {
        let opened = match resolve::by_session(headers, &self.0.sessions) {
            Ok(Some(session)) => self.listen_in_session(&session.news),
            Ok(None) => Err(Refusal::MethodNotAllowed.into()),
            Err(Unresolved { error, .. }) => Err(error),
        };
        opened.map_or_else(|error| self.refuse(&error), Reply::feed)
    }

    fn end_session(&self, headers: &HeaderMap) -> Reply {
        match session_of(headers) {
            Some(name) if self.0.sessions.end(name) => {
                Reply::new(StatusCode::NO_CONTENT, Bytes::new())
            }
            Some(_) => self.refuse(&InvalidRequest::SessionNotFound.into()),
            None => self.refuse(&Refusal::MethodNotAllowed.into()),
        }
    }

    fn open_pipe(&self, _head: Frame) -> Result<Pipe, ProtocolError> {
        self.pipe()
    }

    async fn put(&self, pipe: &str, message: Frame) -> Result<(), ProtocolError> {
        self.put_into(pipe, message.body).await
    }

    fn refuse(&self, error: &ProtocolError) -> Reply {
        reply(self.0.encoder.error(None, Revision::LATEST, error))
    }
}

impl Server {
    async fn request(&self, headers: &HeaderMap, request: &Request<'_>) -> Reply {
        match resolve::over_http(headers, request, &self.0.sessions) {
            Ok(Sender::Modern(peer)) => match self.start(request, &peer, None) {
                Started::Done(encoded) => reply(encoded),
                Started::Listening(listening) => Reply::feed(listening),
                Started::Running(running) => reply(running.finish().await),
            },
            Ok(Sender::Legacy(session)) => self
                .within(&session, request)
                .await
                .map_or_else(accepted, reply),
            Ok(Sender::Opening) => self.open(request),
            Err(unresolved) => reply(self.unresolved(request, &unresolved)),
        }
    }

    /// A request of a session; nothing if it was cancelled.
    async fn within(&self, session: &Arc<Session>, request: &Request<'_>) -> Option<Encoded> {
        match self.start(request, &session.peer, Some(&session.news)) {
            Started::Done(encoded) => Some(encoded),
            // No revision that has sessions has this.
            Started::Listening(_) => None,
            Started::Running(running) => match session.in_flight.track(&request.id.to_owned()) {
                Some(tracked) => {
                    let instead = || self.shutting_down(request.id.as_raw(), session.peer.revision);
                    tracked.run(running.finish(), instead).await
                }
                None => Some(running.finish().await),
            },
        }
    }

    fn open(&self, request: &Request<'_>) -> Reply {
        let opened = resolve::opening(request, self.limits()).and_then(|peer| {
            let revision = peer.revision;
            let name = self.0.sessions.open(Arc::new(peer)).map_err(|error| {
                ProtocolError::internal("No session could be opened").with_source(error)
            })?;
            Ok((revision, name))
        });
        match opened {
            Ok((revision, name)) => {
                let answer = Answer::Initialize(self.0.routes.discovery.initialize(revision));
                let mut reply = reply(self.respond(request.id.as_raw(), revision, Ok(answer)));
                let name =
                    HeaderValue::from_str(&name).expect("hexadecimal digits are visible ASCII");
                reply.headers.insert(MCP_SESSION_ID, name);
                reply
            }
            Err(unresolved) => reply(self.unresolved(request, &unresolved)),
        }
    }

    fn notification(&self, headers: &HeaderMap, notification: &Notification<'_>) -> Reply {
        match resolve::by_session(headers, &self.0.sessions) {
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

    /// We ask legacy clients nothing yet, so nobody waits for it.
    fn response(&self, headers: &HeaderMap) -> Reply {
        match resolve::by_session(headers, &self.0.sessions) {
            Ok(Some(_)) => accepted(),
            Ok(None) => self.refuse(&ProtocolError::invalid_request(
                "Invalid request: a client sends no responses",
            )),
            Err(Unresolved { error, .. }) => self.refuse(&error),
        }
    }

    /// Several messages at once: 2025-03-26 alone has them.
    async fn batch(&self, headers: &HeaderMap, messages: Messages<'_>) -> Reply {
        let session = match resolve::by_session(headers, &self.0.sessions) {
            Ok(session) => session,
            Err(Unresolved { error, .. }) => return self.refuse(&error),
        };
        if let Err(error) = Self::accepts_batches(session.as_ref().map(|session| &*session.peer)) {
            return self.refuse(&error);
        }
        let Some(session) = session else {
            return self.refuse(&InvalidRequest::SessionRequired.into());
        };
        let batch = self.start_batch(&session, messages).await;
        match batch.finish().await {
            Some(bytes) => Reply::new(StatusCode::OK, bytes),
            None => accepted(),
        }
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
