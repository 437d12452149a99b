//! Converts a reply to an HTTP response.

use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

use super::events::Events;
use super::{Body, HttpLimits};
use plainly_transport::{Reply, ReplyBody};

/// The seconds after which a client that was rejected for lack of room may retry: most requests
/// take less.
const RETRY: HeaderValue = HeaderValue::from_static("1");
/// The media type of replies other than pages.
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// The methods of the endpoint: POST for messages, GET for the stream of a session, DELETE to end a
/// session.
pub(super) const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");
/// The maximum number of headers whose memory a connection reuses: as many as clients and proxies
/// usually send.
const MOST_REUSED: usize = 48;
/// Prevents proxies from buffering events (Streamable HTTP, "Receiving Messages").
const NO_BUFFERING: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-accel-buffering"),
    HeaderValue::from_static("no"),
);

/// Converts a reply to a response. Only this function adds the headers that all HTTP responses
/// have.
pub(super) fn response(reply: Reply, limits: &HttpLimits) -> Response<Body> {
    let mut headers = reply.headers;
    let body = match reply.body {
        ReplyBody::Whole(bytes) => {
            if !bytes.is_empty() {
                headers.entry(CONTENT_TYPE).or_insert(JSON);
            }
            Body::from(bytes)
        }
        ReplyBody::Feed(feed) => {
            let (name, value) = NO_BUFFERING;
            headers.insert(name, value);
            headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
            Body::events(Events::new(feed, limits.keep_alive))
        }
    };
    let mut response = Response::new(body);
    *response.status_mut() = reply.status;
    *response.headers_mut() = headers;
    if reply.status == StatusCode::METHOD_NOT_ALLOWED {
        response.headers_mut().entry(ALLOW).or_insert(METHODS);
    }
    if reply.status == StatusCode::SERVICE_UNAVAILABLE {
        response.headers_mut().entry(RETRY_AFTER).or_insert(RETRY);
    }
    response
}

/// Puts the response's headers into the memory of the request's headers, which hyper then reuses
/// for the connection's next request. Allocating them took a tenth of all instructions of a small
/// request.
pub(super) fn reuse(mut headers: HeaderMap, reply: &mut HeaderMap) {
    if headers.capacity() <= MOST_REUSED {
        headers.clear();
        headers.extend(std::mem::take(reply));
        *reply = headers;
    }
}
