//! The paths of an HTTP service, with the responses at each.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    CACHE_CONTROL, CONTENT_TYPE,
};
use http::request::Parts;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use plainly_errors::Refusal;

use super::origin::AllowedNames;
use super::read::Rejection;
use super::readiness::Readiness;
use plainly_transport::Reply;
use plainly_transport::health::Health;

/// The headers that allow pages of every origin to read the documents of a gate.
const FOR_ALL_PAGES: [(HeaderName, HeaderValue); 3] = [
    (ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*")),
    (
        ACCESS_CONTROL_ALLOW_METHODS,
        HeaderValue::from_static("GET, POST"),
    ),
    (
        ACCESS_CONTROL_ALLOW_HEADERS,
        HeaderValue::from_static("Content-Type, MCP-Protocol-Version"),
    ),
];
/// The time for which such a document may be cached.
const AN_HOUR: HeaderValue = HeaderValue::from_static("max-age=3600");
const PLAIN: HeaderValue = HeaderValue::from_static("text/plain; charset=utf-8");
const NOT_AT_ALL: HeaderValue = HeaderValue::from_static("no-store");

/// The response at a path beside the endpoint, without authentication.
#[derive(Clone)]
pub struct Route(Answer);

#[derive(Clone)]
enum Answer {
    Health,
    Readiness(Readiness),
    Document(Bytes),
    Page(HeaderValue, Arc<PageHandler>),
    Form(Arc<FormHandler>),
}

/// Creates the content of a page.
type PageHandler = dyn Fn() -> (StatusCode, Bytes) + Send + Sync;

/// Responds to the bytes of a POST.
type FormHandler = dyn Fn(&[u8]) -> (StatusCode, Bytes) + Send + Sync;

impl Route {
    /// Responds with 200 at once, to any method and with any `Host`, because probes address a
    /// server by its IP address.
    pub fn health() -> Self {
        Self(Answer::Health)
    }

    /// Responds with 200, or with 503 while the server is not ready or after it was asked to stop;
    /// otherwise like [`health`](Self::health).
    pub fn readiness(readiness: &Readiness) -> Self {
        Self(Answer::Readiness(readiness.clone()))
    }

    /// Responds to GET with this JSON, also to pages of any origin.
    pub fn document(json: impl Into<Bytes>) -> Self {
        Self(Answer::Document(json.into()))
    }

    /// Responds to GET with a status and content of this media type, both created for each request.
    /// Pages of other origins can't read the content.
    ///
    /// Any IP address is accepted as the `Host`, because scrapers address a server by its IP
    /// address. A name must be one that the service [allows](super::HttpService::allow_host).
    pub fn page(
        media_type: HeaderValue,
        content: impl Fn() -> (StatusCode, Bytes) + Send + Sync + 'static,
    ) -> Self {
        Self(Answer::Page(media_type, Arc::new(content)))
    }

    /// Responds to the body of a POST with a status and JSON, also to pages of any origin.
    pub fn form(answer: impl Fn(&[u8]) -> (StatusCode, Bytes) + Send + Sync + 'static) -> Self {
        Self(Answer::Form(Arc::new(answer)))
    }
}

impl Route {
    /// The methods that the route accepts.
    pub(super) fn methods(&self) -> HeaderValue {
        HeaderValue::from_static(match self.0 {
            Answer::Health | Answer::Readiness(_) | Answer::Page(..) => "GET, HEAD",
            Answer::Document(_) => "GET, HEAD, OPTIONS",
            Answer::Form(_) => "POST, OPTIONS",
        })
    }

    /// The reply to a request at the path of the route. `read` reads the body, which only a form
    /// needs.
    pub(super) async fn answer(
        &self,
        head: &Parts,
        allowed: &AllowedNames,
        read: impl Future<Output = Result<Bytes, Rejection>>,
    ) -> Result<Reply, Rejection> {
        match &self.0 {
            Answer::Health => Ok(Reply::new(StatusCode::OK, Bytes::new())),
            Answer::Readiness(readiness) => Ok(readiness_reply(readiness)),
            Answer::Document(document) => {
                allowed.check_host(head)?;
                document_reply(&head.method, document.clone())
            }
            Answer::Page(media_type, content) => {
                allowed.check_name(head)?;
                page_reply(&head.method, media_type, &**content)
            }
            Answer::Form(form) => {
                allowed.check_host(head)?;
                match form_asked(&head.method)? {
                    Some(reply) => Ok(reply),
                    None => Ok(form_reply(form(&read.await?))),
                }
            }
        }
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Answer::Health => "Route::health",
            Answer::Readiness(_) => "Route::readiness",
            Answer::Document(_) => "Route::document",
            Answer::Page(..) => "Route::page",
            Answer::Form(_) => "Route::form",
        })
    }
}

