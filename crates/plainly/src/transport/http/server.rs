//! The tower service that carries messages between HTTP and a server. It answers what HTTP alone can decide, in the
//! order written here, and passes on the rest.

use std::convert::Infallible;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{
    ALLOW, CACHE_CONTROL, CONNECTION, CONTENT_TYPE, RETRY_AFTER, TRANSFER_ENCODING,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, Response, StatusCode, Version};
use http_body::Body as HttpBody;
use plainly_errors::{ProtocolError, Refusal};
use tower_service::Service;

use super::events::Events;
use super::origin::{AllowedNames, InvalidAllowance};
use super::read::Rejection;
use super::read::read;
use super::{Body, HttpLimits, checks, pipe};
use crate::quota::Quota;
use crate::transport::{ConnectionMemory, Exchange, Frame, Reply, ReplyBody};

/// The seconds after which a client that was refused for want of room may retry: most requests take less.
const RETRY: HeaderValue = HeaderValue::from_static("1");
/// The methods of the endpoint: POST for messages, GET for the stream of a session, DELETE for its end.
const METHODS: HeaderValue = HeaderValue::from_static("POST, GET, DELETE");
/// What GET is for, to who sends it without the headers that it takes.
const GET_TAKES: &str = "Method not allowed: GET takes the headers Accept: text/event-stream and Mcp-Session-Id. \
     Send messages by POST";
/// The methods of the endpoints of HTTP with SSE.
const SSE_METHODS: HeaderValue = HeaderValue::from_static("GET, POST");
/// The most headers for which a connection keeps its memory: as many as clients and proxies usually send.
const MOST_REUSED: usize = 48;
/// Keeps proxies from holding events back (Streamable HTTP, "Receiving Messages").
const NO_BUFFERING: (HeaderName, HeaderValue) = (
    HeaderName::from_static("x-accel-buffering"),
    HeaderValue::from_static("no"),
);

/// A server over HTTP, as a tower service: mount it in axum or any hyper server, or pass it to an
/// [`HttpServer`](super::HttpServer).
///
/// It accepts requests for `localhost`, `127.0.0.1` and `[::1]`, including those from pages at `http://` with one of
/// these names; [`allow_host`](Self::allow_host) and [`allow_origin`](Self::allow_origin) accept more. Pages of any
/// other origin are refused with 403, and no CORS header is ever sent. See "Security & Endpoint" in the specification's
/// page on Streamable HTTP.
///
/// Dropping the future of a response cancels the request.
///
/// All requests to one value of it count as one connection: clone it for each connection.
#[derive(Debug)]
pub struct HttpService<E> {
    inner: Arc<ServiceState<E>>,
    memory: ConnectionMemory,
}

impl<E> Clone for HttpService<E> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            memory: ConnectionMemory::new(),
        }
    }
}

#[derive(Clone, Debug)]
struct ServiceState<E> {
    exchange: E,
    allowed: AllowedNames,
    path: Option<Box<str>>,
    /// Where the endpoints of HTTP with SSE are.
    sse: Option<Box<str>>,
    limits: HttpLimits,
    /// The bodies that are being read or answered.
    bodies: Quota,
}

impl<E: Exchange> HttpService<E> {
    /// Serves `exchange` at any path, for loopback hosts, with the default limits. For a server,
    /// [`Server::http`](crate::server::Server::http) uses the server's own limits.
    pub fn new(exchange: E) -> Self {
        Self {
            inner: Arc::new(ServiceState {
                exchange,
                allowed: AllowedNames::default(),
                path: None,
                sse: None,
                limits: HttpLimits::default(),
                bodies: Quota::new(HttpLimits::default().in_flight_bytes),
            }),
            memory: ConnectionMemory::new(),
        }
    }

    /// Also accepts requests for `host`: `example.com` at any port, `example.com:8443` at that port.
    pub fn allow_host(mut self, host: &str) -> Result<Self, InvalidAllowance> {
        Arc::make_mut(&mut self.inner).allowed.allow_host(host)?;
        Ok(self)
    }

