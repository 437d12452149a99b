//! A reply as the response that HTTP sends.

use http::header::{ALLOW, CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

use super::events::Events;
use super::{Body, HttpLimits};
use plainly_transport::{Reply, ReplyBody};

/// The seconds after which a client that was refused for want of room may retry: most requests take less.
const RETRY: HeaderValue = HeaderValue::from_static("1");
/// The media type of replies, except pages.
const JSON: HeaderValue = HeaderValue::from_static("application/json");
/// The methods of the endpoint: POST for messages, GET for the stream of a session, DELETE for its end.
pub(super) const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");
/// The most headers for which a connection keeps its memory: as many as clients and proxies usually send.
const MOST_REUSED: usize = 48;
/// Keeps proxies from holding events back (Streamable HTTP, "Receiving Messages").
const NO_BUFFERING: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-accel-buffering"),
    HeaderValue::from_static("no"),
);

/// Turns a reply into a response. The only place that adds the headers that all replies have in HTTP.
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

/// Answers in the memory of the request's headers, where hyper reads those of the connection's next request: nothing is
/// allocated for them any more, which was a tenth of all instructions of a small request.
pub(super) fn reuse(mut headers: HeaderMap, reply: &mut HeaderMap) {
    if headers.capacity() <= MOST_REUSED {
        headers.clear();
        headers.extend(std::mem::take(reply));
        *reply = headers;
    }
}