/// The part of a service that handles a path.
#[derive(Clone, Debug)]
pub(super) enum Target {
    /// Streamable HTTP.
    Endpoint,
    /// HTTP with SSE.
    Pipes,
    Beside(Route),
}

/// The table of paths.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    rows: Vec<(Box<str>, Target)>,
    /// Whether the endpoint has its own path, or had one that another row replaced.
    is_placed: bool,
}

impl Routes {
    /// Adds a path, and replaces another with the same name or the same endpoint.
    pub(super) fn add(&mut self, path: &str, target: Target) {
        self.is_placed |= matches!(target, Target::Endpoint);
        self.rows.retain(|(other, row)| {
            let is_other = match (row, &target) {
                (Target::Endpoint, Target::Endpoint) | (Target::Pipes, Target::Pipes) => false,
                (Target::Endpoint | Target::Pipes | Target::Beside(_), _) => true,
            };
            is_other && **other != *path
        });
        self.rows.push((path.into(), target));
    }

    /// The target at this path. An endpoint that never had its own path handles every other path.
    pub(super) fn at(&self, path: &str) -> Option<&Target> {
        let row = self.rows.iter().find(|(own, _)| **own == *path);
        match row {
            Some((_, target)) => Some(target),
            None => (!self.is_placed).then_some(&Target::Endpoint),
        }
    }

    /// A table without an endpoint.
    pub(super) fn without_endpoint() -> Self {
        Self {
            rows: Vec::new(),
            is_placed: true,
        }
    }

    /// Whether there is an endpoint, at its own path or at every other path.
    pub(super) fn has_endpoint(&self) -> bool {
        !self.is_placed || self.endpoint().is_some()
    }

    /// The path of the endpoint, if it has one.
    pub(super) fn endpoint(&self) -> Option<&str> {
        let mut rows = self.rows.iter();
        let row = rows.find(|(_, target)| matches!(target, Target::Endpoint))?;
        Some(&row.0)
    }
}

/// The reply to a probe of readiness.
fn readiness_reply(readiness: &Readiness) -> Reply {
    let (status, text) = match readiness.health() {
        Health::Ready => (StatusCode::OK, "ready\n"),
        Health::Degraded => (StatusCode::OK, "degraded\n"),
        Health::NotReady => (StatusCode::SERVICE_UNAVAILABLE, "not ready\n"),
    };
    let mut reply = Reply::new(status, text.into());
    reply.headers.insert(CACHE_CONTROL, NOT_AT_ALL);
    reply.headers.insert(CONTENT_TYPE, PLAIN);
    reply
}

/// The reply to a request for a public document.
fn document_reply(method: &Method, document: Bytes) -> Result<Reply, Rejection> {
    let mut reply = match *method {
        Method::GET | Method::HEAD => Reply::new(StatusCode::OK, document),
        // A page sends a preflight, because the version of the protocol is in a custom header.
        Method::OPTIONS => Reply::new(StatusCode::NO_CONTENT, Bytes::new()),
        _ => return Err(Refusal::MethodNotAllowed.into()),
    };
    reply.headers.extend(FOR_ALL_PAGES);
    reply.headers.insert(CACHE_CONTROL, AN_HOUR);
    Ok(reply)
}

/// The reply to a request for a page.
fn page_reply(
    method: &Method,
    media_type: &HeaderValue,
    content: &PageHandler,
) -> Result<Reply, Rejection> {
    let (status, content) = match *method {
        Method::GET | Method::HEAD => content(),
        _ => return Err(Refusal::MethodNotAllowed.into()),
    };
    let mut reply = Reply::new(status, content);
    reply.headers.insert(CACHE_CONTROL, NOT_AT_ALL);
    reply.headers.insert(CONTENT_TYPE, media_type.clone());
    Ok(reply)
}

/// The reply to a request at the path of a form that is not a POST, because a page sends a
/// preflight.
fn form_asked(method: &Method) -> Result<Option<Reply>, Rejection> {
    match *method {
        Method::POST => Ok(None),
        Method::OPTIONS => Ok(Some(form_reply((StatusCode::NO_CONTENT, Bytes::new())))),
        _ => Err(Refusal::MethodNotAllowed.into()),
    }
}

/// The reply to a public form.
fn form_reply((status, body): (StatusCode, Bytes)) -> Reply {
    let mut reply = Reply::new(status, body);
    reply.headers.extend(FOR_ALL_PAGES);
    reply.headers.insert(CACHE_CONTROL, NOT_AT_ALL);
    reply
}