    /// Also accepts requests from pages of `origin`, such as `https://app.example.com`. To read the replies, the pages
    /// still need CORS headers: add those with a layer.
    pub fn allow_origin(mut self, origin: &str) -> Result<Self, InvalidAllowance> {
        Arc::make_mut(&mut self.inner)
            .allowed
            .allow_origin(origin)?;
        Ok(self)
    }

    /// Serves this path only, with 404 for all others. If there is a router, leave it to the router.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        Arc::make_mut(&mut self.inner).path = Some(path.into());
        self
    }

    /// Also serves HTTP with SSE, the transport of 2024-11-05, at this path, for clients that support nothing newer.
    /// The same checks and limits apply; a session lasts as long as its stream of events.
    ///
    /// Clients are told to send their messages to this path, so it must be the path that they see, and there must be no
    /// other endpoint at it. For layers and handlers, all messages come from the peer that opened the stream.
    #[must_use]
    pub fn sse_endpoint(mut self, path: &str) -> Self {
        Arc::make_mut(&mut self.inner).sse = Some(path.into());
        self
    }

    /// Sets the limits.
    #[must_use]
    pub fn limits(mut self, limits: HttpLimits) -> Self {
        let inner = Arc::make_mut(&mut self.inner);
        inner.bodies = Quota::new(limits.in_flight_bytes);
        inner.limits = limits;
        self
    }

    /// The port that loopback names must have: the one where the service listens.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        Arc::make_mut(&mut self.inner).allowed.port = Some(port);
        self
    }

    pub(super) fn http_limits(&self) -> &HttpLimits {
        &self.inner.limits
    }

    pub(super) fn names_hosts(&self) -> bool {
        self.inner.allowed.names_hosts()
    }

    /// Answers one request. Nobody has to name the future's type, so it needs no box.
    pub(super) fn respond<B>(
        &self,
        request: Request<B>,
    ) -> impl Future<Output = Response<Body>> + Send + use<E, B>
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
    {
        Arc::clone(&self.inner).respond(request, self.memory.clone())
    }
}

