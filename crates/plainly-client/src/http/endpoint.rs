//! The client's end of Streamable HTTP: messages as POSTs, and replies as JSON or server-sent
//! events. Knows headers and bytes, but no methods; each message comes with its headers.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use plainly_errors::mistake::in_quotes;
use reqwest::Url;
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, timeout, timeout_at};

use super::authorization::{Credentials, Head};
use super::failure::HttpFailure;
use super::gate::{Gate, Passage};
use super::retry_after;
use super::sse::{self, EventKind, EventParser, Resumption, ServerEvent};
use crate::message::budget::{Budget, Cause};
use crate::message::traffic::{Tap, Traffic};
use plainly_transport::tls::{self, Certificate};
use plainly_transport::{Frame, Meter};

/// The time for which an unused connection is kept open. It is shorter than most servers' timeout,
/// so that servers rarely close a connection during a request.
const IDLE: Duration = Duration::from_secs(30);
/// The most bytes after the reply that are read so that the connection can be reused.
const DISCARDED_BYTES: usize = 64 << 10;
/// The time limit for reading these bytes.
const DISCARDED_TIME: Duration = Duration::from_secs(1);
/// The longest wait for the beginning of a body that is only shown in an error.
const SHOWN: Duration = Duration::from_secs(1);

/// One MCP endpoint.
#[derive(Clone)]
pub(crate) struct Endpoint {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    /// Authorizes each request, if there is an authorizer.
    gate: Option<Gate>,
    /// The most bytes of one message that are read: a JSON body, or one event.
    message_bytes: usize,
    received: Meter,
    tap: Tap,
}

/// The response to a request, whose body is not read yet.
#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) content: ContentKind,
    /// The credentials of the request.
    pub(super) credentials: Vec<(HeaderName, HeaderValue)>,
    inner: reqwest::Response,
    events: EventParser,
    /// The text of the last event that reports a failure.
    complaint: Option<String>,
    message_bytes: usize,
    /// Bytes that were received but not parsed yet.
    chunk: Bytes,
    received: Meter,
    tap: Tap,
}

/// The kind of body that `Content-Type` declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ContentKind {
    /// One JSON value.
    Json,
    /// Messages as events.
    Events,
    /// A type that MCP does not use, or none.
    Other,
}

