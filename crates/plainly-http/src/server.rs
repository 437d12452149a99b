//! The tower service that carries messages between HTTP and a server. It handles everything that
//! only concerns HTTP, in the order written here, and passes the rest on.

use std::future::ready;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::Either;
use http::header::{ALLOW, CONNECTION, TRANSFER_ENCODING};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode, Version};
use http_body::Body as HttpBody;
use plainly_errors::{ProtocolError, Refusal, Unavailable};

use super::cors::WebPage;
use super::gate::{HttpGate, PeerAddress, TurnedAway};
use super::origin::{AllowedNames, InvalidAllowance};
use super::proxies::{ClientShare, ConnectionPeer};
use super::read::Rejection;
use super::read::read;
use super::response::{response, reuse};
use super::routes::{Routes, Target};
use super::{Body, HttpLimits, Route, checks, cors, pipe};
use plainly_transport::quota::{Holder, Quota};
use plainly_transport::{ConnectionMemory, Exchange, Frame, Reply};

/// The response to a GET without the necessary headers.
const GET_TAKES: &str = "Method not allowed: GET needs the headers Accept: text/event-stream and Mcp-Session-Id. \
     Send messages by POST";
/// The methods of the endpoints of HTTP with SSE.
const SSE_METHODS: HeaderValue = HeaderValue::from_static("GET, POST");

/// A server over HTTP, as a tower service: mount it in axum or any hyper server, or pass it to an
/// [`HttpServer`](super::HttpServer).
///
/// It accepts requests for `localhost`, `127.0.0.1` and `[::1]` at any port, including those from
/// pages at `http://` with one of these names and the same port. [`allow_host`](Self::allow_host)
/// and [`allow_origin`](Self::allow_origin) accept more. Pages of any other origin are rejected
/// with 403. See "Security & Endpoint" in the specification's page on Streamable HTTP.
///
/// Dropping the future of a response cancels the request.
///
/// All requests to one value of this type count as one connection: clone it for each connection.
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
    routes: Routes,
    /// The gate; `None` if all requests are accepted.
    gate: Option<Arc<dyn HttpGate>>,
    limits: HttpLimits,
    /// The quota of bodies that are being read or answered.
    bodies: Quota,
}

impl<E: Exchange> HttpService<E> {
    /// Serves `exchange` at any path, for loopback hosts, with the default limits. `Server::http`
    /// uses the limits of its server instead.
    pub fn new(exchange: E) -> Self {
        Self {
            inner: Arc::new(ServiceState {
                exchange,
                allowed: AllowedNames::default(),
                routes: Routes::default(),
                gate: None,
                limits: HttpLimits::default(),
                bodies: Quota::new(HttpLimits::default().in_flight_bytes),
            }),
            memory: ConnectionMemory::new(),
        }
    }

    /// Also accepts requests for `host`: `example.com` at any port, `example.com:8443` at that
    /// port.
    pub fn allow_host(mut self, host: &str) -> Result<Self, InvalidAllowance> {
        Arc::make_mut(&mut self.inner).allowed.allow_host(host)?;
        Ok(self)
    }

    /// Also accepts requests from pages of `origin`, such as `https://app.example.com`, and sends
    /// the CORS headers that browsers need in the response to a preflight and in each other
    /// response.
    pub fn allow_origin(mut self, origin: &str) -> Result<Self, InvalidAllowance> {
        Arc::make_mut(&mut self.inner)
            .allowed
            .allow_origin(origin)?;
        Ok(self)
    }

    /// Serves only this path, with 404 for all others. If there is a router, leave this to the
    /// router.
    #[must_use]
    pub fn path(mut self, path: &str) -> Self {
        Arc::make_mut(&mut self.inner)
            .routes
            .add(path, Target::Endpoint);
        self
    }

    /// Also serves HTTP with SSE, the transport of 2024-11-05, at this path, for clients that
    /// support nothing newer. The same checks and limits apply; a session lasts as long as its
    /// stream of events.
    ///
    /// The server tells clients to send their messages to this path, so it must be the path that
    /// clients see, and no other endpoint may be at it. For layers and handlers, all messages come
    /// from the peer that opened the stream.
    #[must_use]
    pub fn sse_endpoint(mut self, path: &str) -> Self {
        Arc::make_mut(&mut self.inner)
            .routes
            .add(path, Target::Pipes);
        self
    }

    /// Also serves a path beside the endpoint, without authentication:
    /// `.route("/healthz", Route::health())` for probes.
    #[must_use]
    pub fn route(mut self, path: &str, route: Route) -> Self {
        Arc::make_mut(&mut self.inner)
            .routes
            .add(path, Target::Beside(route));
        self
    }

    /// Accepts only the requests that this gate accepts, at every path of the endpoint.
    ///
    /// The service also serves the [routes](HttpGate::routes) of the gate, without authentication.
    /// Their paths are at the root of the host, so a router in front must pass them on.
    #[must_use]
    pub fn authenticate(mut self, gate: impl HttpGate) -> Self {
        let routes = gate.routes().into_iter();
        self = routes.fold(self, |service, (path, route)| service.route(&path, route));
        Arc::make_mut(&mut self.inner).gate = Some(Arc::new(gate));
        self
    }