impl<E: Exchange> ServiceState<E> {
    async fn respond<B>(
        self: Arc<Self>,
        request: Request<B>,
        memory: ConnectionMemory,
    ) -> Response<Body>
    where
        B: HttpBody<Data = Bytes> + Send,
    {
        let (mut head, body) = request.into_parts();
        let is_chunked = head.headers.contains_key(TRANSFER_ENCODING);
        let is_http_1 = head.version <= Version::HTTP_11;
        let (reply, leaves_body) = match self.answer(&mut head, body, memory).await {
            Ok(reply) => (reply, false),
            Err(refused) => {
                let leaves_body = refused.leaves_body();
                (self.exchange.refuse(&self.error(refused)), leaves_body)
            }
        };
        let mut response = response(reply, &self.limits);
        // A chunked request may also have had a `Content-Length`, which hyper has removed. Its sender may then see the
        // next request begin elsewhere than we do, so the connection takes none (RFC 9112, 6.1).
        let must_close = is_chunked || leaves_body;
        // HTTP/2 forbids the header (RFC 9113, 8.2.2), and frames its bodies itself.
        if must_close && is_http_1 {
            response
                .headers_mut()
                .insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// The error for a refusal; for a wrong path, it names the right one.
    fn error(&self, refused: Rejection) -> ProtocolError {
        let is_elsewhere = refused == Rejection::For(Refusal::UnknownPath);
        let error = ProtocolError::from(refused);
        match &self.path {
            Some(path) if is_elsewhere => {
                let message = format!("{}: it is at {path}", error.message());
                error.with_message(message)
            }
            Some(_) | None => error,
        }
    }

    /// Takes what it needs out of `head`: owning it would make every request's future larger by twice its size.
    async fn answer<B>(
        &self,
        head: &mut http::request::Parts,
        body: B,
        memory: ConnectionMemory,
    ) -> Result<Reply, Rejection>
    where
        B: HttpBody<Data = Bytes> + Send,
    {
        // Before anything else, since the specification asks for it on every connection ("Security & Endpoint").
        self.allowed.check(head)?;
        if let Some(path) = self.sse.as_deref().filter(|path| head.uri.path() == *path) {
            // In a box, because hardly any request goes there, and every request's future would be as large.
            return Box::pin(self.pipe(path, head, body)).await;
        }
        if self
            .path
            .as_deref()
            .is_some_and(|path| head.uri.path() != path)
        {
            return Err(Refusal::UnknownPath.into());
        }
        let mut message = empty(head).memory(memory);
        if head.method == Method::DELETE {
            return Ok(self.exchange.end_session(&message));
        }
        // A GET that takes no events can only be answered with 405 (2025-11-25, "Listening for Messages from the
        // Server").
        if head.method == Method::GET && checks::accepts_events(&message.headers) {
            return Ok(self.exchange.open_stream(&message));
        }
        if head.method == Method::GET {
            return Err(Rejection::Because(
                Refusal::MethodNotAllowed,
                GET_TAKES.into(),
            ));
        }
        if head.method != Method::POST {
            return Err(Refusal::MethodNotAllowed.into());
        }
        checks::media_types(&message.headers)?;
        // Given back once there is a reply, or nobody waits for it any more.
        let mut share = self.bodies.part();
        message.body = read(body, &self.limits, &mut share).await?;
        let mut reply = self.exchange.exchange(&message).await;
        reuse(message.headers, &mut reply.headers);
        Ok(reply)
    }

    /// Answers a request at the path of HTTP with SSE.
    async fn pipe<B>(
        &self,
        path: &str,
        head: &mut http::request::Parts,
        body: B,
    ) -> Result<Reply, Rejection>
    where
        B: HttpBody<Data = Bytes> + Send,
    {
        let mut message = empty(head);
        let answered = match head.method {
            Method::GET if checks::accepts_events(&message.headers) => {
                let opened = self.exchange.open_pipe(message);
                opened.map(|pipe| pipe::opened(path, pipe))
            }
            Method::POST => {
                // Without a check of `Accept`: the answer has no content.
                checks::content(&message.headers)?;
                let mut share = self.bodies.part();
                message.body = read(body, &self.limits, &mut share).await?;
                let put = self.exchange.put(pipe::name_of(&head.uri), message).await;
                put.map(|()| Reply::new(StatusCode::ACCEPTED, Bytes::new()))
            }
            _ => {
                let mut reply = self.exchange.refuse(&Refusal::MethodNotAllowed.into());
                reply.headers.insert(ALLOW, SSE_METHODS);
                Ok(reply)
            }
        };
        Ok(answered.unwrap_or_else(|error| self.exchange.refuse(&error)))
    }
}

/// A frame with the headers and extensions of `head`, without a body.
fn empty(head: &mut http::request::Parts) -> Frame {
    let (headers, extensions) = (&mut head.headers, &mut head.extensions);
    Frame::new(std::mem::take(headers), Bytes::new()).extensions(std::mem::take(extensions))
}

/// Answers in the memory of the request's headers, where hyper reads those of the connection's next request: nothing is
/// allocated for them any more, which was a tenth of all instructions of a small request.
fn reuse(mut headers: HeaderMap, reply: &mut HeaderMap) {
    if headers.capacity() <= MOST_REUSED {
        headers.clear();
        headers.extend(std::mem::take(reply));
        *reply = headers;
    }
}

/// Turns a reply into a response. The only place that adds the headers that all replies have in HTTP.
fn response(reply: Reply, limits: &HttpLimits) -> Response<Body> {
    let mut headers = reply.headers;
    let body = match reply.body {
        ReplyBody::Whole(bytes) => {
            if !bytes.is_empty() {
                headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
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

impl<E, B> Service<Request<B>> for HttpService<E>
where
    E: Exchange,
    B: HttpBody<Data = Bytes> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = ResponseFuture;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> ResponseFuture {
        ResponseFuture(Box::pin(self.respond(request)))
    }
}

/// The future of a response; dropping it cancels the request.
#[must_use = "a future does nothing unless it is polled"]
pub struct ResponseFuture(Pin<Box<dyn Future<Output = Response<Body>> + Send>>);

impl Future for ResponseFuture {
    type Output = Result<Response<Body>, Infallible>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.0.as_mut().poll(cx).map(Ok)
    }
}

impl fmt::Debug for ResponseFuture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
