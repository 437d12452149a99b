//! Streamable HTTP, the client's end: messages as POSTs, and replies as JSON or as server-sent events. Knows headers and
//! bytes, no methods; the headers of a message come with it.

mod retry_after;
mod sse;
mod tls;

use std::error::Error;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, StatusCode};
use reqwest::Url;
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, timeout_at};

use self::sse::Parser;
pub(crate) use self::sse::Resumption;
use super::frame::Frame;
use super::meter::Meter;

/// How long a connection is kept that nobody uses: less than servers keep it, so that they don't close it under a request.
const IDLE: Duration = Duration::from_secs(30);
/// How much of what follows the reply is read so that the connection can be used again, and how long that may take.
const DISCARDED: (usize, Duration) = (64 << 10, Duration::from_secs(1));

/// How long is waited for the beginning of a body that is only shown.
const SHOWN: Duration = Duration::from_secs(1);

/// One MCP endpoint.
#[derive(Clone)]
pub(crate) struct Endpoint {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    /// The most bytes of one message that are read: a JSON body, or one event.
    message_bytes: usize,
    received: Meter,
}

/// What a POST was answered with.
#[derive(Debug)]
pub(crate) struct Response {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) content: Content,
    inner: reqwest::Response,
    events: Parser,
    message_bytes: usize,
    /// What was received and is not read yet.
    chunk: Bytes,
    received: Meter,
}

/// What the body is declared to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Content {
    /// One JSON value.
    Json,
    /// Messages as events.
    Events,
    /// Nothing that MCP knows.
    Other,
}

/// Why there is no response, or no more of it.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nobody was reached.
    Unreachable(reqwest::Error),
    /// The connection broke.
    Broken(reqwest::Error),
    /// A message is larger than is read; the most bytes that are.
    TooLarge(usize),
}

impl Endpoint {
    /// The endpoint at `url`, to which every request carries `headers`; messages are read up to `message_bytes`. Redirects are not followed: they would take
    /// credentials and messages elsewhere.
    pub(crate) fn new(
        url: Url,
        headers: HeaderMap,
        connect: Duration,
        message_bytes: usize,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::config(url.scheme())?)
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            .connect_timeout(connect)
            .pool_idle_timeout(IDLE)
            .build()?;
        Ok(Self {
            client,
            url,
            headers,
            message_bytes,
            received: Meter::default(),
        })
    }

    /// The URL without what may be secret.
    pub(crate) fn display_url(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.set_fragment(None);
        // These fail only for URLs without a host, and an HTTP URL has one.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.into()
    }

    /// Sends one message.
    pub(crate) async fn post(&self, frame: Frame) -> Result<Response, Failure> {
        const ACCEPTED: HeaderValue =
            HeaderValue::from_static("application/json, text/event-stream");
        const JSON: HeaderValue = HeaderValue::from_static("application/json");
        let request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .headers(frame.headers)
            .header(ACCEPT, ACCEPTED)
            .header(CONTENT_TYPE, JSON)
            .body(frame.body);
        self.send(request).await
    }

    /// Opens a stream of messages that answer none of ours.
    pub(crate) async fn get(&self, headers: HeaderMap) -> Result<Response, Failure> {
        const ACCEPTED: HeaderValue = HeaderValue::from_static("text/event-stream");
        let request = self
            .client
            .get(self.url.clone())
            .headers(self.headers.clone())
            .headers(headers)
            .header(ACCEPT, ACCEPTED);
        self.send(request).await
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<Response, Failure> {
        let mut inner = request.send().await.map_err(Failure::of)?;
        let headers = std::mem::take(inner.headers_mut());
        Ok(Response {
            status: inner.status(),
            content: Content::of(&headers),
            headers,
            inner,
            events: Parser::new(self.message_bytes),
            message_bytes: self.message_bytes,
            chunk: Bytes::new(),
            received: self.received.clone(),
        })
    }

    /// How many bytes of bodies have arrived.
    pub(crate) fn received(&self) -> u64 {
        self.received.bytes()
    }

    /// Ends what `headers` name.
    pub(crate) async fn delete(&self, headers: HeaderMap) -> Result<StatusCode, Failure> {
        let request = self
            .client
            .delete(self.url.clone())
            .headers(self.headers.clone())
            .headers(headers);
        let response = request.send().await.map_err(Failure::of)?;
        Ok(response.status())
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Endpoint")
            .field(&self.display_url())
            .finish()
    }
}

impl Response {
    /// The next message of a body of events; `None` at the end. An event that the end cuts off is none.
    pub(crate) async fn next_event(&mut self) -> Result<Option<Bytes>, Failure> {
        loop {
            let event = self.events.next(&mut self.chunk);
            let too_large = |sse::TooLarge| Failure::TooLarge(self.message_bytes);
            if let Some(event) = event.map_err(too_large)? {
                return Ok(Some(event));
            }
            match self.next_chunk().await? {
                Some(chunk) => self.chunk = chunk,
                None => return Ok(None),
            }
            // Chunks may come as fast as they are read, all full of nothing.
            consume_budget().await;
        }
    }

    /// How to go on with a body of events that has ended.
    pub(crate) fn resumption(&self) -> &Resumption {
        self.events.resumption()
    }

    async fn next_chunk(&mut self) -> Result<Option<Bytes>, Failure> {
        let chunk = self.inner.chunk().await.map_err(Failure::Broken)?;
        self.received.add(chunk.as_ref().map_or(0, Bytes::len));
        Ok(chunk)
    }

    /// How long the server asks to wait before the next request.
    pub(crate) fn retry_after(&self) -> Option<Duration> {
        retry_after::read(&self.headers)
    }

    /// The whole body.
    pub(crate) async fn body(self) -> Result<Bytes, Failure> {
        let limit = self.message_bytes;
        self.read(limit).await
    }

    /// At most `limit` bytes from the beginning of the body, as text, and what comes within a second; empty if it can't
    /// be read.
    pub(crate) async fn beginning(mut self, limit: usize) -> String {
        let mut body = Vec::new();
        let until = Instant::now() + SHOWN;
        while body.len() < limit
            && let Ok(Ok(Some(chunk))) = timeout_at(until, self.inner.chunk()).await
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(limit);
        String::from_utf8_lossy(&body).into_owned()
    }

    /// Lets the connection be used again if the body ends soon; nobody waits for that.
    pub(crate) fn discard(self) {
        let (bytes, time) = DISCARDED;
        tokio::spawn(tokio::time::timeout(time, self.read(bytes)));
    }

    async fn read(mut self, limit: usize) -> Result<Bytes, Failure> {
        let mut body = Vec::new();
        while let Some(chunk) = self.next_chunk().await? {
            if body.len() + chunk.len() > limit {
                return Err(Failure::TooLarge(limit));
            }
            body.extend_from_slice(&chunk);
        }
        Ok(body.into())
    }
}

impl Content {
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

impl Failure {
    fn of(error: reqwest::Error) -> Self {
        // The URL may have secrets, and whoever reports the failure names it without them.
        let error = error.without_url();
        if error.is_connect() {
            Self::Unreachable(error)
        } else {
            Self::Broken(error)
        }
    }
}
