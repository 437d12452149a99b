//! A server over HTTP that the test plays.

use std::collections::HashMap;

use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

use crate::message::{self, MODERN};
use crate::response::{head, header};
use crate::within;

/// Where clients come to.
#[derive(Debug)]
pub struct Host {
    listener: TcpListener,
    /// What a client is told to call.
    pub url: String,
}

/// A request, to be answered.
#[derive(Debug)]
pub struct AnsweredRequest {
    /// Its method in HTTP.
    pub method: String,
    /// Its path, with the query.
    pub path: String,
    /// What stands before the body, with the names of headers in lower case.
    pub headers: HashMap<String, String>,
    /// The message; null if there is none.
    pub body: Value,
    /// What the answer is written to, and further requests come from.
    pub stream: BufReader<TcpStream>,
}

impl Host {
    /// Listens at a port of its own.
    pub async fn start() -> Self {
        Self::start_at("127.0.0.1:0").await
    }

    /// The same at this address.
    pub async fn start_at(address: &str) -> Self {
        let listener = TcpListener::bind(address).await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        Self { listener, url }
    }

    /// The next connection.
    pub async fn accept(&self) -> BufReader<TcpStream> {
        let (stream, _) = within(self.listener.accept()).await.unwrap();
        BufReader::new(stream)
    }

    /// The next request, on a connection of its own.
    pub async fn next(&self) -> AnsweredRequest {
        let asked = AnsweredRequest::read(self.accept().await).await;
        asked.expect("the client hung up")
    }

    /// The next request, which must be a POST of this method.
    pub async fn request(&self, method: &str) -> AnsweredRequest {
        let asked = self.next().await;
        assert_eq!(asked.method, "POST");
        assert_eq!(asked.body["method"], method);
        let expected = "application/json, text/event-stream";
        assert_eq!(asked.headers["accept"], expected);
        assert_eq!(asked.headers["content-type"], "application/json");
        asked
    }

    /// Answers the probe as a modern server.
    pub async fn discover(&self) {
        let result = json!({"supportedVersions": [MODERN], "capabilities": {}});
        self.answer_with("server/discover", result).await;
    }

    /// Answers the next request, which must be of this method, with the least that is a result of it.
    pub async fn answer(&self, method: &str) {
        self.answer_with(method, message::least(method)).await;
    }

    /// Answers the next request, which must be of this method.
    pub async fn answer_with(&self, method: &str, result: Value) {
        self.request(method).await.result(result).await;
    }

    /// Answers the next request, which must be of this method, with a status and nothing else.
    pub async fn refuse(&self, method: &str, status: &str) {
        self.request(method).await.answer(status, "", "").await;
    }

    /// The next request, which must be of this method of HTTP and of the session that [`Self::initialize`] opened.
    pub async fn next_in(&self, session: &str, method: &str) -> AnsweredRequest {
        let asked = self.next().await;
        assert_eq!(asked.method, method);
        asked.is_of(Some(session));
        asked
    }

    /// Answers the handshake, with this session if there is one.
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
    /// The next request of a connection; none if it ends.
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

    /// It belongs to this session of the legacy server that [`Host::initialize`] plays.
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

    /// Answers with this text, which is said to be JSON.
    pub async fn json(self, status: &str, text: &str) {
        let headers = "Content-Type: application/json\r\n";
        self.answer(status, headers, text).await;
    }

    /// Answers, and hangs up.
    pub async fn answer(mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n"
        );
        self.write(&(head + body)).await;
    }

    /// Begins an answer of events that ends with the connection.
    pub async fn events(&mut self) {
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";
        self.write(head).await;
    }

    /// Writes a message as an event.
    pub async fn event(&mut self, message: &Value) {
        self.write(&format!("data: {message}\n\n")).await;
    }

    /// Writes the least that is a result of what was asked for, as an event.
    pub async fn last_event(&mut self) {
        let method = self.body["method"].as_str().unwrap_or_default();
        let result = message::least(method);
        self.event(&message::result(&self.body, result)).await;
    }

    /// Writes as it is.
    pub async fn write(&mut self, text: &str) {
        // The client may have hung up, which is for it to tell.
        let _hung_up = self.stream.write_all(text.as_bytes()).await;
    }

    /// Waits until the client closes the connection.
    pub async fn hung_up(&mut self) {
        let mut rest = Vec::new();
        // A reset is an end too.
        let _end = within(self.stream.read_to_end(&mut rest)).await;
        assert!(rest.is_empty());
    }
}

/// The head and the message of the next request on `stream`; none if it ends, and null if there is no message.
pub async fn received(stream: &mut BufReader<TcpStream>) -> Option<(String, Value)> {
    let head = head(stream).await?;
    let length = header(&head, "content-length").map_or(0, |length| length.parse().unwrap());
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.ok()?;
    Some((head, serde_json::from_slice(&body).unwrap_or_default()))
}