impl Endpoint {
    /// The endpoint at `url`, whose certificate may be from a `trusted` authority. Every request
    /// has `headers`, and the headers of the `gate`. Messages are read up to `message_bytes`.
    /// Redirects are not followed, because they would send credentials and messages elsewhere.
    pub(crate) fn new(
        url: Url,
        headers: HeaderMap,
        gate: Option<Gate>,
        trusted: &[Certificate],
        connect: Duration,
        message_bytes: usize,
        tap: Tap,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let mut client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::config(url.scheme(), trusted)?)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(connect)
            .pool_idle_timeout(IDLE)
            .retry(reqwest::retry::never());
        if gate.as_ref().is_some_and(Gate::keeps_proxies_out) {
            client = client.no_proxy();
        }
        Ok(Self {
            client: client.build()?,
            url,
            headers,
            gate,
            message_bytes,
            received: Meter::default(),
            tap,
        })
    }

    /// The URL without parts that may be secret.
    pub(super) fn display_url(&self) -> String {
        without_secrets(&self.url).into()
    }

    /// The endpoint at another URL, which is `reference` relative to this one, or the fault of that
    /// URL. Another origin is rejected, because the headers would be sent to another server.
    pub(super) fn at(&self, reference: &str) -> Result<Self, String> {
        let named = in_quotes(reference);
        let joined = self.url.join(reference);
        let mut url = joined.map_err(|why| format!("{named}, which is not a URL: {why}"))?;
        if url.origin() != self.url.origin() {
            let origin = self.url.origin().ascii_serialization();
            return Err(format!("{named}, which is not at {origin}"));
        }
        // These calls fail only for URLs without a host.
        let _ = url.set_username(self.url.username());
        let _ = url.set_password(self.url.password());
        let endpoint = self.clone();
        Ok(Self { url, ..endpoint })
    }

    /// Sends one message. The message of a call uses the call's budget, any other message a budget
    /// of its own.
    pub(super) async fn post(
        &self,
        frame: Frame,
        budget: Option<&Budget>,
    ) -> Result<HttpResponse, HttpFailure> {
        const ACCEPTED: HeaderValue =
            HeaderValue::from_static("application/json, text/event-stream");
        const JSON: HeaderValue = HeaderValue::from_static("application/json");
        let mut headers = frame.headers;
        headers.insert(ACCEPT, ACCEPTED);
        headers.insert(CONTENT_TYPE, JSON);
        self.send(Method::POST, headers, Some(frame.body), budget)
            .await
    }

    /// Opens a stream of messages.
    pub(super) async fn get(
        &self,
        mut headers: HeaderMap,
        budget: Option<&Budget>,
    ) -> Result<HttpResponse, HttpFailure> {
        const ACCEPTED: HeaderValue = HeaderValue::from_static("text/event-stream");
        headers.insert(ACCEPT, ACCEPTED);
        self.send(Method::GET, headers, None, budget).await
    }

    /// Ends the session that `headers` name.
    pub(super) async fn delete(&self, headers: HeaderMap) -> Result<StatusCode, HttpFailure> {
        let budget = Budget::unattended();
        let ended = self.send(Method::DELETE, headers, None, Some(&budget));
        Ok(ended.await?.status)
    }

    /// Sends a request, and repeats it on another connection or with other credentials within the
    /// budget.
    async fn send(
        &self,
        method: Method,
        headers: HeaderMap,
        body: Option<Bytes>,
        budget: Option<&Budget>,
    ) -> Result<HttpResponse, HttpFailure> {
        let own = Budget::of_exchange();
        let budget = budget.unwrap_or(&own);
        let mut passage = Passage::default();
        loop {
            let mut sent = headers.clone();
            let gate = self.gate.as_ref().map(|gate| {
                let mut request = gate.request(&method, self.url.as_str(), passage.refusals);
                request.may_ask_user = budget.may_ask_user;
                (gate, request)
            });
            let credentials = match &gate {
                Some((gate, request)) => gate.credentials(request).await?,
                None => Credentials::default(),
            };
            sent.extend(credentials.headers.iter().cloned());
            let mut response = match self.exchange(&method, sent, body.clone()).await {
                Ok(response) => response,
                // The server spoke first or closed the connection, so the request was not sent. It
                // may do so again, but once a request is under way, the error says what happened.
                Err(failure) if failure.was_never_sent() && budget.spend(Cause::Unsent) => continue,
                Err(failure) => return Err(failure),
            };
            response.credentials = credentials.headers;
            let Some((gate, request)) = gate else {
                return Ok(response);
            };
            let head = Head {
                status: response.status,
                headers: &response.headers,
            };
            passage.is_of(credentials.generation);
            if !gate.reopens(&request, &passage, head, budget).await? {
                return Ok(response);
            }
            response.discard();
            passage.is_refused();
        }
    }

    async fn exchange(
        &self,
        method: &Method,
        headers: HeaderMap,
        body: Option<Bytes>,
    ) -> Result<HttpResponse, HttpFailure> {
        let mut request = self
            .client
            .request(method.clone(), self.url.clone())
            .headers(self.headers.clone())
            // The order matters: a header of the message replaces a client's header with the same
            // name.
            .headers(headers);
        if let Some(body) = body {
            request = request.body(body);
        }
        let request = request.build().map_err(HttpFailure::of)?;
        self.show(&request);
        let sent = self.client.execute(request).await;
        let mut inner = sent.map_err(HttpFailure::of)?;
        let headers = std::mem::take(inner.headers_mut());
        self.tap.show(Traffic::Response {
            method: method.as_str(),
            status: inner.status().as_u16(),
            headers: &headers,
        });
        Ok(HttpResponse {
            status: inner.status(),
            content: ContentKind::of(&headers),
            headers,
            credentials: Vec::new(),
            inner,
            events: EventParser::new(self.message_bytes),
            complaint: None,
            message_bytes: self.message_bytes,
            chunk: Bytes::new(),
            received: self.received.clone(),
            tap: self.tap.clone(),
        })
    }

    /// The credentials that a request would have now; `None` if they can't be obtained.
    pub(super) async fn credentials(&self) -> Option<Vec<(HeaderName, HeaderValue)>> {
        let Some(gate) = &self.gate else {
            return Some(Vec::new());
        };
        let request = gate.request(&Method::POST, self.url.as_str(), 0);
        Some(gate.credentials(&request).await.ok()?.headers)
    }

    /// The number of bytes received in bodies.
    pub(super) fn received(&self) -> u64 {
        self.received.bytes()
    }

    fn show(&self, request: &reqwest::Request) {
        if !self.tap.is_on() {
            return;
        }
        self.tap.show(Traffic::Request {
            method: request.method().as_str(),
            url: &self.display_url(),
            headers: request.headers(),
        });
        if let Some(message) = request.body().and_then(reqwest::Body::as_bytes) {
            self.tap.show(Traffic::Sent(message));
        }
    }
}

fn without_secrets(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_query(None);
    url.set_fragment(None);
    // These calls fail only for URLs without a host, and an HTTP URL has one.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Endpoint")
            .field(&self.display_url())
            .finish()
    }
}

