//! A connection over HTTP: each request is a POST, and its reply comes back on it. For legacy servers it keeps the
//! session: its id goes with every request, and a session that the server forgot is noticed.
//!
//! Knows messages, not methods, but for the one that opens a session and the one whose reply is a stream of news.

use std::future::Future;
use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use plainly_protocol::header::{MCP_PROTOCOL_VERSION, MCP_SESSION_ID};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::task::coop::consume_budget;
use tokio::time::timeout;

use super::detached::{Cancellation, FAREWELL};
use super::endpoint::{ContentKind, Endpoint, HttpFailure, HttpResponse};
use super::resuming::ReplyResumption;
use super::server_stream::{self, ServerStream};
use crate::client::dispatcher::Dispatcher;
use crate::client::error::{CloseReason, Closed, Error, LocalError};
use crate::client::link::{BackgroundTask, ClientConnection};
use crate::client::message::OutgoingRequest;
use crate::client::mirror::Mirror;
use crate::client::reply::{self, CallReply, Incoming};
use crate::client::status::{EXCERPT, HttpStatus};
use crate::lock::Lock;
use crate::transport::Frame;

/// Our end of an HTTP connection.
#[derive(Debug)]
pub(super) struct HttpConnection {
    pub(super) endpoint: Endpoint,
    session: Lock<SessionState>,
    pub(super) dispatcher: Dispatcher,
    mirror: Mirror,
    /// The stream on which the server speaks first.
    pub(super) server_stream: ServerStream,
    closed: watch::Sender<bool>,
}

#[derive(Debug)]
enum SessionState {
    /// There is none: the server is modern, keeps no sessions, or was not asked yet.
    Without,
    /// The server knows us by this id.
    Open(HeaderValue),
    /// The server has forgotten it.
    Lost,
}

impl HttpConnection {
    /// Nothing is sent before the first call.
    pub(super) fn new(endpoint: Endpoint, dispatcher: Dispatcher) -> Self {
        Self {
            endpoint,
            session: Lock::new(SessionState::Without),
            dispatcher,
            mirror: Mirror::default(),
            server_stream: ServerStream::default(),
            closed: watch::Sender::new(false),
        }
    }

    /// Whether this client has closed the connection.
    pub(super) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// Does something, or fails once this client has closed the connection.
    pub(super) async fn until_closed<T>(
        &self,
        doing: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let mut closed = self.closed.subscribe();
        tokio::select! {
            biased;
            _ = closed.wait_for(|closed| *closed) => {
                let closed = Closed::without_words(CloseReason::Ours);
                Err(LocalError::Closed(closed.into()).into())
            }
            done = doing => done,
        }
    }

    async fn exchange(&self, request: &OutgoingRequest) -> Result<CallReply, Error> {
        let opens = request.method == Method::Initialize;
        let mut frame = request.frame.clone();
        let session = if opens {
            None
        } else {
            self.join(&mut frame.headers)?
        };
        let mut cancellation = Cancellation::of(self, request, &frame.headers);
        let response = self.endpoint.post(frame).await;
        let response = response.map_err(|failure| self.failed(failure, request.method.name()))?;
        if session.is_some() && response.status == StatusCode::NOT_FOUND {
            self.lose(session);
            cancellation.disarm();
            return Err(LocalError::SessionLost.into());
        }
        if opens && response.status.is_success() {
            self.open(&response.headers);
        }
        let reply = self.reply(request, response).await;
        // What failed at the other end needs no cancellation: only a call that is dropped does.
        cancellation.disarm();
        reply
    }

    async fn reply(
        &self,
        request: &OutgoingRequest,
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
        request: &OutgoingRequest,
        response: HttpResponse,
    ) -> Result<CallReply, Error> {
        let (is_success, status) = (response.status.is_success(), HttpStatus::from(&response));
        let body = response.body().await;
        let body = body.map_err(|failure| self.failed(failure, request.method.name()))?;
        let mut replies = reply::read(&body).into_iter();
        let reply = replies.find_map(|incoming| reply_to(incoming, &request.id).ok());
        match (reply, is_success) {
            (Some(reply), true) => Ok(reply),
            (None, true) => Err(Error::invalid_response(
                request.method.name(),
                "the body holds no reply to the request",
            )),
            (Some(CallReply::Error(json, _)), false) => Ok(CallReply::Error(json, Some(status))),
            // A result that failed is none.
            (_, false) => Err(status.explain(request.method.name(), &body)),
        }
    }

    async fn events(
        &self,
        request: &OutgoingRequest,
        mut response: HttpResponse,
    ) -> Result<CallReply, Error> {
        // They end with the call: who has replied waits for no answer.
        let mut answering = JoinSet::new();
        let mut resuming = ReplyResumption::default();
        loop {
            let event = match response.next_event().await {
                Ok(Some(event)) => event,
                ended => {
                    let (failure, method) = (ended.err(), request.method.name());
                    response = self
                        .resume(&mut resuming, &response, failure, method)
                        .await?;
                    continue;
                }
            };
            resuming.goes_on();
            for incoming in reply::read(&event) {
                match reply_to(incoming, &request.id) {
                    Ok(reply) => {
                        response.discard();
                        return Ok(reply);
                    }
                    Err(other) => {
                        let listens = request.method == Method::Listen;
                        let on = listens.then_some(&request.id);
                        self.take(other, on, &mut answering).await;
                    }
                }
            }
        }
    }

