//! A server whose handler echoes, waits or counts, and a client that writes bytes.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, StatusCode};
use plainly::errors::{Dialect, ProtocolError, Refusal, Revision};
use plainly::transport::http::{HttpLimits, HttpService};
use plainly::transport::{Event, Exchange, Feed, Frame, Reply};
use plainly_peer::{Gate, Site, within};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An exchange that returns the body of a request, and counts its calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Echo {
    calls: Arc<AtomicUsize>,
    ended: Arc<AtomicUsize>,
    /// Counts the floods that the server has dropped.
    dropped_floods: Arc<AtomicUsize>,
    /// The gate for requests with the body `"slow"`.
    gate: Gate,
}

impl Echo {
    pub(crate) fn calls(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }

    pub(crate) fn ended_sessions(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }

    /// Waits until the server has dropped a flood.
    pub(crate) async fn a_flood_is_dropped(&self) {
        let dropped = async {
            while self.dropped_floods.load(Ordering::SeqCst) == 0 {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        within(dropped).await;
    }

    /// Waits until so many requests are running.
    pub(crate) async fn running(&self, count: usize) {
        self.gate.holds(count).await;
    }

    pub(crate) fn release(&self, count: usize) {
        self.gate.open(count);
    }
}

impl Exchange for Echo {
    async fn exchange(&self, frame: &Frame) -> Reply {
        self.calls.fetch_add(1, Ordering::SeqCst);
        if &frame.body[..] == b"\"slow\"" {
            self.gate.pass().await;
        }
        assert!(&frame.body[..] != b"\"panic\"", "asked to panic");
        if &frame.body[..] == b"\"last\"" {
            let mut reply = Reply::new(StatusCode::OK, frame.body.clone());
            reply
                .headers
                .insert(CONNECTION, HeaderValue::from_static("close"));
            return reply;
        }
        if &frame.body[..] == b"\"notification\"" {
            return Reply::new(StatusCode::ACCEPTED, Bytes::new());
        }
        if &frame.body[..] == b"\"who\"" {
            let client = frame.client.map(|it| it.to_string());
            let client = serde_json::to_vec(&client).unwrap();
            return Reply::new(StatusCode::OK, Bytes::from(client));
        }
        if &frame.body[..] == b"\"large\"" {
            return Reply::new(StatusCode::OK, Bytes::from(vec![b' '; 32 << 20]));
        }
        Reply::new(StatusCode::OK, frame.body.clone())
    }

    /// Opens the stream of a session, whose name selects the kind of stream.
    async fn open_stream(&self, frame: &Frame) -> Reply {
        match frame.headers.get("mcp-session-id") {
            Some(name) if name == "flood" => Reply::feed(Flood {
                has_ended: false,
                dropped: Arc::clone(&self.dropped_floods),
            }),
            Some(_) => Reply::feed(Silence::default()),
            None => self.refuse(&Refusal::MethodNotAllowed.into(), frame.client),
        }
    }

    async fn end_session(&self, frame: &Frame) -> Reply {
        self.ended.fetch_add(1, Ordering::SeqCst);
        let status = match frame.headers.get("mcp-session-id") {
            Some(_) => StatusCode::NO_CONTENT,
            None => StatusCode::BAD_REQUEST,
        };
        Reply::new(status, Bytes::new())
    }

    fn refuse(&self, error: &ProtocolError, _client: Option<IpAddr>) -> Reply {
        let wire = Dialect::Uniform.encode(error, Revision::V2026_07_28);
        let status = StatusCode::from_u16(wire.http_status).unwrap();
        Reply::new(status, Bytes::from(serde_json::to_vec(&wire).unwrap()))
    }
}

/// A feed that always has another message.
#[derive(Debug)]
struct Flood {
    has_ended: bool,
    dropped: Arc<AtomicUsize>,
}

impl Drop for Flood {
    fn drop(&mut self) {
        self.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

impl Feed for Flood {
    fn poll_event(&mut self, _context: &mut Context<'_>) -> Poll<Option<Event>> {
        let message = || Bytes::from(vec![b'x'; 1 << 10]).into();
        Poll::Ready((!self.has_ended).then(message))
    }

    fn end(&mut self) {
        self.has_ended = true;
    }
}

/// A feed that sends only a goodbye at its end.
#[derive(Debug, Default)]
struct Silence {
    last: Option<&'static str>,
    has_ended: bool,
}

impl Feed for Silence {
    fn poll_event(&mut self, _context: &mut Context<'_>) -> Poll<Option<Event>> {
        match self.last.take() {
            None if !self.has_ended => Poll::Pending,
            last => Poll::Ready(last.map(|word| Bytes::from(word).into())),
        }
    }

    fn end(&mut self) {
        self.has_ended = true;
        self.last = Some("goodbye");
    }
}

/// A listening server, and the way to stop it.
pub(crate) struct Server {
    pub(crate) echo: Echo,
    pub(crate) site: Site,
}

impl Server {
    pub(crate) async fn start() -> Self {
        Self::with(|service| service).await
    }

    pub(crate) async fn with_limits(change: impl FnOnce(&mut HttpLimits)) -> Self {
        let mut limits = HttpLimits::default();
        change(&mut limits);
        Self::with(|service| service.limits(limits)).await
    }

    pub(crate) async fn with(
        configure: impl FnOnce(HttpService<Echo>) -> HttpService<Echo>,
    ) -> Self {
        let echo = Echo::default();
        let service = configure(HttpService::new(echo.clone()).path("/mcp"));
        let site = Site::serve(service).await;
        Self { echo, site }
    }

    pub(crate) fn port(&self) -> u16 {
        self.site.address.port()
    }

    pub(crate) fn stop(&mut self) {
        self.site.stop();
    }

    pub(crate) async fn connect(&self) -> Client {
        Client(self.site.connect().await)
    }

    /// Sends `bytes` on a new connection, and returns everything that the server sends until it
    /// closes.
    pub(crate) async fn send(&self, bytes: impl AsRef<[u8]>) -> String {
        let mut client = self.connect().await;
        client.write(bytes).await;
        client.0.shutdown().await.ok();
        client.read_to_end().await
    }

    /// Returns the head of a valid request, without its last blank line.
    pub(crate) fn head(&self, length: usize) -> String {
        format!(
            "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nContent-Length: {length}\r\n",
            self.port()
        )
    }

    pub(crate) fn good(&self, body: &str) -> String {
        format!("{}\r\n{body}", self.head(body.len()))
    }

    /// Checks that a valid request is answered, whatever happened before.
    pub(crate) async fn assert_lives(&self, after: &str) {
        let response = self.send(self.good("[1]")).await;
        assert!(
            response.starts_with("HTTP/1.1 200 OK\r\n") && response.ends_with("\r\n\r\n[1]"),
            "after {after}: {response}"
        );
    }
}

/// A client's connection.
pub(crate) struct Client(pub(crate) TcpStream);

impl Client {
    /// Writes bytes, and ignores an error, because the server may close the connection early.
    pub(crate) async fn write(&mut self, bytes: impl AsRef<[u8]>) {
        within(self.0.write_all(bytes.as_ref())).await.ok();
    }

    pub(crate) async fn read_to_end(&mut self) -> String {
        let mut bytes = Vec::new();
        within(self.0.read_to_end(&mut bytes)).await.ok();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Reads until and including `end`.
    pub(crate) async fn read_until(&mut self, end: &str) -> String {
        let mut bytes = Vec::new();
        let read = async {
            while !bytes.ends_with(end.as_bytes()) {
                bytes.push(self.0.read_u8().await.expect("the server closed"));
            }
        };
        within(read).await;
        String::from_utf8(bytes).unwrap()
    }

    /// Closes the connection with a reset.
    pub(crate) fn reset(self) {
        self.0.set_zero_linger().unwrap();
    }
}

/// Returns the status of each response in `text`, in order, including informational ones.
pub(crate) fn statuses(text: &str) -> Vec<u16> {
    text.split("HTTP/1.")
        .skip(1)
        .filter_map(|rest| rest.get(2..5)?.parse().ok())
        .collect()
}
