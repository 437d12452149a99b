//! Requests written as bytes, each on its own connection, and their responses.

use std::net::SocketAddr;

use axum::body::Body;
use axum::http::Request;
use plainly_peer::Response;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use crate::within;

pub(crate) const MODERN: &str = "2026-07-28";
/// The newest revision with sessions.
pub(crate) const LEGACY: &str = "2025-11-25";

/// The `_meta` of a modern client that can answer questions and follow tasks.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": capabilities(),
    })
}

pub(crate) fn capabilities() -> Value {
    json!({
        "elicitation": {"form": {}},
        "extensions": {"io.modelcontextprotocol/tasks": {}},
    })
}

/// A JSON-RPC request without `_meta`.
pub(crate) fn bare(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// A JSON-RPC request of 2026-07-28.
pub(crate) fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    for (key, value) in meta().as_object().unwrap() {
        params["_meta"][key] = value.clone();
    }
    bare(id, method, params)
}

pub(crate) fn initialize() -> Value {
    let params = json!({
        "protocolVersion": LEGACY,
        "capabilities": {"elicitation": {}},
        "clientInfo": {"name": "attacker", "version": "1"},
    });
    bare(0, "initialize", params)
}

/// An HTTP request for a service, with only those headers that HTTP requires.
pub(crate) fn posted(body: impl Into<Body>) -> Request<Body> {
    Request::post("/")
        .header("Host", "localhost")
        .header("Content-Type", "application/json")
        .header("Accept", "*/*")
        .body(body.into())
        .unwrap()
}

/// An HTTP request that can be changed before it is sent.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    address: SocketAddr,
    method: &'static str,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Attempt {
    /// A valid request without a body.
    pub(crate) fn new(
        address: SocketAddr,
        method: &'static str,
        target: impl Into<String>,
    ) -> Self {
        let attempt = Self {
            address,
            method,
            target: target.into(),
            headers: Vec::new(),
            body: Vec::new(),
        };
        attempt
            .with("Host", format!("127.0.0.1:{}", address.port()))
            .with("Accept", "application/json, text/event-stream")
            .with("Connection", "close")
    }

    pub(crate) fn post(
        address: SocketAddr,
        target: impl Into<String>,
        body: impl ToString,
    ) -> Self {
        Self::new(address, "POST", target)
            .with("Content-Type", "application/json")
            .body(body.to_string())
    }

    /// A valid request of 2026-07-28 to `/mcp`.
    pub(crate) fn modern(address: SocketAddr, method: &str, params: Value) -> Self {
        let name = ["name", "uri", "taskId"].iter();
        let name = name.filter_map(|key| params[key].as_str()).next();
        let is_named = matches!(method, "tools/call" | "prompts/get" | "resources/read")
            || method.starts_with("tasks/");
        let attempt = Self::post(address, "/mcp", modern(1, method, params.clone()))
            .with("MCP-Protocol-Version", MODERN)
            .with("Mcp-Method", method);
        match name.filter(|_| is_named) {
            Some(name) => attempt.with("Mcp-Name", name),
            None => attempt,
        }
    }

    /// A call of a tool.
    pub(crate) fn call(address: SocketAddr, tool: &str, arguments: Value) -> Self {
        let params = json!({"name": tool, "arguments": arguments});
        Self::modern(address, "tools/call", params)
    }

    /// Sets a header, in place of all headers of this name.
    pub(crate) fn with(mut self, name: &str, value: impl Into<String>) -> Self {
        self = self.without(name);
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    /// Adds a header beside those of this name.
    pub(crate) fn and(mut self, name: &str, value: impl Into<String>) -> Self {
        self.headers.push((name.to_owned(), value.into()));
        self
    }

    pub(crate) fn without(mut self, name: &str) -> Self {
        self.headers
            .retain(|(key, _)| !key.eq_ignore_ascii_case(name));
        self
    }

    /// Sends this bearer token; without one, sends none.
    pub(crate) fn known_as(self, name: Option<&str>) -> Self {
        match name {
            Some(name) => self.with("Authorization", format!("Bearer {name}")),
            None => self.without("Authorization"),
        }
    }

    pub(crate) fn method(mut self, method: &'static str) -> Self {
        self.method = method;
        self
    }

    pub(crate) fn body(mut self, body: impl Into<Vec<u8>>) -> Self {
        self.body = body.into();
        self
    }

    /// Appends these bytes to the body.
    pub(crate) fn padded(mut self, padding: &[u8]) -> Self {
        self.body.extend_from_slice(padding);
        self
    }

    /// The head and its blank line. It has the body's `Content-Length`, unless a header already
    /// gives a length.
    pub(crate) fn head(&self) -> String {
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.target);
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        let says_length = |(name, _): &(String, String)| {
            let name = name.trim_end();
            name.eq_ignore_ascii_case("content-length")
                || name.eq_ignore_ascii_case("transfer-encoding")
        };
        if self.method == "POST" && !self.headers.iter().any(says_length) {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        head + "\r\n"
    }

    pub(crate) async fn send(&self) -> Response {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let bytes = [self.head().as_bytes(), &self.body].concat();
        // The server may refuse the request before it has read all of it.
        within(stream.write_all(&bytes)).await.ok();
        Response::read(BufReader::new(stream)).await
    }

    pub(crate) async fn status(&self) -> u16 {
        self.send().await.status
    }

    /// The only message in the response.
    pub(crate) async fn json(&self) -> Value {
        let response = self.send().await;
        let text = response.rest().await;
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{self:?}: {error}: {text}"))
    }
}

/// A session of an older revision.
#[derive(Clone, Debug)]
pub(crate) struct Session {
    address: SocketAddr,
    pub(crate) name: String,
}

impl Session {
    pub(crate) async fn open(address: SocketAddr, owner: Option<&str>) -> Self {
        let opened = Attempt::post(address, "/mcp", initialize()).known_as(owner);
        let opened = opened.send().await;
        assert_eq!(opened.status, 200, "{opened:?}");
        let name = opened.header("mcp-session-id").unwrap().to_owned();
        let session = Self { address, name };
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        let told = session.post(&initialized).known_as(owner);
        assert_eq!(told.status().await, 202);
        session
    }

    fn of(&self, attempt: Attempt) -> Attempt {
        attempt
            .with("Mcp-Session-Id", &self.name)
            .with("MCP-Protocol-Version", LEGACY)
    }

    pub(crate) fn post(&self, message: &Value) -> Attempt {
        self.of(Attempt::post(self.address, "/mcp", message))
    }

    pub(crate) fn get(&self) -> Attempt {
        let attempt = Attempt::new(self.address, "GET", "/mcp");
        self.of(attempt.with("Accept", "text/event-stream"))
    }

    pub(crate) fn delete(&self) -> Attempt {
        self.of(Attempt::new(self.address, "DELETE", "/mcp"))
    }
}

/// A session of HTTP with SSE, which lasts as long as its stream.
pub(crate) struct Events {
    pub(crate) stream: Response,
    pub(crate) endpoint: String,
}

impl Events {
    pub(crate) fn attempt(address: SocketAddr) -> Attempt {
        Attempt::new(address, "GET", "/sse").with("Accept", "text/event-stream")
    }

    pub(crate) async fn open(address: SocketAddr, owner: Option<&str>) -> Self {
        let mut stream = Self::attempt(address).known_as(owner).send().await;
        assert_eq!(stream.status, 200, "{stream:?}");
        let endpoint = stream.event().await.unwrap().data;
        assert!(endpoint.starts_with("/sse?session="), "{endpoint}");
        Self { stream, endpoint }
    }
}
