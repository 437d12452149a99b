//! More requests than the server accepts: each is rejected with the time before a retry, and leaves
//! nothing behind.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use axum::body::{Body, to_bytes};
use http::{Request, Response, StatusCode};
use plainly::server::extract::State;
use plainly::server::{Server as McpServer, Tool};
use plainly::transport::http::{HttpLimits, HttpService};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tower_service::Service;

use plainly_peer::within;

use super::support::{Client, Echo, Server, statuses};

/// Starts a server that accepts so many bytes of bodies at a time.
async fn with_room(bytes: usize) -> Server {
    Server::with_limits(|limits| limits.in_flight_bytes = bytes).await
}

fn chunked(server: &Server, pieces: &[&str]) -> String {
    let head = server
        .head(0)
        .replace("Content-Length: 0", "Transfer-Encoding: chunked");
    let chunks: String = pieces
        .iter()
        .map(|piece| format!("{:x}\r\n{piece}\r\n", piece.len()))
        .collect();
    format!("{head}\r\n{chunks}0\r\n\r\n")
}

async fn assert_overloaded(server: &Server, what: &str, request: impl AsRef<[u8]>) {
    let before = server.echo.calls();
    let response = server.send(request).await;
    assert!(
        statuses(&response) == [503]
            && response.contains("\r\nretry-after: 1\r\n")
            && response.contains("\r\nconnection: close\r\n")
            && response.contains("\"kind\":\"overloaded\""),
        "{what}: {response}"
    );
    assert_eq!(server.echo.calls(), before, "{what} ran something");
}

/// Starts a request that runs until it is released.
async fn occupy(server: &Server, running: usize) -> Client {
    let mut client = server.connect().await;
    client.write(server.good("\"slow\"")).await;
    server.echo.running(running).await;
    client
}

#[tokio::test]
async fn bodies_fill_the_room_to_the_last_byte() {
    let server = with_room(12).await;
    let at = "x".repeat(12);
    for request in [server.good(&at), chunked(&server, &["xxxx"; 3])] {
        let response = server.send(request).await;
        assert!(response.ends_with(&at), "{response}");
    }
    assert_overloaded(&server, "declared", server.good(&"x".repeat(13))).await;
    assert_overloaded(&server, "one chunk", chunked(&server, &[&"x".repeat(13)])).await;
    assert_overloaded(
        &server,
        "chunks",
        chunked(&server, &["xxxx", "xxxx", "xxxxx"]),
    )
    .await;
    let response = server.send(server.good(&at)).await;
    assert!(response.ends_with(&at), "{response}");
}

#[tokio::test]
async fn a_body_has_its_room_until_its_answer_is_there() {
    // One client may use an eighth of the limit.
    let server = with_room(8 * 12).await;
    let mut first = occupy(&server, 1).await;
    let second = occupy(&server, 2).await;
    assert_overloaded(&server, "a third", server.good("[1]")).await;
    assert_overloaded(&server, "a third in chunks", chunked(&server, &["[1]"])).await;
    // A request without a body uses no bytes.
    let none = server.send(server.head(0) + "\r\n").await;
    assert_eq!(statuses(&none), [200]);
    server.echo.release(1);
    assert_eq!(statuses(&first.read_until("\"slow\"").await), [200]);
    server.assert_lives("an answer").await;
    assert_overloaded(&server, "7 of 6", server.good("[12345]")).await;
    second.reset();
    server.echo.running(0).await;
    let all = server.send(server.good("[1234567890]")).await;
    assert!(all.ends_with("[1234567890]"), "{all}");
}

#[tokio::test]
async fn a_body_that_is_declared_has_its_room_before_it_comes() {
    let server = with_room(12).await;
    let mut client = server.connect().await;
    let asking = server.head(12) + "Expect: 100-continue\r\n\r\n";
    client.write(&asking).await;
    client.read_until("\r\n\r\n").await;
    // The client is rejected before it sends its body.
    let mut other = server.connect().await;
    other.write(&asking).await;
    assert_eq!(statuses(&other.read_to_end().await), [503]);
    assert_overloaded(&server, "another", server.good("[1]")).await;
    client.reset();
    let again =
        async { while statuses(&server.send(server.good("[1234567890]")).await) != [200] {} };
    within(again).await;
}

#[tokio::test]
async fn what_is_refused_for_other_reasons_gives_its_room_back() {
    let server = Server::with_limits(|limits| {
        limits.in_flight_bytes = 12;
        limits.message_bytes = 12;
        limits.body = Duration::from_millis(20);
    })
    .await;
    let full = || server.good("[1234567890]");
    let mut late = server.connect().await;
    late.write(server.head(12) + "\r\n[").await;
    assert_eq!(statuses(&late.read_to_end().await), [408]);
    assert_eq!(statuses(&server.send(full()).await), [200]);
    let too_large = chunked(&server, &["xxxx", "xxxxxxxxx"]);
    assert_eq!(statuses(&server.send(too_large).await), [413]);
    assert_eq!(statuses(&server.send(full()).await), [200]);
    let broken = chunked(&server, &["xxxx"]).replace("0\r\n\r\n", "?\r\n");
    assert_eq!(statuses(&server.send(broken).await), [400]);
    assert_eq!(statuses(&server.send(full()).await), [200]);
    server.send(server.good("\"panic\"")).await;
    assert_eq!(statuses(&server.send(full()).await), [200]);
}

