//! Headers by which browsers allow pages of allowed origins to use the server (Fetch, "CORS
//! protocol"). Pages of other origins get none. Credentials of the browser itself, such as cookies,
//! are never allowed, because clients send their own.

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, ORIGIN, VARY,
};
use http::request::Parts;
use http::{HeaderMap, HeaderName, HeaderValue, Method, Response, StatusCode};

use super::Body;
use super::origin::AllowedNames;
use super::response::METHODS;
use plainly_transport::Reply;

/// The headers that clients and their tracing send, except for `Mcp-Param-*`, whose names come from
/// the schemas of tools.
const SENT: &str = "Accept, Authorization, baggage, Content-Type, DPoP, Last-Event-ID, \
                    MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, traceparent, \
                    tracestate";
/// The headers of responses that clients read.
const READ: HeaderValue = HeaderValue::from_static(
    "DPoP-Nonce, MCP-Protocol-Version, Mcp-Session-Id, Retry-After, WWW-Authenticate",
);
/// The beginning of the names of headers that mirror arguments of tools.
const MIRRORED: &str = "mcp-param-";
/// The seconds for which a browser may cache the response to a preflight, which is the maximum of
/// all browsers.
const TWO_HOURS: HeaderValue = HeaderValue::from_static("7200");
const REQUEST_PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-request-private-network");
const ALLOW_PRIVATE_NETWORK: HeaderName =
    HeaderName::from_static("access-control-allow-private-network");

/// The allowed origin of the web page that sends a request.
#[derive(Debug)]
pub(super) struct WebPage(HeaderValue);

impl WebPage {
    /// The web page of a request; `None` for a page of another origin and for a program that is not
    /// a browser.
    pub(super) fn of(head: &Parts, allowed: &AllowedNames) -> Option<Self> {
        let mut origins = head.headers.get_all(ORIGIN).iter();
        let origin = origins.next()?;
        let is_allowed = origins.next().is_none() && allowed.names_origin(origin.as_bytes());
        is_allowed.then(|| Self(origin.clone()))
    }
}

/// Allows the page, if there is one, to read the response.
pub(super) fn admit(page: Option<WebPage>, response: &mut Response<Body>) {
    if let Some(WebPage(origin)) = page {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, READ);
        headers.append(VARY, HeaderValue::from_static("Origin"));
    }
}

/// The response to a preflight, by which a browser asks whether a page may send a request. `None`
/// for other requests.
pub(super) fn preflight(head: &Parts) -> Option<Reply> {
    let asked = &head.headers;
    if head.method != Method::OPTIONS || !asked.contains_key(ACCESS_CONTROL_REQUEST_METHOD) {
        return None;
    }
    let mut reply = Reply::new(StatusCode::NO_CONTENT, Bytes::new());
    let headers = &mut reply.headers;
    headers.insert(ACCESS_CONTROL_ALLOW_METHODS, METHODS);
    headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, sent(asked));
    headers.insert(ACCESS_CONTROL_MAX_AGE, TWO_HOURS);
    if asked.contains_key(REQUEST_PRIVATE_NETWORK) {
        headers.insert(ALLOW_PRIVATE_NETWORK, HeaderValue::from_static("true"));
    }
    Some(reply)
}

/// The headers that a page may send, including those among the `asked` ones that mirror arguments.
fn sent(asked: &HeaderMap) -> HeaderValue {
    let names = asked.get(ACCESS_CONTROL_REQUEST_HEADERS);
    let names = names.and_then(|names| names.to_str().ok()).unwrap_or("");
    let mirrored = names.split(',').map(str::trim).filter(|name| {
        let begin = name.get(..MIRRORED.len());
        begin.is_some_and(|begin| begin.eq_ignore_ascii_case(MIRRORED))
    });
    let all: Vec<&str> = [SENT].into_iter().chain(mirrored).collect();
    // All parts come from the value of a header.
    HeaderValue::from_str(&all.join(", ")).unwrap_or(HeaderValue::from_static(SENT))
}