    /// Responds only at routes.
    pub(super) fn without_endpoint(mut self) -> Self {
        Arc::make_mut(&mut self.inner).routes = Routes::without_endpoint();
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

    /// Marks the service as reached by https.
    #[cfg(feature = "tls")]
    pub(super) fn secure(mut self) -> Self {
        Arc::make_mut(&mut self.inner).allowed.is_secure = true;
        self
    }

    pub(super) fn http_limits(&self) -> &HttpLimits {
        &self.inner.limits
    }

    /// Whether the service has the names of its hosts, or only pages, which may be requested by IP
    /// address too.
    pub(super) fn names_hosts(&self) -> bool {
        self.inner.allowed.names_hosts() || !self.inner.routes.has_endpoint()
    }

    /// Responds to one request of a connection, within the share of its client.
    pub(super) fn respond_to<B>(
        &self,
        caller: &ConnectionPeer,
        request: Request<B>,
    ) -> (
        impl Future<Output = Response<Body>> + Send + use<E, B>,
        ClientShare,
    )
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
    {
        let (client, share) = caller.client(request.version(), request.headers());
        match share {
            Ok(share) => (Either::Left(self.respond(request, Some(client))), share),
            Err(_full) => {
                let (head, _unread) = request.into_parts();
                let mut response = self.overloaded(Some(client), head.version <= Version::HTTP_11);
                cors::admit(WebPage::of(&head, &self.inner.allowed), &mut response);
                (Either::Right(ready(response)), None)
            }
        }
    }

    /// Responds to one request. The future has no type name, so it needs no box.
    pub(super) fn respond<B>(
        &self,
        mut request: Request<B>,
        client: Option<IpAddr>,
    ) -> impl Future<Output = Response<Body>> + Send + use<E, B>
    where
        B: HttpBody<Data = Bytes> + Send + 'static,
    {
        // Only a gate reads the address, and adding it to a request costs an allocation.
        if let (Some(_), Some(client)) = (&self.inner.gate, client) {
            request.extensions_mut().insert(PeerAddress(client));
        }
        let sender = Sender {
            memory: self.memory.clone(),
            client,
        };
        Arc::clone(&self.inner).respond(request, sender)
    }

    /// The response to a request for which there is no room. Its body is not read.
    fn overloaded(&self, client: Option<IpAddr>, is_http_1: bool) -> Response<Body> {
        let error = Unavailable::Overloaded.into();
        let reply = self.inner.exchange.refuse(&error, client);
        let mut response = response(reply, &self.inner.limits);
        if is_http_1 {
            let close = HeaderValue::from_static("close");
            response.headers_mut().insert(CONNECTION, close);
        }
        response
    }
}

/// The data about the sender that is known before a request is read.
struct Sender {
    memory: ConnectionMemory,
    client: Option<IpAddr>,
}

/// The reason why a request does not reach the server.
enum Unheard {
    Rejected(Rejection),
    TurnedAway(Box<TurnedAway>),
}

impl From<Rejection> for Unheard {
    fn from(rejected: Rejection) -> Self {
        Self::Rejected(rejected)
    }
}

impl From<TurnedAway> for Unheard {
    fn from(turned_away: TurnedAway) -> Self {
        Self::TurnedAway(Box::new(turned_away))
    }
}

impl<E: Exchange> ServiceState<E> {
    async fn respond<B>(self: Arc<Self>, request: Request<B>, sender: Sender) -> Response<Body>
    where
        B: HttpBody<Data = Bytes> + Send,
    {
        let (mut head, body) = request.into_parts();
        let is_chunked = head.headers.contains_key(TRANSFER_ENCODING);
        let is_http_1 = head.version <= Version::HTTP_11;
        let has_body = !body.is_end_stream();
        let client = sender.client;
        let page = WebPage::of(&head, &self.allowed);
        let answered = match page.as_ref().and_then(|_| cors::preflight(&head)) {
            Some(reply) => self
                .allowed
                .check(&head)
                .map(|()| reply)
                .map_err(Unheard::from),
            None => self.answer(&mut head, body, sender).await,
        };
        // The body of a request that is rejected before it reaches the server is not read.
        let leaves_body = has_body && answered.is_err();
        let mut reply = answered.unwrap_or_else(|refused| self.refuse(refused, client));
        if reply.status == StatusCode::METHOD_NOT_ALLOWED
            && let Some(Target::Beside(route)) = self.routes.at(head.uri.path())
        {
            reply.headers.insert(ALLOW, route.methods());
        }
        let mut response = response(reply, &self.limits);
        cors::admit(page, &mut response);
        // The connection is closed after an unread body. It is also closed after a chunked one,
        // because hyper removes a `Content-Length` beside it, and then the sender and this server
        // may disagree on where the next request begins (RFC 9112, 6.1).
        let must_close = is_chunked || leaves_body;
        // HTTP/2 forbids this header (RFC 9113, 8.2.2) and frames its bodies itself.
        if must_close && is_http_1 {
            response
                .headers_mut()
                .insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    /// The response to a rejected request. For a wrong path it names the right one.
    fn refuse(&self, refused: Unheard, client: Option<IpAddr>) -> Reply {
        let rejected = match refused {
            Unheard::Rejected(rejected) => rejected,
            Unheard::TurnedAway(turned_away) => {
                let mut reply = self.exchange.refuse(&turned_away.error, client);
                reply.headers.extend(turned_away.headers);
                return reply;
            }
        };
        let is_elsewhere = rejected == Rejection::For(Refusal::UnknownPath);
        let mut error = ProtocolError::from(rejected);
        if let Some(path) = self.routes.endpoint().filter(|_| is_elsewhere) {
            let message = format!("{}: it is at {path}", error.message());
            error = error.with_message(message);
        }
        self.exchange.refuse(&error, client)
    }

    /// Takes the needed parts out of `head`, because owning `head` would enlarge every request's
    /// future by twice its size. Futures that few requests need are boxed for the same reason.
    async fn answer<B>(&self, head: &mut Parts, body: B, sender: Sender) -> Result<Reply, Unheard>
    where
        B: HttpBody<Data = Bytes> + Send,
    {
        let target = self.routes.at(head.uri.path());
        if let Some(Target::Beside(route)) = target {
            return Ok(Box::pin(self.beside(route, head, body, sender.client)).await?);
        }
        // First, because the specification requires this check on every connection ("Security &
        // Endpoint").
        self.allowed.check(head)?;
        let target = target.ok_or(Rejection::For(Refusal::UnknownPath))?;
        let admission = match &self.gate {
            Some(gate) => Some(Box::new(gate.admit(head).await?)),
            None => None,
        };
        let reply = match target {
            Target::Pipes => Box::pin(self.pipe(head, body, sender.client)).await?,
            Target::Endpoint | Target::Beside(_) => self.serve(head, body, sender).await?,
        };
        Ok(match admission {
            Some(admission) => admission.granted(reply),
            None => reply,
        })
    }

    /// Responds to a request at a path beside the endpoint.
    async fn beside<B>(
        &self,
        route: &Route,
        head: &Parts,
        body: B,
        client: Option<IpAddr>,
    ) -> Result<Reply, Rejection>
    where
        B: HttpBody<Data = Bytes> + Send,
    {
        let read = async {
            let mut share = self.bodies.part(Holder::of(None, client));
            read(body, &self.limits, &mut share).await
        };
        route.answer(head, &self.allowed, read).await
    }

    /// Responds to one request at a path of the endpoint.
    async fn serve<B>(&self, head: &mut Parts, body: B, sender: Sender) -> Result<Reply, Rejection>
    where
        B: HttpBody<Data = Bytes> + Send,
    {
        let mut message = empty(head, sender.client).memory(sender.memory);
        if head.method == Method::DELETE {
            return Ok(Box::pin(self.exchange.end_session(&message)).await);
        }
        // For a GET without `Accept: text/event-stream`, 405 is the only allowed response
        // (2025-11-25, "Listening for Messages from the Server").
        if head.method == Method::GET && checks::accepts_events(&message.headers) {
            return Ok(Box::pin(self.exchange.open_stream(&message)).await);
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
        // Returned once there is a reply, or once the request is dropped.
        let mut share = self.bodies.part(message.caller());
        message.body = read(body, &self.limits, &mut share).await?;
        let mut reply = self.exchange.exchange(&message).await;
        reuse(message.headers, &mut reply.headers);
        Ok(reply)
    }

    /// Responds to a request at the path of HTTP with SSE.
    async fn pipe<B>(
        &self,
        head: &mut Parts,
        body: B,
        client: Option<IpAddr>,
    ) -> Result<Reply, Rejection>
    where
        B: HttpBody<Data = Bytes> + Send,
    {
        let mut message = empty(head, client);
        match head.method {
            Method::GET if checks::accepts_events(&message.headers) => {
                let opened = self.exchange.open_pipe(message);
                Ok(match opened {
                    Ok(pipe) => pipe::opened(head.uri.path(), pipe),
                    Err(error) => self.exchange.refuse(&error, client),
                })
            }
            Method::POST => {
                // `Accept` is not checked, because the response has no content.
                checks::content(&message.headers)?;
                let mut share = self.bodies.part(message.caller());
                message.body = read(body, &self.limits, &mut share).await?;
                Ok(self.exchange.put(pipe::name_of(&head.uri), message).await)
            }
            _ => {
                let refusal = Refusal::MethodNotAllowed.into();
                let mut reply = self.exchange.refuse(&refusal, client);
                reply.headers.insert(ALLOW, SSE_METHODS);
                Ok(reply)
            }
        }
    }
}

/// A frame with the headers and extensions of `head`, without a body.
fn empty(head: &mut Parts, client: Option<IpAddr>) -> Frame {
    let (headers, extensions) = (&mut head.headers, &mut head.extensions);
    let mut frame = Frame::new(std::mem::take(headers), Bytes::new());
    frame.extensions = std::mem::take(extensions);
    frame.client = client;
    frame
}
