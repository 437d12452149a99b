//! The client's end of Streamable HTTP: messages as POSTs, and replies as JSON or server-sent events. Knows headers and
//! bytes, but no methods; the headers of a message come with it.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use http::{HeaderMap, HeaderValue, StatusCode};
use reqwest::Url;
use tokio::task::coop::consume_budget;
use tokio::time::{Instant, timeout, timeout_at};

use super::retry_after;
use super::sse::{self, EventParser, Resumption};
use super::tls::{self, Certificate};
use crate::transport::{Frame, Meter};

/// The time that an unused connection is kept: less than servers usually keep it, so that none closes it during a
/// request.
const IDLE: Duration = Duration::from_secs(30);
/// The most bytes after the reply that are read so that the connection can be used again.
const DISCARDED_BYTES: usize = 64 << 10;
/// The time that reading them may take.
const DISCARDED_TIME: Duration = Duration::from_secs(1);
/// The longest wait for the beginning of a body that is only shown in an error.
const SHOWN: Duration = Duration::from_secs(1);

/// The time limit for a message on which nothing depends any more.
pub(super) const FAREWELL: Duration = Duration::from_secs(5);

/// One MCP endpoint.
#[derive(Clone)]
pub(super) struct Endpoint {
    client: reqwest::Client,
    url: Url,
    headers: HeaderMap,
    /// The most bytes of one message that are read: a JSON body, or one event.
    message_bytes: usize,
    received: Meter,
}

/// The response to a request, its body unread.
#[derive(Debug)]
pub(super) struct HttpResponse {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) content: ContentKind,
    inner: reqwest::Response,
    events: EventParser,
    message_bytes: usize,
    /// Bytes that were received and are not read yet.
    chunk: Bytes,
    received: Meter,
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

/// The reason why there is no response, or why it broke off.
#[derive(Debug)]
pub(super) enum HttpFailure {
    /// Nobody was reached.
    Unreachable(reqwest::Error),
    /// The connection broke.
    Broken(reqwest::Error),
    /// A message is larger than this limit, in bytes.
    TooLarge(usize),
}

impl Endpoint {
    /// The endpoint at `url`, which may have a certificate of a `trusted` authority, and to which every request carries
    /// `headers`; messages are read up to `message_bytes`.
    /// Redirects are not followed: they would take credentials and messages elsewhere.
    pub(super) fn new(
        url: Url,
        headers: HeaderMap,
        trusted: &[Certificate],
        connect: Duration,
        message_bytes: usize,
    ) -> Result<Self, Box<dyn Error + Send + Sync>> {
        let client = reqwest::Client::builder()
            .tls_backend_preconfigured(tls::config(url.scheme(), trusted)?)
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
    pub(super) fn display_url(&self) -> String {
        let mut url = self.url.clone();
        url.set_query(None);
        url.set_fragment(None);
        // These fail only for URLs without a host, and an HTTP URL has one.
        let _ = url.set_username("");
        let _ = url.set_password(None);
        url.into()
    }

    /// Sends one message.
    pub(super) async fn post(&self, frame: Frame) -> Result<HttpResponse, HttpFailure> {
        const ACCEPTED: HeaderValue =
            HeaderValue::from_static("application/json, text/event-stream");
        const JSON: HeaderValue = HeaderValue::from_static("application/json");
        let request = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            // In this order: a header of the message replaces one of the same name that the client was built with.
            .headers(frame.headers)
            .header(ACCEPT, ACCEPTED)
            .header(CONTENT_TYPE, JSON)
            .body(frame.body);
        self.send(request).await
    }

    /// Opens a stream of messages that answer none of ours.
    pub(super) async fn get(&self, headers: HeaderMap) -> Result<HttpResponse, HttpFailure> {
        const ACCEPTED: HeaderValue = HeaderValue::from_static("text/event-stream");
        let request = self
            .client
            .get(self.url.clone())
            .headers(self.headers.clone())
            .headers(headers)
            .header(ACCEPT, ACCEPTED);
        self.send(request).await
    }

    async fn send(&self, request: reqwest::RequestBuilder) -> Result<HttpResponse, HttpFailure> {
        let mut inner = request.send().await.map_err(HttpFailure::of)?;
        let headers = std::mem::take(inner.headers_mut());
        Ok(HttpResponse {
            status: inner.status(),
            content: ContentKind::of(&headers),
            headers,
            inner,
            events: EventParser::new(self.message_bytes),
            message_bytes: self.message_bytes,
            chunk: Bytes::new(),
            received: self.received.clone(),
        })
    }

    /// The number of bytes received in bodies.
    pub(super) fn received(&self) -> u64 {
        self.received.bytes()
    }

    /// Ends the session that `headers` name.
    pub(super) async fn delete(&self, headers: HeaderMap) -> Result<StatusCode, HttpFailure> {
        let request = self
            .client
            .delete(self.url.clone())
            .headers(self.headers.clone())
            .headers(headers);
        let response = request.send().await.map_err(HttpFailure::of)?;
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

impl HttpResponse {
    /// The next message of a body of events; `None` at the end. An event that is cut off by the end is dropped.
    pub(super) async fn next_event(&mut self) -> Result<Option<Bytes>, HttpFailure> {
        loop {
            match self.events.next(&mut self.chunk) {
                Ok(Some(event)) => return Ok(Some(event)),
                Ok(None) => {}
                Err(sse::TooLarge) => return Err(HttpFailure::TooLarge(self.message_bytes)),
            }
            match self.next_chunk().await? {
                Some(chunk) => self.chunk = chunk,
                None => return Ok(None),
            }
            // Chunks without events may arrive as fast as they are read.
            consume_budget().await;
        }
    }

    /// Where to resume a body of events that has ended.
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

    /// Where the server sends clients to instead: only with a status that says so.
    pub(super) fn location(&self) -> Option<String> {
        let location = self.headers.get(LOCATION)?.to_str().ok()?;
        self.status.is_redirection().then(|| location.to_owned())
    }

    /// The whole body.
    pub(super) async fn body(self) -> Result<Bytes, HttpFailure> {
        let limit = self.message_bytes;
        self.read(limit).await
    }

    /// The beginning of the body: at most `limit` bytes, as far as they arrive within a second. Empty if it can't be
    /// read.
    pub(super) async fn beginning(mut self, limit: usize) -> Vec<u8> {
        let mut body = Vec::new();
        let until = Instant::now() + SHOWN;
        while body.len() < limit
            && let Ok(Ok(Some(chunk))) = timeout_at(until, self.inner.chunk()).await
        {
            body.extend_from_slice(&chunk);
        }
        body.truncate(limit);
        body
    }

    /// Reads the rest of the body in the background, if it is short, so that the connection can be used again.
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

impl HttpFailure {
    fn of(error: reqwest::Error) -> Self {
        // The URL may contain secrets; callers name it without them.
        let error = error.without_url();
        if error.is_connect() {
            Self::Unreachable(error)
        } else {
            Self::Broken(error)
        }
    }
}