impl HttpResponse {
    /// The next message in a body of events; `None` at the end. An incomplete event at the end is
    /// dropped.
    pub(super) async fn next_message(&mut self) -> Result<Option<Bytes>, HttpFailure> {
        while let Some(event) = self.next_event().await? {
            if event.kind == EventKind::Message {
                return Ok(Some(event.data));
            }
        }
        Ok(None)
    }

    /// The next event of any kind.
    pub(super) async fn next_event(&mut self) -> Result<Option<ServerEvent>, HttpFailure> {
        loop {
            match self.events.next(&mut self.chunk) {
                Ok(Some(event)) => {
                    self.tap.show(Traffic::Received(&event.data));
                    if event.kind == EventKind::Error {
                        self.complaint = complaint(&event.data);
                    }
                    return Ok(Some(event));
                }
                Ok(None) => {}
                Err(sse::TooLarge) => return Err(HttpFailure::TooLarge(self.message_bytes)),
            }
            match self.next_chunk().await? {
                Some(chunk) => self.chunk = chunk,
                None => return Ok(None),
            }
            // Yields to other tasks, because chunks without events may arrive as fast as they are
            // read.
            consume_budget().await;
        }
    }

    /// The server's text in an event that reports a failure; `None` if the server sent none.
    pub(super) fn complaint(&self) -> Option<String> {
        self.complaint.clone()
    }

    /// The position at which an ended body of events can be resumed.
    pub(super) fn resumption(&self) -> &Resumption {
        self.events.resumption()
    }

    async fn next_chunk(&mut self) -> Result<Option<Bytes>, HttpFailure> {
        let chunk = self.inner.chunk().await.map_err(HttpFailure::Broken)?;
        self.received.add(chunk.as_ref().map_or(0, Bytes::len));
        Ok(chunk)
    }

    /// The time that the server asks to wait before the next request.
    pub(super) fn retry_after(&self) -> Option<Duration> {
        retry_after::read(&self.headers)
    }

    /// The URL that the server redirects to, if the status is a redirect. A relative URL is made
    /// absolute, without its secret parts.
    pub(super) fn location(&self) -> Option<String> {
        let location = self.headers.get(LOCATION)?.to_str().ok()?;
        let whole = match Url::parse(location) {
            Ok(_) => location.to_owned(),
            Err(_) => without_secrets(self.inner.url())
                .join(location)
                .ok()?
                .into(),
        };
        self.status.is_redirection().then_some(whole)
    }

    /// The whole body, without a leading byte order mark.
    pub(super) async fn body(self) -> Result<Bytes, HttpFailure> {
        let (limit, tap) = (self.message_bytes, self.tap.clone());
        let body = self.read(limit).await?;
        if !body.is_empty() {
            tap.show(Traffic::Received(&body));
        }
        let is_marked = body.starts_with(b"\xef\xbb\xbf");
        Ok(if is_marked { body.slice(3..) } else { body })
    }

    /// The beginning of the body: at most `limit` bytes that arrive within a second. Empty if it
    /// can't be read.
    pub(super) async fn beginning(mut self, limit: usize) -> Vec<u8> {
        let mut body = Vec::new();
        let until = Instant::now() + SHOWN;
        while body.len() < limit
            && let Ok(Ok(Some(chunk))) = timeout_at(until, self.inner.chunk()).await
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(limit);
        if !body.is_empty() {
            self.tap.show(Traffic::Received(&body));
        }
        body
    }

    /// Reads the rest of the body in the background, if it is short, so that the connection can be
    /// reused.
    pub(super) fn discard(self) {
        tokio::spawn(timeout(DISCARDED_TIME, self.read(DISCARDED_BYTES)));
    }

    async fn read(mut self, limit: usize) -> Result<Bytes, HttpFailure> {
        let mut body = Vec::new();
        while let Some(chunk) = self.next_chunk().await? {
            if body.len() + chunk.len() > limit {
                return Err(HttpFailure::TooLarge(limit));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body.into())
    }
}

fn complaint(data: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(data);
    let text = text.trim();
    (!text.is_empty()).then(|| format!("the error {}", in_quotes(text)))
}

impl ContentKind {
    fn of(headers: &HeaderMap) -> Self {
        let declared = headers
            .get(CONTENT_TYPE)
            .and_then(|value| value.to_str().ok())
            .and_then(|value| value.split(';').next())
            .unwrap_or_default()
            .trim();
        if declared.eq_ignore_ascii_case("application/json") {
            Self::Json
        } else if declared.eq_ignore_ascii_case("text/event-stream") {
            Self::Events
        } else {
            Self::Other
        }
    }
}
