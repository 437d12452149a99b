//! A client that sends each request over a connection of its own, to any replica.

use std::io;

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::TcpStream;

const MODERN: &str = "2026-07-28";
const LEGACY: &str = "2025-11-25";

/// A response whose body is still to be read.
pub(crate) struct Reply {
    status: u16,
    session: Option<String>,
    has_events: bool,
    body: BufReader<TcpStream>,
}

impl Reply {
    /// Sends a request by HTTP/1.0, because its responses end with the connection and have no
    /// chunks.
    pub(crate) async fn to(
        port: u16,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> io::Result<Self> {
        let mut stream = TcpStream::connect(("127.0.0.1", port)).await?;
        let mut request = format!("{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\n");
        let length = body.len().to_string();
        let common = [
            ("Accept", "application/json, text/event-stream"),
            ("Content-Type", "application/json"),
            ("Content-Length", &length),
        ];
        for (name, value) in common.iter().chain(headers) {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        request.push_str("\r\n");
        stream.write_all((request + body).as_bytes()).await?;
        let mut body = BufReader::new(stream);
        let mut line = String::new();
        body.read_line(&mut line).await?;
        let status = line.split(' ').nth(1).and_then(|it| it.parse().ok());
        let mut reply = Self {
            status: status.ok_or(io::ErrorKind::UnexpectedEof)?,
            session: None,
            has_events: false,
            body,
        };
        loop {
            let mut line = String::new();
            reply.body.read_line(&mut line).await?;
            let Some((name, value)) = line.trim_end().split_once(": ") else {
                return Ok(reply);
            };
            match &*name.to_ascii_lowercase() {
                "mcp-session-id" => reply.session = Some(value.to_owned()),
                "content-type" => reply.has_events = value.starts_with("text/event-stream"),
                _ => {}
            }
        }
    }

    /// Sends a request of the newest revision. Its headers repeat the name.
    pub(crate) async fn of_modern(
        port: u16,
        method: &str,
        name: Option<&str>,
        mut params: Value,
    ) -> Option<Self> {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MODERN,
            "io.modelcontextprotocol/clientCapabilities": {
                "extensions": { "io.modelcontextprotocol/tasks": {} },
            },
        });
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let headers = [("MCP-Protocol-Version", MODERN), ("Mcp-Method", method)];
        let name = name.map(|name| ("Mcp-Name", name));
        let headers: Vec<_> = headers.into_iter().chain(name).collect();
        Self::to(port, "POST", "/mcp", &headers, &message.to_string())
            .await
            .ok()
    }

    pub(crate) async fn text(mut self) -> Option<String> {
        let mut text = String::new();
        self.body.read_to_string(&mut text).await.ok()?;
        Some(text)
    }

    /// The only message, or the next one of a stream of events; `None` if the connection ended.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        if !self.has_events {
            let mut text = String::new();
            self.body.read_to_string(&mut text).await.ok()?;
            return serde_json::from_str(&text).ok();
        }
        loop {
            let mut line = String::new();
            if self.body.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            let data = line.strip_prefix("data:").map(str::trim);
            if let Some(data) = data.filter(|data| !data.is_empty()) {
                return serde_json::from_str(data).ok();
            }
        }
    }
}

/// Sends a request of the newest revision, and returns the message of the reply.
pub(crate) async fn modern(port: u16, method: &str, name: &str, params: Value) -> Option<Value> {
    let mut reply = Reply::of_modern(port, method, Some(name), params).await?;
    reply.next().await
}

/// A session of an older revision.
pub(crate) struct Session(String);

impl Session {
    pub(crate) async fn open(port: u16) -> Option<Self> {
        let hello = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
            "protocolVersion": LEGACY, "capabilities": { "roots": {} },
            "clientInfo": { "name": "soak", "version": "1" },
        } });
        let hello = hello.to_string();
        let reply = Reply::to(port, "POST", "/mcp", &[], &hello).await;
        reply.ok()?.session.map(Self)
    }

    async fn send(&self, port: u16, method: &str, message: &str) -> Option<Reply> {
        let headers = [
            ("MCP-Protocol-Version", LEGACY),
            ("Mcp-Session-Id", &self.0),
        ];
        let reply = Reply::to(port, method, "/mcp", &headers, message)
            .await
            .ok()?;
        (200..300).contains(&reply.status).then_some(reply)
    }

    pub(crate) async fn call(&self, port: u16, tool: &str, text: &str) -> Option<Reply> {
        let params = json!({ "name": tool, "arguments": { "text": text } });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        self.send(port, "POST", &call.to_string()).await
    }

    /// Answers the server's question for roots.
    pub(crate) async fn answer(&self, port: u16, id: &Value) -> Option<()> {
        let roots = json!({ "roots": [{ "uri": "file:///home/ada" }] });
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": roots });
        self.send(port, "POST", &answer.to_string()).await.map(drop)
    }

    pub(crate) async fn end(&self, port: u16) -> Option<()> {
        self.send(port, "DELETE", "").await.map(drop)
    }
}
