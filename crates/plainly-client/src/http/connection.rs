//! A connection over HTTP: each request is a POST, and the response contains its reply.
//!
//! Knows messages, not methods, except the one that opens a session and the one whose reply is a
//! stream of events.

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::header::CONTENT_ENCODING;
use http::{HeaderName, HeaderValue, StatusCode};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use tokio::task::JoinSet;

use super::detached::Cancellation;
use super::endpoint::{ContentKind, Endpoint, HttpResponse};
use super::resuming::ReplyResumption;
use super::server_stream::{self, ServerStream};
use super::session::{HttpSession, no_message};
use crate::error::status::HttpStatus;
use crate::error::{Error, LocalError};
use crate::link::dispatcher::Dispatcher;
use crate::link::{BackgroundTask, ClientConnection, StreamableHttp};
use crate::message::mirror::Mirror;
use crate::message::reply::{self, CallReply, ServerMessage};
use crate::message::request::OutgoingRequest;
use plainly_transport::Frame;

/// The client's end of an HTTP connection.
#[derive(Debug)]
pub(crate) struct HttpConnection {
    session: Arc<HttpSession>,
    mirror: Mirror,
    /// The stream for messages that answer no request.
    server_stream: Arc<ServerStream>,
}

impl HttpConnection {
    /// Creates the connection. Nothing is sent before the first call.
    pub(crate) fn new(endpoint: Endpoint, dispatcher: Dispatcher) -> Self {
        Self {
            session: Arc::new(HttpSession::new(endpoint, dispatcher)),
            mirror: Mirror::default(),
            server_stream: Arc::default(),
        }
    }

    /// The state that its requests share.
    pub(crate) fn session(&self) -> Arc<HttpSession> {
        Arc::clone(&self.session)
    }

    async fn exchange(&self, request: &OutgoingRequest<'_>) -> Result<CallReply, Error> {
        let opens = request.method == Method::Initialize;
        let mut frame = request.frame.clone();
        // A new session is requested without the id of the previous one (2025-11-25, "Session
        // Management").
        let session = if opens {
            None
        } else {
            self.session.join(&mut frame.headers)?
        };
        let mut cancellation = Cancellation::of(&self.session, request, &frame.headers);
        let posted = self.session.endpoint.post(frame, request.budget).await;
        let response = posted.map_err(|failure| {
            // A failed call needs no cancellation; only a dropped call does.
            cancellation.disarm();
            self.session.failed(failure, request.method.name())
        })?;
        if let Some(fetch) = request.fetch {
            fetch.sent_with(&response.credentials);
        }
        if opens {
            self.session.answered(&response);
        }
        let is_not_found = response.status == StatusCode::NOT_FOUND;
        let reply = self.reply(request, response).await;
        cancellation.disarm();
        // Without a session, 404 means that the URL is wrong. Within one, some servers also answer an
        // unknown method so, although the session goes on.
        let is_answer = |reply: &CallReply| reply.is_method_not_found(request.method);
        if is_not_found && session.is_some() && !reply.as_ref().is_ok_and(is_answer) {
            self.session.lose(session);
            return Err(LocalError::SessionLost.into());
        }
        reply
    }

    async fn reply(
        &self,
        request: &OutgoingRequest<'_>,
        response: HttpResponse,
    ) -> Result<CallReply, Error> {
        match response.content {
            ContentKind::Events if response.status.is_success() => {
                self.events(request, response).await
            }
            ContentKind::Json => self.body(request, response).await,
            ContentKind::Events | ContentKind::Other => {
                Err(no_message(request.method.name(), response).await)
            }
        }
    }

    async fn body(
        &self,
        request: &OutgoingRequest<'_>,
        response: HttpResponse,
    ) -> Result<CallReply, Error> {
        let (is_success, status) = (response.status.is_success(), HttpStatus::from(&response));
        let encoding = response.headers.get(CONTENT_ENCODING).cloned();
        let body = response.body().await;
        let body = body.map_err(|failure| self.session.failed(failure, request.method.name()))?;
        let mut sent = None;
        let mut replies = reply::read(&body).into_iter();
        let reply = replies.find_map(|incoming| {
            let other = reply_to(incoming, &request.id);
            other
                .map_err(|other| sent = other.instead(&body).or(sent.take()))
                .ok()
        });
        match (reply, is_success) {
            (Some(reply), true) => Ok(reply),
            (None, true) => {
                let why = no_reply(&body, sent, encoding.as_ref());
                Err(Error::invalid_response(request.method.name(), why))
            }
            (Some(CallReply::Error(json, _)), false) => {
                Ok(CallReply::Error(json, Some(status.into())))
            }
            // A result does not count if the status is a failure.
            (_, false) => Err(status.explain(request.method.name(), &body)),
        }
    }

