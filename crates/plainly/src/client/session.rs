//! A connection over HTTP: each request is a POST, and its reply comes back on it. For legacy servers it keeps the
//! session: its id goes with every request, and a session that the server forgot is noticed.
//!
//! Knows messages, not methods, but for the one that opens a session and the one whose reply is a stream of news.

mod asked;
mod resuming;
mod unasked;
mod withdrawal;

use std::future::Future;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use plainly_protocol::header::{MCP_PROTOCOL_VERSION, MCP_SESSION_ID};
use plainly_protocol::id::RequestId;
use plainly_protocol::method::Method;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::task::coop::consume_budget;

use self::resuming::Resuming;
pub(super) use self::unasked::Opened;
use self::withdrawal::Withdrawal;
use super::error::{CloseReason, Closed, Error, LocalError};
use super::message::Request;
use super::news::News;
use super::reception::Reception;
use super::reply::{self, EXCERPT, Incoming, Reply, excerpt};
use super::status::Status;
use crate::transport::Frame;
use crate::transport::http_client::{Content, Endpoint, Failure, Response};

/// How long a message may take on which nothing depends any more.
const FAREWELL: Duration = Duration::from_secs(5);

/// Our end of an HTTP connection.
#[derive(Debug)]
pub(super) struct Session {
    endpoint: Endpoint,
    state: Mutex<State>,
    reception: Reception,
    /// The stream on which the server speaks first.
    pub(super) news: News,
    closed: watch::Sender<bool>,
}

#[derive(Debug)]
enum State {
    /// There is none: the server is modern, keeps no sessions, or was not asked yet.
    Without,
    /// The server knows us by this id.
    Open(HeaderValue),
    /// The server has forgotten it.
    Lost,
}

impl Session {
    /// Nothing is sent before the first call.
    pub(super) fn new(endpoint: Endpoint, reception: Reception) -> Self {
        Self {
            endpoint,
            state: Mutex::new(State::Without),
            reception,
            news: News::default(),
            closed: watch::Sender::new(false),
        }
    }

    /// How many bytes of replies have arrived.
    pub(super) fn received(&self) -> u64 {
        self.endpoint.received()
    }

    /// Whether the server has forgotten the session.
    pub(super) fn is_lost(&self) -> bool {
        matches!(*self.state(), State::Lost)
    }

    /// Where what is no reply goes.
    pub(super) fn reception(&self) -> &Reception {
        &self.reception
    }

