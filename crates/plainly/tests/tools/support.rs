//! Clients that speak in raw messages.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use plainly::Revision;
use plainly::server::Server;
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tower_service::Service;

/// A request of 2026-07-28.
pub(crate) fn modern(id: impl Into<Value>, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

pub(crate) fn call(tool: &str, arguments: &Value) -> Value {
    modern(
        1,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    )
}

/// The text of a tool's result, and whether it is an error.
pub(crate) fn told(reply: &Value) -> (&str, bool) {
    let result = &reply["result"];
    let text = result["content"][0]["text"].as_str();
    (
        text.unwrap_or_else(|| panic!("no text: {reply}")),
        result["isError"] == true,
    )
}

pub(crate) async fn post(
    server: &Server,
    headers: &[(&str, &str)],
    message: &Value,
) -> (StatusCode, Value) {
    let mut request = Request::post("/")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(message.to_string())).unwrap();
    let response = server.http().call(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(Body::new(response.into_body()), 1 << 20).await;
    (status, serde_json::from_slice(&body.unwrap()).unwrap())
}

/// A client over a byte stream.
pub(crate) struct Peer {
    writer: WriteHalf<DuplexStream>,
    reader: Lines<BufReader<ReadHalf<DuplexStream>>>,
    revision: Revision,
}

impl Peer {
    pub(crate) fn connect(server: &Server) -> Self {
        let (near, far) = tokio::io::duplex(1 << 20);
        let (reader, writer) = tokio::io::split(far);
        let server = server.clone();
        tokio::spawn(async move { server.serve(reader, writer).await });
        let (reader, writer) = tokio::io::split(near);
        Self {
            writer,
            reader: BufReader::new(reader).lines(),
            revision: Revision::LATEST,
        }
    }

    /// A session of this revision, or none if it has no sessions; and the capabilities that the server declares.
    pub(crate) async fn of(server: &Server, revision: Revision) -> (Self, Value) {
        let mut peer = Self::connect(server);
        peer.revision = revision;
        let opening = if revision == Revision::LATEST {
            modern(0, "server/discover", json!({}))
        } else {
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
                "protocolVersion": revision.as_str(),
                "capabilities": {},
                "clientInfo": {"name": "raw", "version": "1"},
            }})
        };
        let reply = peer.ask(&opening).await;
        (peer, reply["result"]["capabilities"].clone())
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.writer.write_all(line.as_bytes()).await.unwrap();
    }

    /// The next message, as it was written.
    pub(crate) async fn next_line(&mut self) -> String {
        let line = tokio::time::timeout(Duration::from_secs(20), self.reader.next_line());
        let line = line.await.expect("took too long").unwrap();
        line.expect("the server closed")
    }

    pub(crate) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.next_line().await).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        self.next().await
    }

    /// A request as the peer's revision has it.
    pub(crate) fn message(&self, method: &str, params: Value) -> Value {
        if self.revision == Revision::LATEST {
            return modern(1, method, params);
        }
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
    }

    /// Asks in the way of the peer's revision, and hears nothing but the reply.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let request = self.message(method, params);
        self.send(&request).await;
        loop {
            match self.next().await {
                reply if reply.get("id").is_some() => return reply,
                _notification => {}
            }
        }
    }

    /// One page of the tools' names, and the cursor of the next.
    pub(crate) async fn page(&mut self, cursor: Option<&Value>) -> (Vec<String>, Option<Value>) {
        let params = match cursor {
            Some(cursor) => json!({"cursor": cursor}),
            None => json!({}),
        };
        let reply = self.request("tools/list", params).await;
        let tools = reply["result"]["tools"].as_array();
        let tools = tools.unwrap_or_else(|| panic!("no tools: {reply}"));
        let names = tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap().to_owned());
        (names.collect(), reply["result"].get("nextCursor").cloned())
    }

    /// The names of all tools.
    pub(crate) async fn list(&mut self) -> Vec<String> {
        let (mut names, mut next) = self.page(None).await;
        while let Some(cursor) = next {
            let (more, after) = self.page(Some(&cursor)).await;
            names.extend(more);
            next = after;
        }
        names
    }
}