    async fn events(
        &self,
        request: &OutgoingRequest<'_>,
        mut response: HttpResponse,
    ) -> Result<CallReply, Error> {
        // These tasks end with the call, because a server that has replied does not wait for
        // answers.
        let mut answering = JoinSet::new();
        let mut resuming = ReplyResumption::default();
        loop {
            let event = match response.next_message().await {
                Ok(Some(event)) => event,
                ended => {
                    if let Some(said) = response.complaint() {
                        *self.session.stray.lock() = Some(said);
                    }
                    let failure = ended.err();
                    response = self
                        .session
                        .resume(&mut resuming, &response, failure, request)
                        .await?;
                    continue;
                }
            };
            resuming.goes_on();
            for incoming in reply::read(&event) {
                match reply_to(incoming, &request.id) {
                    Ok(reply) => {
                        self.session.stray.lock().take();
                        response.discard();
                        return Ok(reply);
                    }
                    Err(other) => {
                        if let Some(sent) = other.instead(&event) {
                            *self.session.stray.lock() = Some(sent);
                        }
                        self.session
                            .take(other, Some(request), &mut answering)
                            .await;
                    }
                }
            }
        }
    }
}

impl ClientConnection for HttpConnection {
    fn call<'a>(
        &'a self,
        request: &'a OutgoingRequest<'a>,
    ) -> BoxFuture<'a, Result<CallReply, Error>> {
        self.session.until_closed(self.exchange(request)).boxed()
    }

    fn notify(&self, mut frame: Frame, method: Method) -> BoxFuture<'_, Result<(), Error>> {
        async move {
            let method = method.name();
            self.session.join(&mut frame.headers)?;
            let response = self.session.endpoint.post(frame, None).await;
            let response = response.map_err(|failure| self.session.failed(failure, method))?;
            if !response.status.is_success() {
                return Err(no_message(method, response).await);
            }
            response.discard();
            Ok(())
        }
        .boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.session.end().boxed()
    }

    fn dispatcher(&self) -> &Dispatcher {
        &self.session.dispatcher
    }

    fn received(&self) -> u64 {
        self.session.endpoint.received()
    }

    fn stray(&self) -> Option<String> {
        self.session.stray.lock().clone()
    }

    fn transport(&self) -> &'static str {
        "http"
    }
}

impl StreamableHttp for HttpConnection {
    fn mirror(&self) -> &Mirror {
        &self.mirror
    }

    fn credentials(&self) -> BoxFuture<'_, Option<Vec<(HeaderName, HeaderValue)>>> {
        self.session.endpoint.credentials().boxed()
    }

    fn open_server_stream(
        self: Arc<Self>,
    ) -> BoxFuture<'static, Result<Option<Arc<BackgroundTask>>, Error>> {
        server_stream::open(
            Arc::clone(&self.session),
            Arc::clone(&self.server_stream),
            None,
        )
        .boxed()
    }

    fn keep_server_stream(self: Arc<Self>) -> BoxFuture<'static, BackgroundTask> {
        server_stream::keep(Arc::clone(&self.session), Arc::clone(&self.server_stream)).boxed()
    }
}

/// The fault of a body without the reply, if it contains `sent` instead.
fn no_reply(body: &[u8], sent: Option<String>, encoding: Option<&HeaderValue>) -> String {
    match (sent, encoding) {
        _ if body.trim_ascii().is_empty() => "the body is empty".to_owned(),
        (Some(_), Some(encoding)) => {
            format!("the body is encoded as {encoding:?}, and the client accepts no encoding")
        }
        (Some(sent), None) => format!("the server sent {}", sent.trim_end_matches(',')),
        (None, _) => "the body contains no reply to the request".to_owned(),
    }
}

/// The reply to `request`, the only request that has no reply yet on this stream; any other message
/// is returned as the error.
///
/// Only an error can lack an id, and then counts as the reply: a server that couldn't read the
/// request couldn't read its id either.
fn reply_to(incoming: ServerMessage, request: &RequestId) -> Result<CallReply, ServerMessage> {
    match incoming {
        ServerMessage::Reply { id, reply } if id.as_ref().is_none_or(|id| id == request) => {
            Ok(reply)
        }
        other @ (ServerMessage::Reply { .. }
        | ServerMessage::Request(_)
        | ServerMessage::Notification { .. }
        | ServerMessage::NoMessage { .. }) => Err(other),
    }
}