    /// Takes what came on a stream and is no reply there. `on` is the request that listens on it.
    pub(super) async fn take(
        &self,
        incoming: Incoming,
        on: Option<&RequestId>,
        answering: &mut JoinSet<()>,
    ) {
        match incoming {
            Incoming::Request(request) => self.answer(request, answering).await,
            Incoming::Notification { method, params } => {
                self.dispatcher.notification(&method, &params, on);
            }
            other @ (Incoming::Reply { .. } | Incoming::NoMessage { .. }) => {
                tracing::debug!(?other, "dropped: not the reply to the request");
            }
        }
        // A server that sends nothing else must not hold up the deadline and other calls.
        consume_budget().await;
    }

    /// The header that says which revision is spoken.
    pub(super) fn version(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(
            HeaderName::from_static(MCP_PROTOCOL_VERSION),
            HeaderValue::from_static(self.dispatcher.revision.get().as_str()),
        );
        headers
    }

    /// Adds the id of the session, if there is one.
    pub(super) fn join(&self, headers: &mut HeaderMap) -> Result<Option<HeaderValue>, Error> {
        match &*self.session.lock() {
            SessionState::Without => Ok(None),
            SessionState::Lost => Err(LocalError::SessionLost.into()),
            SessionState::Open(id) => {
                headers.insert(HeaderName::from_static(MCP_SESSION_ID), id.clone());
                Ok(Some(id.clone()))
            }
        }
    }

    /// The id of the session, if there is one.
    pub(super) fn session_id(&self) -> Option<HeaderValue> {
        match &*self.session.lock() {
            SessionState::Without | SessionState::Lost => None,
            SessionState::Open(id) => Some(id.clone()),
        }
    }

    fn open(&self, headers: &HeaderMap) {
        *self.session.lock() = match headers.get(MCP_SESSION_ID).cloned() {
            Some(mut id) => {
                id.set_sensitive(true);
                SessionState::Open(id)
            }
            None => SessionState::Without,
        };
    }

    /// Another request may have opened a new session in the meantime: that one is not lost.
    pub(super) fn lose(&self, session: Option<HeaderValue>) {
        let mut state = self.session.lock();
        if matches!(&*state, SessionState::Open(id) if Some(id) == session.as_ref()) {
            *state = SessionState::Lost;
        }
    }

    pub(super) fn failed(&self, failure: HttpFailure, method: &'static str) -> Error {
        match failure {
            HttpFailure::Unreachable(source) => LocalError::Unreachable {
                url: self.endpoint.display_url(),
                source: source.into(),
            }
            .into(),
            HttpFailure::Broken(source) => LocalError::Interrupted {
                method,
                source: Some(source.into()),
            }
            .into(),
            HttpFailure::TooLarge(limit) => {
                Error::invalid_response(method, format!("it is larger than {limit} bytes"))
            }
        }
    }
}

impl ClientConnection for HttpConnection {
    fn call<'a>(&'a self, request: &'a OutgoingRequest) -> BoxFuture<'a, Result<CallReply, Error>> {
        self.until_closed(self.exchange(request)).boxed()
    }

    fn notify(&self, mut frame: Frame, method: Method) -> BoxFuture<'_, Result<(), Error>> {
        async move {
            let method = method.name();
            self.join(&mut frame.headers)?;
            let response = self.endpoint.post(frame).await;
            let response = response.map_err(|failure| self.failed(failure, method))?;
            if !response.status.is_success() {
                return Err(no_message(method, response).await);
            }
            response.discard();
            Ok(())
        }
        .boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        async {
            if self.closed.send_replace(true) {
                return;
            }
            let ended = std::mem::replace(&mut *self.session.lock(), SessionState::Without);
            let SessionState::Open(id) = ended else {
                return;
            };
            let mut headers = self.version();
            headers.insert(HeaderName::from_static(MCP_SESSION_ID), id);
            // The server may refuse (405) or be gone: the session then ends by itself.
            let deleted = timeout(FAREWELL, self.endpoint.delete(headers)).await;
            tracing::debug!(?deleted, "session ended");
        }
        .boxed()
    }

    fn dispatcher(&self) -> &Dispatcher {
        &self.dispatcher
    }

    fn received(&self) -> u64 {
        self.endpoint.received()
    }

    fn open_server_stream(
        self: Arc<Self>,
    ) -> BoxFuture<'static, Result<Option<Arc<BackgroundTask>>, Error>> {
        server_stream::open(self).boxed()
    }

    fn keep_server_stream(self: Arc<Self>) -> BoxFuture<'static, Option<BackgroundTask>> {
        server_stream::keep(self).map(Some).boxed()
    }

    fn mirror(&self) -> Option<&Mirror> {
        Some(&self.mirror)
    }

    fn is_lost(&self) -> bool {
        matches!(*self.session.lock(), SessionState::Lost)
    }
}

/// The reply to the request `id`, where no other request can be meant; what it is instead comes back.
///
/// Only an error can be without an id, and is then taken for it: whoever couldn't read the request couldn't read its
/// id either.
fn reply_to(incoming: Incoming, request: &RequestId) -> Result<CallReply, Incoming> {
    match incoming {
        Incoming::Reply { id, reply } if id.as_ref().is_none_or(|id| id == request) => Ok(reply),
        other @ (Incoming::Reply { .. }
        | Incoming::Request(_)
        | Incoming::Notification { .. }
        | Incoming::NoMessage { .. }) => Err(other),
    }
}

/// A response that holds no message for us.
pub(super) async fn no_message(method: &'static str, response: HttpResponse) -> Error {
    let status = response.status;
    if status.is_success() {
        let kind = response.headers.get(http::header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("none");
        let why = format!("HTTP status {status} with content type {kind:?}");
        return Error::invalid_response(method, why);
    }
    HttpStatus::from(&response).explain(method, &response.beginning(EXCERPT).await)
}

impl From<&HttpResponse> for HttpStatus {
    fn from(response: &HttpResponse) -> Self {
        Self {
            code: response.status.as_u16(),
            retry_after: response.retry_after(),
        }
    }
}
