//! The state shared by all requests over HTTP: the endpoint and, for legacy servers, the session.
//! The session's id is sent with every request, and a session that the server has forgotten is
//! detected.

use std::error::Error as StdError;
use std::future::Future;
use std::io;
use std::sync::Arc;

use http::{HeaderMap, HeaderName, HeaderValue};
use plainly_protocol::header::{MCP_PROTOCOL_VERSION, MCP_SESSION_ID};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;

use super::endpoint::{Endpoint, HttpResponse};
use super::failure::HttpFailure;
use crate::error::status::{EXCERPT, HttpStatus};
use crate::error::{Challenges, CloseReason, ConnectionEnd, Error, LocalError};
use crate::link::dispatcher::Dispatcher;
use crate::message::timeouts::FAREWELL;
use plainly_transport::lock::Lock;
use plainly_transport::tls;

/// Replaces the method in errors about a stream that was not opened by a call.
pub(super) const GET: &str = "GET";
/// The most answers in transit to a server that need no handler: to pings and to rejected
/// questions.
const ANSWERS: usize = 16;

/// An endpoint, and the session there.
#[derive(Debug)]
pub(crate) struct HttpSession {
    pub(super) endpoint: Endpoint,
    pub(super) dispatcher: Dispatcher,
    /// The places for these answers. While there is none, the stream with the next question is not
    /// read any further.
    pub(super) answers: Arc<Semaphore>,
    /// The last message since the last reply that answers no request, in words.
    pub(super) stray: Lock<Option<String>>,
    state: Lock<SessionState>,
    closed: watch::Sender<bool>,
}

#[derive(Debug)]
enum SessionState {
    /// There is no session: the server is modern, has no sessions, or was not asked yet.
    Without,
    /// There is a session with this id.
    Open(HeaderValue),
    /// The server has forgotten it.
    Lost,
    /// There never was a session: the server refused the handshake like a server that only supports
    /// the previous transport (2025-11-25, "Backwards Compatibility").
    Refused,
}

impl HttpSession {
    pub(super) fn new(endpoint: Endpoint, dispatcher: Dispatcher) -> Self {
        Self {
            endpoint,
            dispatcher,
            answers: Arc::new(Semaphore::new(ANSWERS)),
            stray: Lock::default(),
            state: Lock::new(SessionState::Without),
            closed: watch::Sender::new(false),
        }
    }

    /// Whether this client has closed the connection.
    pub(super) fn is_closed(&self) -> bool {
        *self.closed.borrow()
    }

    /// A receiver that shows whether this client has closed the connection, and that changes when
    /// it does.
    pub(super) fn closed(&self) -> watch::Receiver<bool> {
        self.closed.subscribe()
    }

    /// Waits for `doing`, or fails once this client has closed the connection.
    pub(super) async fn until_closed<T>(
        &self,
        doing: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Error> {
        let mut closed = self.closed();
        tokio::select! {
            biased;
            _ = closed.wait_for(|closed| *closed) => {
                let closed = ConnectionEnd::without_words(CloseReason::Ours);
                Err(LocalError::Closed(closed.into()).into())
            }
            done = doing => done,
        }
    }

    /// Ends the session, and every call in flight.
    pub(super) async fn end(&self) {
        if self.closed.send_replace(true) {
            return;
        }
        let ended = std::mem::replace(&mut *self.state.lock(), SessionState::Without);
        let SessionState::Open(id) = ended else {
            return;
        };
        let mut headers = self.version();
        headers.insert(HeaderName::from_static(MCP_SESSION_ID), id);
        // The server may refuse (405) or be gone, in which case the session expires.
        let deleted = timeout(FAREWELL, self.endpoint.delete(headers)).await;
        tracing::debug!(?deleted, "session ended");
    }

    /// The header with the revision.
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
        match &*self.state.lock() {
            SessionState::Without | SessionState::Refused => Ok(None),
            SessionState::Lost => Err(LocalError::SessionLost.into()),
            SessionState::Open(id) => {
                headers.insert(HeaderName::from_static(MCP_SESSION_ID), id.clone());
                Ok(Some(id.clone()))
            }
        }
    }

