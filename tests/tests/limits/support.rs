//! A server, and clients that send it raw messages, directly or over a byte stream.

use std::net::SocketAddr;
use std::sync::Arc;

use http::{Extensions, HeaderMap, HeaderValue};
use plainly::limits::Limits;
use plainly::server::{Keys, Principal, Server, ServerBuilder, Tool};
use plainly::transport::http::HttpServer;
use plainly::transport::{Exchange, Frame, Reply, ReplyBody};
use plainly::{Args, State};
use plainly_peer::message::{modern, posted};
use plainly_peer::within;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;

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

/// A server whose tool `say` returns a text of the requested length, and whose tool `wait` waits
/// for a permit.
pub(crate) fn server(change: impl FnOnce(&mut Limits)) -> (Server, Arc<Semaphore>) {
    server_with(|builder| builder, change)
}

/// The server of [`server`] with additions.
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

/// A call of the tool `say`.
pub(crate) fn saying(id: u32, bytes: usize) -> Value {
    let params = json!({"name": "say", "arguments": {"bytes": bytes}});
    modern(id, "tools/call", params)
}

/// A call of the tool `wait`.
pub(crate) fn waiting(id: u32) -> Value {
    modern(id, "tools/call", json!({"name": "wait"}))
}

/// A message with these headers, sent by this principal.
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

/// The body of a reply that is no stream.
pub(crate) fn whole(reply: &Reply) -> &[u8] {
    match &reply.body {
        ReplyBody::Whole(bytes) => bytes,
        ReplyBody::Feed(feed) => panic!("{feed:?}"),
    }
}

pub(crate) fn json_of(reply: &Reply) -> Value {
    serde_json::from_slice(whole(reply)).unwrap()
}

/// Asserts that the server refused the request as overloaded.
pub(crate) fn assert_overloaded(reply: &Reply) {
    assert_eq!(reply.status, 503);
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

/// A request as written over HTTP.
pub(crate) fn written(address: SocketAddr, message: &Value) -> String {
    posted("/", &address.to_string(), None, message)
}

/// Sends a request and reads only the status.
pub(crate) async fn status(address: SocketAddr, message: &Value) -> (String, TcpStream) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = written(address, message);
    within(stream.write_all(request.as_bytes())).await.unwrap();
    let mut status = vec![0; "HTTP/1.1 200".len()];
    within(stream.read_exact(&mut status)).await.unwrap();
    (String::from_utf8(status).unwrap(), stream)
}
