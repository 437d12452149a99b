//! Resumes the stream of a reply that ended before the reply (2025-11-25, "Resumability and
//! Redelivery"). A legacy server may close the connection at any time; the client then requests the
//! events after the last one that arrived.

use std::time::Duration;

use http::{HeaderName, HeaderValue, StatusCode};

use super::endpoint::{ContentKind, HttpResponse};
use super::failure::HttpFailure;
use super::session::{HttpSession, no_message};
use super::sse::Resumption;
use crate::error::Error;
use crate::message::request::OutgoingRequest;

/// The pause before a stream is requested again, if the server does not specify one.
const PAUSE: Duration = Duration::from_secs(1);
/// The most attempts in a row without an event.
const ATTEMPTS: u32 = 5;
/// The header with the id of the last event received.
pub(super) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// The position in the stream of a reply, and the attempts to resume it.
#[derive(Debug, Default)]
pub(super) struct ReplyResumption {
    from: Resumption,
    attempts: u32,
}

impl ReplyResumption {
    /// Notes that a message has arrived.
    pub(super) fn goes_on(&mut self) {
        self.attempts = 0;
    }

    /// Notes where a stream ended.
    fn ended_at(&mut self, end: &Resumption) {
        let before = self.from.last_id.clone();
        self.from.update(end);
        // A server that lets the client poll may send no more than a new position each time.
        if self.from.last_id != before {
            self.goes_on();
        }
    }
}

impl HttpSession {
    /// Opens the rest of a stream that `ended`. If that is impossible, the reply to `request` was
    /// interrupted, because of `failure` if there is one.
    pub(super) async fn resume(
        &self,
        resuming: &mut ReplyResumption,
        ended: &HttpResponse,
        failure: Option<HttpFailure>,
        request: &OutgoingRequest<'_>,
    ) -> Result<HttpResponse, Error> {
        let method = request.method.name();
        resuming.ended_at(ended.resumption());
        let broken = match failure {
            Some(failure @ HttpFailure::TooLarge(_)) => return Err(self.failed(failure, method)),
            Some(failure) => self.failed(failure, method),
            None => Error::interrupted(method),
        };
        let mut broken = broken.with_retry(resuming.from.retry);
        let Some(last) = self.last_event(&resuming.from) else {
            return Err(broken);
        };
        while resuming.attempts < ATTEMPTS {
            resuming.attempts += 1;
            // Clients must respect the `retry` of the stream (2025-11-25, "Sending Messages to the
            // Server").
            let pause = resuming.from.retry.unwrap_or(PAUSE);
            let asked = broken.retry_after().unwrap_or_default();
            tokio::time::sleep(pause.max(asked)).await;
            let mut headers = self.version();
            let session = self.join(&mut headers)?;
            headers.insert(LAST_EVENT_ID, last.clone());
            let response = match self.endpoint.get(headers, request.budget).await {
                Ok(response) => response,
                // The user is asked to log in once, not at each attempt.
                Err(failure @ HttpFailure::Authorization(_)) => {
                    return Err(self.failed(failure, method));
                }
                Err(failure) => {
                    broken = self.failed(failure, method);
                    continue;
                }
            };
            // A server may notice late that the connection broke, and then reports a conflict.
            let is_conflict = response.status == StatusCode::CONFLICT;
            broken = match (response.status, response.content) {
                (StatusCode::OK, ContentKind::Events) => return Ok(response),
                (StatusCode::NOT_FOUND, _) if session.is_some() => {
                    self.lose(session);
                    // A lost session would repeat the call, which the server may have acted on.
                    return Err(broken);
                }
                // The server does not resume streams. The caller's error is the interrupted reply,
                // not this request.
                (StatusCode::METHOD_NOT_ALLOWED, _) => return Err(broken),
                _ => no_message(method, response).await,
            };
            if !is_conflict && !broken.is_retryable() {
                return Err(broken);
            }
        }
        Err(broken)
    }

    /// The id of the last event, if the server can be asked for the events after it.
    pub(super) fn last_event(&self, from: &Resumption) -> Option<HeaderValue> {
        // Only sessions have streams that can be resumed. Within a session of any revision, an id
        // means that the server supports this.
        let has_streams = self.dispatcher.revision.get().traits().sessions;
        let id = Some(&from.last_id).filter(|id| has_streams && !id.is_empty())?;
        HeaderValue::from_maybe_shared(id.clone()).ok()
    }
}