    /// The id of the session, if there is one.
    pub(super) fn id(&self) -> Option<HeaderValue> {
        match &*self.state.lock() {
            SessionState::Without | SessionState::Lost | SessionState::Refused => None,
            SessionState::Open(id) => Some(id.clone()),
        }
    }

    /// Whether the server refused the handshake like a server of the previous transport.
    pub(crate) fn is_refused(&self) -> bool {
        matches!(*self.state.lock(), SessionState::Refused)
    }

    /// Notes the response to the handshake.
    pub(super) fn answered(&self, response: &HttpResponse) {
        let id = response.headers.get(MCP_SESSION_ID).cloned();
        let mut state = self.state.lock();
        match (response.status.as_u16(), id, &*state) {
            (200..300, Some(mut id), _) => {
                // The id gives access to the session, so it must not get into a log.
                id.set_sensitive(true);
                *state = SessionState::Open(id);
            }
            (200..300, None, _) => *state = SessionState::Without,
            // A server that had a session before is no server of the previous transport.
            (400 | 404 | 405, _, SessionState::Without) => *state = SessionState::Refused,
            _ => {}
        }
    }

    /// Notes that `session` is lost, unless another request has opened a new one in the meantime.
    pub(super) fn lose(&self, session: Option<HeaderValue>) {
        let mut state = self.state.lock();
        if matches!(&*state, SessionState::Open(id) if Some(id) == session.as_ref()) {
            *state = SessionState::Lost;
        }
    }

    pub(super) fn failed(&self, failure: HttpFailure, method: &'static str) -> Error {
        failure.explain(method, &self.endpoint)
    }
}

impl HttpFailure {
    /// The error of a call of `method` that ended with this failure.
    pub(super) fn explain(self, method: &'static str, endpoint: &Endpoint) -> Error {
        match self {
            Self::Unreachable(source) => LocalError::Unreachable {
                url: endpoint.display_url(),
                source: tls::in_words(source),
            }
            .into(),
            Self::Broken(source) => match not_http(&source) {
                Some(why) => Error::invalid_response(method, format!("it is not HTTP: {why}")),
                None => LocalError::Interrupted {
                    method,
                    instead: None,
                    retry_after: None,
                    source: Some(source.into()),
                }
                .into(),
            },
            Self::TooLarge(_) => Error::invalid_response(method, self.to_string()),
            Self::Authorization(error) => LocalError::Authorization(error).into(),
        }
    }
}

/// The reason why the data is not HTTP, if the response could not be read because of that.
fn not_http(error: &reqwest::Error) -> Option<&(dyn StdError + 'static)> {
    let causes = std::iter::successors(error.source(), |&cause| cause.source());
    let last = causes.last()?;
    let of_head = last.downcast_ref::<hyper::Error>();
    let is_read = of_head.is_some_and(|error| {
        !(error.is_incomplete_message() || error.is_closed() || error.is_canceled())
    });
    let of_chunks = last.downcast_ref::<io::Error>();
    let is_invalid = of_chunks.is_some_and(|error| {
        matches!(
            error.kind(),
            io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData
        )
    });
    (is_read || is_invalid).then_some(last)
}

/// The error for a response without a message.
pub(super) async fn no_message(method: &'static str, response: HttpResponse) -> Error {
    let status = response.status;
    if !status.is_success() {
        return HttpStatus::from(&response).explain(method, &response.beginning(EXCERPT).await);
    }
    let kind = response.headers.get(http::header::CONTENT_TYPE);
    let kind = kind.and_then(|kind| kind.to_str().ok());
    let kind = kind.map_or_else(String::new, |kind| format!(" with content type {kind:?}"));
    let body = response.beginning(EXCERPT).await;
    let why = format!(
        "HTTP status {status}{kind} in place of a message; the path of the URL may be wrong"
    );
    LocalError::InvalidResponse {
        method,
        why,
        mistakes: Vec::new(),
        result: None,
        body: String::from_utf8_lossy(&body).into_owned(),
    }
    .into()
}

impl From<&HttpResponse> for HttpStatus {
    fn from(response: &HttpResponse) -> Self {
        Self {
            code: response.status.as_u16(),
            retry_after: response.retry_after(),
            location: response.location(),
            challenges: Challenges::of(response.status, &response.headers),
        }
    }
}
