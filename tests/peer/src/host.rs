//! An HTTP server played by the test.

use std::collections::HashMap;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::message::{self, MODERN};
use crate::response::{head, header};
use crate::within;

/// A listening test server.
#[derive(Debug)]
pub struct Host {
    listener: TcpListener,
    /// The URL for clients.
    pub url: String,
}

/// A request to answer.
#[derive(Debug)]
pub struct AnsweredRequest {
    /// The HTTP method.
    pub method: String,
    /// The path, including the query.
    pub path: String,
    /// The headers, with names in lower case.
    pub headers: HashMap<String, String>,
    /// The message; null if there is none.
    pub body: Value,
    /// The connection for the response and further requests.
    pub stream: BufReader<TcpStream>,
}

impl Host {
    /// Listens on a port of its own.
    pub async fn start() -> Self {
        Self::start_at("127.0.0.1:0").await
    }

    /// Listens at this address.
    pub async fn start_at(address: &str) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        Self { listener, url }
    }

    /// Accepts the next connection.
    pub async fn accept(&self) -> BufReader<TcpStream> {
        let (stream, _) = within(self.listener.accept()).await.unwrap();
        BufReader::new(stream)
    }

    /// Reads the next request, on a connection of its own.
    pub async fn next(&self) -> AnsweredRequest {
        let asked = AnsweredRequest::read(self.accept().await).await;
        asked.expect("the client hung up")
    }

    /// Reads the next request, which must be a POST with this JSON-RPC method.
    pub async fn request(&self, method: &str) -> AnsweredRequest {
        let asked = self.next().await;
        assert_eq!(asked.method, "POST");
        assert_eq!(asked.body["method"], method);
        let expected = "application/json, text/event-stream";
        assert_eq!(asked.headers["accept"], expected);
        assert_eq!(asked.headers["content-type"], "application/json");
        asked
    }

    /// Answers the probe like a modern server.
    pub async fn discover(&self) {
        let result = json!({"supportedVersions": [MODERN], "capabilities": {}});
        self.answer_with("server/discover", result).await;
    }

    /// Answers the next request, which must have this method, with a minimal result.
    pub async fn answer(&self, method: &str) {
        self.answer_with(method, message::least(method)).await;
    }

    /// Answers the next request, which must have this method.
    pub async fn answer_with(&self, method: &str, result: Value) {
        self.request(method).await.result(result).await;
    }

    /// Answers the next request, which must have this method, with only a status.
    pub async fn refuse(&self, method: &str, status: &str) {
        self.request(method).await.answer(status, "", "").await;
    }

    /// Reads the next request, which must have this HTTP method and belong to the session that
    /// [`Self::initialize`] opened.
    pub async fn next_in(&self, session: &str, method: &str) -> AnsweredRequest {
        let asked = self.next().await;
        assert_eq!(asked.method, method);
        asked.is_of(Some(session));
        asked
    }

    /// Answers the handshake, with this session id if there is one.
    pub async fn initialize(&self, session: Option<&str>, capabilities: Value) {
        let handshake = self.request("initialize").await;
        assert!(!handshake.headers.contains_key("mcp-session-id"));
        assert!(!handshake.headers.contains_key("mcp-protocol-version"));
        let session_header = session.map(|id| format!("Mcp-Session-Id: {id}\r\n"));
        let headers = format!(
            "Content-Type: application/json\r\n{}",
            session_header.unwrap_or_default()
        );
        let result = message::initialized("2025-06-18", capabilities);
        let body = handshake.response(result);
        handshake.answer("200 OK", &headers, &body).await;
        let initialized = self.request("notifications/initialized").await;
        initialized.is_of(session);
        initialized.answer("202 Accepted", "", "").await;
    }
}

impl AnsweredRequest {
    /// Reads the next request of a connection; `None` if it ends.
    pub async fn read(mut stream: BufReader<TcpStream>) -> Option<Self> {
        let (head, body) = received(&mut stream).await?;
        let mut headers = HashMap::new();
        for (name, value) in head.lines().filter_map(|line| line.split_once(':')) {
            let before = headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
            assert_eq!(before, None, "{name} is written twice");
        }
        Some(Self {
            method: head.split(' ').next().unwrap_or_default().to_owned(),
            path: head.split(' ').nth(1).unwrap_or_default().to_owned(),
            headers,
            body,
            stream,
        })
    }

    /// Checks that the request belongs to this session of the legacy server that
    /// [`Host::initialize`] plays.
    pub fn is_of(&self, session: Option<&str>) {
        let own = self.headers.get("mcp-session-id");
        assert_eq!(own.map(String::as_str), session);
        assert_eq!(self.headers["mcp-protocol-version"], "2025-06-18");
        assert!(!self.headers.contains_key("mcp-method"));
    }

    /// The response with this result, as text.
    #[must_use]
    pub fn response(&self, result: Value) -> String {
        message::result(&self.body, result).to_string()
    }

    /// Answers with this result.
    pub async fn result(self, result: Value) {
        let body = self.response(result);
        let headers = "Content-Type: application/json; charset=utf-8\r\n";
        self.answer("200 OK", headers, &body).await;
    }

    /// Answers with this error.
    pub async fn error(self, status: &str, error: Value) {
        let body = message::error(&self.body, error).to_string();
        self.json(status, &body).await;
    }

    /// Answers with this text, declared as JSON.
    pub async fn json(self, status: &str, text: &str) {
        let headers = "Content-Type: application/json\r\n";
        self.answer(status, headers, text).await;
    }

    /// Answers, and closes the connection.
    pub async fn answer(mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n"
        );
        self.write(&(head + body)).await;
    }

    /// Starts an event stream that ends with the connection.
    pub async fn events(&mut self) {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        self.write(head).await;
    }

    /// Writes a message as an event.
    pub async fn event(&mut self, message: &Value) {
        self.write(&format!("data: {message}\n\n")).await;
    }

    /// Writes a minimal result of the request, as an event.
    pub async fn last_event(&mut self) {
        let method = self.body["method"].as_str().unwrap_or_default();
        let result = message::least(method);
        self.event(&message::result(&self.body, result)).await;
    }

    /// Writes text unchanged.
    pub async fn write(&mut self, text: &str) {
        // The client may have disconnected, which its own test checks.
        let _hung_up = self.stream.write_all(text.as_bytes()).await;
    }

    /// Waits until the client closes the connection.
    pub async fn hung_up(&mut self) {
        let mut rest = Vec::new();
        // A reset counts as closing too.
        let _end = within(self.stream.read_to_end(&mut rest)).await;
        assert!(rest.is_empty());
    }
}

/// The head and the message of the next request on `stream`; `None` if it ends. The message is null
/// if there is none.
pub async fn received(stream: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let head = head(stream).await?;
    let length = header(&head, "content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some((head, serde_json::from_slice(&body).unwrap_or_default()))
}