    /// Sends a request and waits for the reply. Dropping the future cancels the request.
    pub(super) async fn call(&self, request: &Request) -> Result<Reply, Error> {
        self.until_closed(self.exchange(request)).await
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

    async fn exchange(&self, request: &Request) -> Result<Reply, Error> {
        let opens = request.method == Method::Initialize;
        let mut frame = request.frame.clone();
        let session = if opens {
            None
        } else {
            self.join(&mut frame.headers)?
        };
        let mut withdrawal = Withdrawal::of(self, request, &frame.headers);
        let response = self.endpoint.post(frame).await;
        let response = response.map_err(|failure| self.failed(failure, request.name()))?;
        if session.is_some() && response.status == StatusCode::NOT_FOUND {
            self.lose(session);
            withdrawal.needless = true;
            return Err(LocalError::SessionLost.into());
        }
        if opens && response.status.is_success() {
            self.open(&response.headers);
        }
        let reply = self.reply(request, response).await;
        // What failed at the other end needs no withdrawal: only a call that is dropped does.
        withdrawal.needless = true;
        reply
    }

    /// Sends a message that wants no reply.
    pub(super) async fn notify(&self, mut frame: Frame, method: &'static str) -> Result<(), Error> {
        self.join(&mut frame.headers)?;
        let response = self.endpoint.post(frame).await;
        let response = response.map_err(|failure| self.failed(failure, method))?;
        if !response.status.is_success() {
            return Err(no_message(method, response).await);
        }
        response.discard();
        Ok(())
    }

    /// Ends the session, and every call in flight.
    pub(super) async fn close(&self) {
        if self.closed.send_replace(true) {
            return;
        }
        let State::Open(id) = std::mem::replace(&mut *self.state(), State::Without) else {
            return;
        };
        let mut headers = self.version();
        headers.insert(HeaderName::from_static(MCP_SESSION_ID), id);
        // The server may refuse (405) or be gone: the session then ends by itself.
        let deleted = tokio::time::timeout(FAREWELL, self.endpoint.delete(headers)).await;
        tracing::debug!(?deleted, "session ended");
    }

    async fn reply(&self, request: &Request, response: Response) -> Result<Reply, Error> {
        match response.content {
            Content::Events if response.status.is_success() => self.events(request, response).await,
            Content::Json => self.body(request, response).await,
            Content::Events | Content::Other => Err(no_message(request.name(), response).await),
        }
    }

    async fn body(&self, request: &Request, response: Response) -> Result<Reply, Error> {
        let (is_success, status) = (response.status.is_success(), Status::from(&response));
        let body = response.body().await;
        let body = body.map_err(|failure| self.failed(failure, request.name()))?;
        let replies = reply::read(&body).into_iter();
        let mut replies = replies.filter_map(|incoming| incoming.reply_to(&request.id).ok());
        match (replies.next(), is_success) {
            (Some(reply), true) => Ok(reply),
            (None, true) => Err(Error::invalid_response(
                request.name(),
                "the body holds no reply to the request",
            )),
            (Some(Reply::Error(json)), false) => Ok(Reply::Refusal(json, status)),
            // A result that failed is none.
            (_, false) => Err(status.explain(request.name(), excerpt(&body))),
        }
    }

    async fn events(&self, request: &Request, mut response: Response) -> Result<Reply, Error> {
        // They end with the call: who has replied waits for no answer.
        let mut answering = JoinSet::new();
        let mut resuming = Resuming::default();
        loop {
            let event = match response.next_event().await {
                Ok(Some(event)) => event,
                ended => {
                    let (failure, method) = (ended.err(), request.name());
                    response = self
                        .resume(&mut resuming, &response, failure, method)
                        .await?;
                    continue;
                }
            };
            resuming.goes_on();
            for incoming in reply::read(&event) {
                match incoming.reply_to(&request.id) {
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
            Incoming::Request(asked) => self.ask(asked, answering).await,
            Incoming::Notification { method, params } => {
                self.reception.tell(&method, &params, on);
            }
            other @ (Incoming::Reply { .. } | Incoming::NoMessage { .. }) => {
                tracing::debug!(?other, "dropped: not the reply to the request");
            }
        }
        // A server that sends nothing else must not hold up the deadline and other calls.
        consume_budget().await;
    }

    /// The header that says which revision is spoken.
    fn version(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(
            HeaderName::from_static(MCP_PROTOCOL_VERSION),
            HeaderValue::from_static(self.reception.revision.get().as_str()),
        );
        headers
    }

    /// Adds the id of the session, if there is one.
    fn join(&self, headers: &mut HeaderMap) -> Result<Option<HeaderValue>, Error> {
        match &*self.state() {
            State::Without => Ok(None),
            State::Lost => Err(LocalError::SessionLost.into()),
            State::Open(id) => {
                headers.insert(HeaderName::from_static(MCP_SESSION_ID), id.clone());
                Ok(Some(id.clone()))
            }
        }
    }

    /// The id of the session, if there is one.
    pub(super) fn id(&self) -> Option<HeaderValue> {
        match &*self.state() {
            State::Without | State::Lost => None,
            State::Open(id) => Some(id.clone()),
        }
    }

    fn open(&self, headers: &HeaderMap) {
        *self.state() = match headers.get(MCP_SESSION_ID).cloned() {
            Some(mut id) => {
                id.set_sensitive(true);
                State::Open(id)
            }
            None => State::Without,
        };
    }

    /// Another request may have opened a new session in the meantime: that one is not lost.
    fn lose(&self, session: Option<HeaderValue>) {
        let mut state = self.state();
        if matches!(&*state, State::Open(id) if Some(id) == session.as_ref()) {
            *state = State::Lost;
        }
    }

    fn failed(&self, failure: Failure, method: &'static str) -> Error {
        match failure {
            Failure::Unreachable(source) => LocalError::Unreachable {
                url: self.endpoint.display_url(),
                source: source.into(),
            }
            .into(),
            Failure::Broken(source) => LocalError::Interrupted {
                method,
                source: Some(source.into()),
            }
            .into(),
            Failure::TooLarge(limit) => {
                Error::invalid_response(method, format!("it is larger than {limit} bytes"))
            }
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A response that holds no message for us.
async fn no_message(method: &'static str, response: Response) -> Error {
    let status = response.status;
    if status.is_success() {
        let kind = response.headers.get(http::header::CONTENT_TYPE);
        let kind = kind.and_then(|kind| kind.to_str().ok()).unwrap_or("none");
        let why = format!("HTTP status {status} with content type {kind:?}");
        return Error::invalid_response(method, why);
    }
    Status::from(&response).explain(method, response.beginning(EXCERPT).await)
}

impl From<&Response> for Status {
    fn from(response: &Response) -> Self {
        Self {
            code: response.status.as_u16(),
            retry_after: response.retry_after(),
        }
    }
}
