//! A server over HTTP, played by the test: one request a connection, as raw text.

use std::collections::HashMap;
use std::time::Duration;

use plainly::client::{Builder, Client, Http};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Longer than a client waits for anything by default.
const TOO_LONG: Duration = Duration::from_secs(120);

pub(crate) struct Server {
    listener: TcpListener,
}

/// One request, to be answered.
pub(crate) struct Exchange {
    pub(crate) method: String,
    /// By name in lower case.
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Value,
    stream: BufReader<TcpStream>,
}

impl Server {
    pub(crate) async fn start() -> (Builder<Http>, Self) {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("bindable");
        let address = listener.local_addr().expect("bound");
        let builder = Client::http(format!("http://{address}/mcp?key=secret"));
        (builder, Self { listener })
    }

    /// The next request.
    pub(crate) async fn next(&self) -> Exchange {
        let accepting = tokio::time::timeout(TOO_LONG, self.listener.accept()).await;
        let (stream, _) = accepting.expect("a request in time").expect("acceptable");
        let mut stream = BufReader::new(stream);
        let mut lines = Vec::new();
        loop {
            let mut line = String::new();
            stream.read_line(&mut line).await.expect("readable");
            let line = line.trim_end().to_owned();
            if line.is_empty() {
                break;
            }
            lines.push(line);
        }
        let headers: HashMap<_, _> = lines[1..]
            .iter()
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let length = headers
            .get("content-length")
            .map_or(0, |length| length.parse().expect("a number"));
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await.expect("readable");
        Exchange {
            method: lines[0].split(' ').next().expect("a method").to_owned(),
            headers,
            body: serde_json::from_slice(&body).unwrap_or(Value::Null),
            stream,
        }
    }

    /// The next request, which must be a POST of this method.
    pub(crate) async fn request(&self, method: &str) -> Exchange {
        let exchange = self.next().await;
        assert_eq!(exchange.method, "POST");
        assert_eq!(exchange.body["method"], method);
        assert_eq!(
            exchange.headers["accept"],
            "application/json, text/event-stream"
        );
        assert_eq!(exchange.headers["content-type"], "application/json");
        exchange
    }

    /// Answers the probe as a modern server.
    pub(crate) async fn discover(&self) {
        let result = json!({"supportedVersions": ["2026-07-28"], "capabilities": {}});
        self.request("server/discover").await.result(result).await;
    }

    /// Answers the handshake, with this session if there is one.
    pub(crate) async fn initialize(&self, session: Option<&str>) {
        self.initialize_with(session, json!({})).await;
    }

    async fn initialize_with(&self, session: Option<&str>, capabilities: Value) {
        let handshake = self.request("initialize").await;
        assert!(!handshake.headers.contains_key("mcp-session-id"));
        assert!(!handshake.headers.contains_key("mcp-protocol-version"));
        let result = json!({
            "protocolVersion": "2025-06-18",
            "capabilities": capabilities,
            "serverInfo": {"name": "old", "version": "1"},
        });
        let id = handshake.body["id"].clone();
        let header = session
            .map(|id| format!("Mcp-Session-Id: {id}\r\n"))
            .unwrap_or_default();
        let body = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
        handshake
            .answer(
                "200 OK",
                &format!("Content-Type: application/json\r\n{header}"),
                &body,
            )
            .await;
        let initialized = self.request("notifications/initialized").await;
        initialized.is_of(session);
        initialized.answer("202 Accepted", "", "").await;
    }

    /// A modern client.
    pub(crate) async fn modern() -> (Client, Self) {
        let (builder, server) = Self::start().await;
        let (client, ()) = tokio::join!(builder.connect(), server.discover());
        (client.expect("the server is modern"), server)
    }

    /// A client in this session of a legacy server.
    pub(crate) async fn legacy(session: Option<&str>) -> (Client, Self) {
        Self::legacy_with(session, json!({})).await
    }

    /// A client in this session of a legacy server with these capabilities.
    pub(crate) async fn legacy_with(session: Option<&str>, capabilities: Value) -> (Client, Self) {
        let (builder, server) = Self::start().await;
        let (client, ()) = tokio::join!(builder.connect(), async {
            server
                .request("server/discover")
                .await
                .answer("400 Bad Request", "", "")
                .await;
            server.initialize_with(session, capabilities).await;
        });
        (client.expect("the server is legacy"), server)
    }
}

impl Exchange {
    /// It belongs to this session of the legacy server above.
    pub(crate) fn is_of(&self, session: Option<&str>) {
        assert_eq!(
            self.headers.get("mcp-session-id").map(String::as_str),
            session
        );
        assert_eq!(self.headers["mcp-protocol-version"], "2025-06-18");
        assert!(!self.headers.contains_key("mcp-method"));
    }

    /// The response with this result, as text.
    pub(crate) fn response(&self, result: Value) -> String {
        json!({"jsonrpc": "2.0", "id": self.body["id"], "result": result}).to_string()
    }

    pub(crate) async fn result(self, result: Value) {
        let body = self.response(result);
        self.answer(
            "200 OK",
            "Content-Type: application/json; charset=utf-8\r\n",
            &body,
        )
        .await;
    }

    pub(crate) async fn error(self, status: &str, error: Value) {
        let body = json!({"jsonrpc": "2.0", "id": self.body["id"], "error": error}).to_string();
        self.answer(status, "Content-Type: application/json\r\n", &body)
            .await;
    }

    pub(crate) async fn answer(mut self, status: &str, headers: &str, body: &str) {
        let length = body.len();
        let head = format!(
            "HTTP/1.1 {status}\r\nContent-Length: {length}\r\nConnection: close\r\n{headers}\r\n"
        );
        self.write(&head).await;
        self.write(body).await;
    }

    /// Begins an answer that ends with the connection.
    pub(crate) async fn events(&mut self) {
        self.write(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n",
        )
        .await;
    }

    pub(crate) async fn write(&mut self, text: &str) {
        // The client may have hung up, which is for it to tell.
        let _hung_up = self.stream.write_all(text.as_bytes()).await;
    }

    /// Waits until the client closes the connection.
    pub(crate) async fn hung_up(&mut self) {
        let mut rest = Vec::new();
        // A reset is an end too.
        let _end = self.stream.read_to_end(&mut rest).await;
        assert!(rest.is_empty());
    }
}
