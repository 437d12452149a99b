//! Finds out whether a server that refused the handshake supports HTTP with SSE (2025-11-25,
//! "Backwards Compatibility"): then GET opens a stream of events, the first of which names the URL
//! for posting messages. Otherwise it reports the more useful error.

use http::{HeaderMap, StatusCode};
use plainly_errors::mistake::in_quotes;

use super::endpoint::{ContentKind, Endpoint, HttpResponse};
use super::failure::HttpFailure;
use super::session::{GET, no_message};
use super::sse::EventKind;
use crate::error::{Error, is_of_the_way};
use crate::message::deadline::Deadline;

/// A session that has just been opened.
#[derive(Debug)]
pub(crate) struct OpenedPipe {
    /// The response with its messages.
    pub(super) events: HttpResponse,
    /// The endpoint for posting messages.
    pub(super) entrance: Endpoint,
}

/// Opens a pipe at `endpoint` before the deadline `by`. If there is none, the error is `refusal`,
/// which the handshake ended with, unless another error says more.
pub(crate) async fn open(
    endpoint: &Endpoint,
    by: &Deadline,
    refusal: Error,
) -> Result<OpenedPipe, Error> {
    let asking = async { Ok(endpoint.get(HeaderMap::new(), None).await) };
    let mut events = match by.wait_for(GET, asking).await {
        Ok(Ok(response)) if is_stream(&response) => response,
        Ok(Ok(other)) => return Err(telling(refusal, other).await),
        Ok(Err(failure @ HttpFailure::Authorization(_))) => {
            return Err(failure.explain(GET, endpoint));
        }
        Ok(Err(_)) | Err(_) => return Err(refusal),
    };
    let naming = async { Ok(first_event(&mut events, endpoint).await) };
    let named = match by.wait_for(GET, naming).await {
        Ok(Ok(named)) => named,
        // The stream is of another kind, and the server's error for the handshake says more.
        Ok(Err(_)) | Err(_) if refusal.protocol().is_some() => return Err(refusal),
        Ok(Err(error)) => return Err(error),
        Err(silence) => {
            let sent = "a stream of events without `endpoint`".to_owned();
            return Err(silence.with_instead(Some(sent)));
        }
    };
    if named.is_empty() {
        return Err(invalid("its `endpoint` event is empty"));
    }
    let entrance = endpoint.at(&named);
    let entrance = entrance.map_err(|why| invalid(&format!("its `endpoint` event names {why}")))?;
    Ok(OpenedPipe { events, entrance })
}

fn is_stream(response: &HttpResponse) -> bool {
    response.status == StatusCode::OK && response.content == ContentKind::Events
}

/// The URL for posting messages, from the first event.
async fn first_event(events: &mut HttpResponse, endpoint: &Endpoint) -> Result<String, Error> {
    let event = events.next_event().await;
    let event = event.map_err(|failure| failure.explain(GET, endpoint))?;
    let Some(event) = event else {
        return Err(invalid("its stream of events ended before `endpoint`"));
    };
    let data = String::from_utf8_lossy(&event.data);
    match event.kind {
        EventKind::Endpoint => Ok(data.trim().to_owned()),
        EventKind::Message | EventKind::Error => {
            let data = in_quotes(&data);
            Err(invalid(&format!(
                "its stream of events begins with {data} and not with `endpoint`"
            )))
        }
    }
}

/// The more useful error of two: the error of the handshake, and the response to GET if it is no
/// stream.
async fn telling(refusal: Error, response: HttpResponse) -> Error {
    let is_page = response.status.is_success();
    let other = no_message(GET, response).await;
    // A 404, or the server's own error, says more than a web page.
    let says_enough = refusal.protocol().is_some() || refusal.http_status() == Some(404);
    match other.http_status() {
        Some(status) if is_of_the_way(status) => other,
        None if is_page && !says_enough => other,
        Some(_) | None => refusal,
    }
}

fn invalid(why: &str) -> Error {
    Error::invalid_response(GET, why)
}
