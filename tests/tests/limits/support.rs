//! A server, and clients that speak to it in raw messages, without a transport between them or over a byte stream.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::{Extensions, HeaderMap, HeaderValue};
use plainly::limits::Limits;
use plainly::server::{Keys, Principal, Server, ServerBuilder, Tool};
use plainly::transport::http::HttpServer;
use plainly::transport::{Exchange, Frame, Reply, ReplyBody};
use plainly::{Args, State};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, DuplexStream};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

/// A test that hangs fails.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(60), future)
        .await
        .expect("took too long")
}

#[derive(Deserialize, JsonSchema)]
struct Many {
    bytes: usize,
}

async fn say(Args(Many { bytes }): Args<Many>) -> String {
    "x".repeat(bytes)
}

/// Waits for a permit.
async fn wait(State(gate): State<Arc<Semaphore>>) -> &'static str {
    gate.acquire().await.unwrap().forget();
    "done"
}

/// A server whose tool `say` says as much as it is asked to, and whose tool `wait` waits for a permit.
pub(crate) fn server(change: impl FnOnce(&mut Limits)) -> (Server, Arc<Semaphore>) {
    server_with(|builder| builder, change)
}

/// The same with more.
pub(crate) fn server_with(
    more: impl FnOnce(ServerBuilder) -> ServerBuilder,
    change: impl FnOnce(&mut Limits),
) -> (Server, Arc<Semaphore>) {
    let gate = Arc::new(Semaphore::new(0));
    let mut limits = Limits::default();
    change(&mut limits);
    let builder = Server::builder("limited", "1")
        .state(Arc::clone(&gate))
        .keys(Keys::new([7; 32]))
        .limits(limits)
        .tool(Tool::new("say", say))
        .tool(Tool::new("wait", wait));
    (more(builder).build().unwrap(), gate)
}

/// A modern request.
pub(crate) fn request(id: u32, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A call of the tool `say`.
pub(crate) fn saying(id: u32, bytes: usize) -> Value {
    let params = json!({"name": "say", "arguments": {"bytes": bytes}});
    request(id, "tools/call", params)
}

/// A call of the tool `wait`.
pub(crate) fn waiting(id: u32) -> Value {
    request(id, "tools/call", json!({"name": "wait"}))
}

/// What came with a message: its headers, and whose it is.
pub(crate) fn frame(
    principal: Option<&Principal>,
    headers: &[(&str, &str)],
    body: String,
) -> Frame {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let name: http::HeaderName = name.parse().unwrap();
        map.insert(name, HeaderValue::from_str(value).unwrap());
    }
    let mut extensions = Extensions::new();
    if let Some(principal) = principal {
        extensions.insert(principal.clone());
    }
    Frame::new(map, body.into()).extensions(extensions)
}

/// The reply to a modern request over HTTP.
pub(crate) async fn exchange(
    server: &Server,
    principal: Option<&Principal>,
    message: &Value,
) -> Reply {
    let method = message["method"].as_str().unwrap();
    let mut headers = vec![
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", method),
    ];
    let params = &message["params"];
    let name = params["name"].as_str().or(params["uri"].as_str());
    headers.extend(name.map(|name| ("mcp-name", name)));
    within(server.exchange(&frame(principal, &headers, message.to_string()))).await
}

/// What a whole reply says.
pub(crate) fn whole(reply: &Reply) -> &[u8] {
    match &reply.body {
        ReplyBody::Whole(bytes) => bytes,
        ReplyBody::Feed(feed) => panic!("{feed:?}"),
    }
}

pub(crate) fn json_of(reply: &Reply) -> Value {
    serde_json::from_slice(whole(reply)).unwrap()
}

/// It says that there is too much, and when to come again.
pub(crate) fn assert_overloaded(reply: &Reply) {
    assert_eq!(reply.status, 503, "{reply:?}");
    assert_eq!(json_of(reply)["error"]["data"]["kind"], "overloaded");
}

/// Serves over HTTP for as long as the test runs.
pub(crate) async fn listening(server: &Server) -> SocketAddr {
    let listener = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr();
    let service = server.http();
    tokio::spawn(async move { listener.serve(service, std::future::pending()).await });
    address
}

/// A request as it is written over HTTP.
pub(crate) fn written(address: SocketAddr, message: &Value) -> String {
    let body = message.to_string();
    let name = message["params"]["name"].as_str().unwrap();
    format!(
        "POST / HTTP/1.1\r\nHost: {address}\r\nContent-Type: application/json\r\nAccept: */*\r\n\
         MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len(),
    )
}

/// Sends a request and reads the status alone.
pub(crate) async fn status(address: SocketAddr, message: &Value) -> (String, TcpStream) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = written(address, message);
    within(stream.write_all(request.as_bytes())).await.unwrap();
    let mut status = vec![0; "HTTP/1.1 200".len()];
    within(stream.read_exact(&mut status)).await.unwrap();
    (String::from_utf8(status).unwrap(), stream)
}

/// The client's end of a byte stream.
pub(crate) struct Stream {
    pub(crate) near: BufReader<DuplexStream>,
    pub(crate) serving: JoinHandle<std::io::Result<()>>,
}

impl Stream {
    /// One that takes `bytes` before they are read.
    pub(crate) fn open(server: &Server, principal: Option<&Principal>, bytes: usize) -> Self {
        let (near, far) = tokio::io::duplex(bytes);
        let (reader, writer) = tokio::io::split(far);
        let server = server.clone();
        let extensions = frame(principal, &[], String::new()).extensions;
        let serving = tokio::spawn(async move {
            let never = std::future::pending();
            server.serve_known(extensions, reader, writer, never).await
        });
        let near = BufReader::new(near);
        Self { near, serving }
    }

    /// Writes them in one piece.
    pub(crate) async fn send(&mut self, messages: &[Value]) {
        let lines: String = messages
            .iter()
            .map(|message| format!("{message}\n"))
            .collect();
        within(self.near.write_all(lines.as_bytes())).await.unwrap();
    }

    pub(crate) async fn next_line(&mut self) -> String {
        let mut line = String::new();
        within(self.near.read_line(&mut line)).await.unwrap();
        line
    }

    pub(crate) async fn next(&mut self) -> Value {
        serde_json::from_str(&self.next_line().await).unwrap()
    }

    pub(crate) async fn ask(&mut self, message: Value) -> Value {
        self.send(&[message]).await;
        self.next().await
    }
}