fn post(body: impl Into<Body>) -> Request<Body> {
    Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "*/*")
        .body(body.into())
        .unwrap()
}

#[tokio::test]
async fn all_clones_of_a_service_share_the_room() {
    let echo = Echo::default();
    let mut limits = HttpLimits::default();
    limits.in_flight_bytes = 6;
    let mut first = HttpService::new(echo.clone()).limits(limits);
    let mut second = first.clone().path("/mcp");
    let running = tokio::spawn(first.call(post("\"slow\"")));
    echo.running(1).await;
    let refused = second.call(post("[1]")).await.unwrap();
    assert_eq!(refused.status(), 503);
    echo.release(1);
    assert_eq!(running.await.unwrap().unwrap().status(), 200);
    // A response that is not yet sent uses no bytes of the limit.
    let answered = second.call(post("\"four\"")).await.unwrap();
    assert_eq!(first.call(post("[1]")).await.unwrap().status(), 200);
    drop(answered);
}

/// Waits for a permit.
async fn wait(State(gate): State<Arc<Semaphore>>) -> &'static str {
    gate.acquire().await.unwrap().forget();
    "done"
}

fn call(id: u32) -> Request<Body> {
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let message = json!({
        "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": "wait", "_meta": meta },
    });
    let mut request = post(message.to_string());
    for (name, value) in [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "wait"),
    ] {
        request.headers_mut().insert(name, value.parse().unwrap());
    }
    request
}

async fn json<B>(response: Response<B>) -> Value
where
    B: http_body::Body<Data = bytes::Bytes, Error = std::convert::Infallible> + Send + 'static,
{
    let body = to_bytes(Body::new(response.into_body()), usize::MAX).await;
    serde_json::from_slice(&body.unwrap()).unwrap()
}

async fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    poll_fn(|cx| Poll::Ready(Pin::new(&mut *future).poll(cx))).await
}

#[tokio::test]
async fn a_server_with_too_many_requests_says_when_to_come_again() {
    let gate = Arc::new(Semaphore::new(0));
    let mut limits = plainly::limits::Limits::default();
    limits.requests = 1;
    let server = McpServer::builder("test", "1")
        .state(Arc::clone(&gate))
        .tool(Tool::new("wait", wait))
        .limits(limits)
        .build()
        .unwrap();
    let mut service = server.http();
    let mut running = service.call(call(1));
    assert!(poll_once(&mut running).await.is_pending());
    let refused = service.call(call(2)).await.unwrap();
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.headers()["retry-after"], "1");
    let refused = json(refused).await;
    assert_eq!(refused["id"], 2);
    assert_eq!(refused["error"]["data"]["kind"], "overloaded");
    gate.add_permits(2);
    let answered = running.await.unwrap();
    assert_eq!(answered.status(), 200);
    assert!(!answered.headers().contains_key("retry-after"));
    assert_eq!(service.call(call(3)).await.unwrap().status(), 200);
}

#[tokio::test]
async fn a_server_takes_its_own_limits_to_http() {
    let mut limits = plainly::limits::Limits::default();
    limits.message_bytes = 1_000;
    let server = McpServer::builder("test", "1")
        .limits(limits.clone())
        .build()
        .unwrap();
    let mut service = server.http();
    for (bytes, status) in [(1_000, 400), (1_001, 413)] {
        let response = service.call(post("x".repeat(bytes))).await.unwrap();
        assert_eq!(response.status(), status);
    }
    limits.shutdown = Duration::from_secs(7);
    assert_eq!(HttpLimits::from(&limits).shutdown.as_secs(), 7);
}

#[tokio::test]
async fn in_one_call_it_is_served_on_loopback_only() {
    let server = McpServer::builder("test", "1").build().unwrap();
    let error = within(server.serve_http("0.0.0.0:0")).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let error = within(server.serve_http(taken.local_addr().unwrap())).await;
    assert_eq!(error.unwrap_err().kind(), std::io::ErrorKind::AddrInUse);
}

/// Checks the size of the queue, because a connection that finds it full gets no answer, and
/// retries only after a second or more.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_crowd_that_comes_at_once_finds_room_in_the_queue() {
    use plainly::transport::http::HttpServer;
    use tokio::net::TcpStream;

    const CROWD: usize = 500;
    let most = std::fs::read_to_string("/proc/sys/net/core/somaxconn").unwrap();
    let most: usize = most.trim().parse().unwrap();
    let http = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let mut waiting = Vec::new();
    for _ in 0..CROWD.min(most) {
        // The server does not accept connections yet.
        waiting.push(within(TcpStream::connect(http.local_addr())).await.unwrap());
    }
}
