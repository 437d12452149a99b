//! Layers of tower-http around the whole server: they apply to replies, and do not delay events.

use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::{Body, BodyDataStream, to_bytes};
use axum::http::header::{AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE};
use axum::http::{Request, Response, StatusCode};
use futures_util::StreamExt;
use plainly::server::Principal;
use plainly::{Context, Server, State, Tool};
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tower::{ServiceBuilder, ServiceExt};
use tower_http::auth::AsyncRequireAuthorizationLayer;
use tower_http::compression::CompressionLayer;
use tower_http::timeout::TimeoutLayer;
use tower_http::trace::TraceLayer;

#[derive(Clone)]
struct Gate(Arc<Semaphore>);

async fn pass(gate: &Gate) {
    gate.0.acquire().await.unwrap().forget();
}

/// Continues after the test has seen each step.
async fn steps(State(gate): State<Gate>, context: Context) -> String {
    context.progress(1).await;
    pass(&gate).await;
    context.progress(2).await;
    pass(&gate).await;
    format!("for {}", context.principal().unwrap())
}

async fn waits(State(gate): State<Gate>) -> &'static str {
    pass(&gate).await;
    "at last"
}

/// Authenticates the user whose name is the token.
#[expect(clippy::result_large_err, reason = "the layer wants a response")]
fn authorize(mut request: Request<Body>) -> Result<Request<Body>, Response<Body>> {
    let header = request.headers().get(AUTHORIZATION);
    let token = header.and_then(|header| header.to_str().ok()?.strip_prefix("Bearer "));
    let Some(principal) = token.map(Principal::new) else {
        let refusal = Response::builder().status(StatusCode::UNAUTHORIZED);
        return Err(refusal.body(Body::empty()).unwrap());
    };
    request.extensions_mut().insert(principal);
    Ok(request)
}

fn router(gate: &Gate) -> Router {
    let server = Server::builder("layered", "1")
        .state(gate.clone())
        .tool(Tool::new("steps", steps))
        .tool(Tool::new("waits", waits))
        .build()
        .unwrap();
    let authorized = AsyncRequireAuthorizationLayer::new(|request| async { authorize(request) });
    let timeout =
        TimeoutLayer::with_status_code(StatusCode::GATEWAY_TIMEOUT, Duration::from_secs(10));
    Router::new().route_service("/mcp", server.http()).layer(
        ServiceBuilder::new()
            .layer(TraceLayer::new_for_http())
            .layer(timeout)
            .layer(CompressionLayer::new())
            .layer(authorized),
    )
}

fn request(tool: &str, meta: Value) -> Request<Body> {
    let mut body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": tool,
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        },
    }});
    let all = body["params"]["_meta"].as_object_mut().unwrap();
    all.extend(meta.as_object().unwrap().clone());
    Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("accept-encoding", "gzip")
        .header("authorization", "Bearer alice")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", tool)
        .body(Body::from(body.to_string()))
        .unwrap()
}

/// Returns the next message of an event stream.
async fn next(events: &mut BodyDataStream) -> Value {
    loop {
        let chunk = events.next().await.unwrap().unwrap();
        let text = str::from_utf8(&chunk).unwrap();
        let data = text.lines().find_map(|line| line.strip_prefix("data: "));
        if let Some(data) = data.filter(|data| !data.is_empty()) {
            return serde_json::from_str(data).unwrap();
        }
    }
}

#[tokio::test]
async fn a_reply_is_compressed() {
    let gate = Gate(Arc::new(Semaphore::new(1)));
    let response = router(&gate)
        .oneshot(request("waits", json!({})))
        .await
        .unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()[CONTENT_ENCODING], "gzip");
    let body = to_bytes(response.into_body(), 1 << 16).await.unwrap();
    assert_eq!(body[..2], [0x1f, 0x8b]);
}

#[tokio::test]
async fn events_come_one_by_one() {
    let gate = Gate(Arc::new(Semaphore::new(0)));
    let asked = request("steps", json!({"progressToken": "p"}));
    let response = router(&gate).oneshot(asked).await.unwrap();
    assert_eq!(response.headers()[CONTENT_TYPE], "text/event-stream");
    assert!(!response.headers().contains_key(CONTENT_ENCODING));
    let mut events = response.into_body().into_data_stream();
    for step in 1..=2 {
        // The handler sends nothing more before the gate opens, so this message must have arrived.
        let told = next(&mut events).await;
        assert_eq!(told["params"]["progress"], f64::from(step), "{told}");
        gate.0.add_permits(1);
    }
    let reply = next(&mut events).await;
    assert_eq!(reply["result"]["content"][0]["text"], "for alice");
}

#[tokio::test(start_paused = true)]
async fn a_reply_that_takes_too_long_is_timed_out_and_the_next_one_is_not() {
    let gate = Gate(Arc::new(Semaphore::new(0)));
    let router = router(&gate);
    let response = router.clone().oneshot(request("waits", json!({}))).await;
    assert_eq!(response.unwrap().status(), StatusCode::GATEWAY_TIMEOUT);
    gate.0.add_permits(1);
    let response = router.oneshot(request("waits", json!({}))).await;
    assert_eq!(response.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn without_a_token_nothing_runs() {
    let gate = Gate(Arc::new(Semaphore::new(1)));
    let mut request = request("waits", json!({}));
    request.headers_mut().remove(AUTHORIZATION);
    let response = router(&gate).oneshot(request).await.unwrap();
    assert_eq!(response.status(), StatusCode::UNAUTHORIZED);
    assert_eq!(gate.0.available_permits(), 1);
}
