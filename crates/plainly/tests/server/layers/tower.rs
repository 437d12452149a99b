//! Layers from tower.

use std::sync::Arc;
use std::time::Duration;

use plainly::errors::ErrorKind;
use plainly::errors::Problem;
use plainly::server::layer::{BoxError, Next, Outcome, Request, from_fn};
use plainly::{Revision, Server, State, Tool};
use serde_json::json;
use tokio::sync::{Notify, Semaphore};
use tower::ServiceBuilder;
use tower::limit::ConcurrencyLimitLayer;
use tower::load_shed::error::Overloaded;
use tower::timeout::TimeoutLayer;

use super::support::{builder, clients, in_memory, message, text};

#[derive(Clone)]
struct Gate {
    begun: Arc<Notify>,
    open: Arc<Semaphore>,
}

impl Gate {
    fn new() -> Self {
        Self {
            begun: Arc::default(),
            open: Arc::new(Semaphore::new(0)),
        }
    }
}

async fn wait(State(gate): State<Gate>) -> &'static str {
    gate.begun.notify_one();
    gate.open.acquire().await.unwrap().forget();
    "through"
}

#[tokio::test(start_paused = true)]
async fn a_timeout_ends_what_takes_too_long() {
    let gate = Gate::new();
    let server = builder()
        .tool(Tool::new("wait", wait))
        .state(gate.clone())
        .layer(TimeoutLayer::new(Duration::from_secs(5)));
    let server = server.build().unwrap();
    for revision in Revision::ALL {
        let client = in_memory(&server, revision).await;
        let called = client.call_tool("wait", ()).await;
        assert_eq!(message(called), "request timed out");
        let called = client.call_tool("echo", json!({"text": "hi"})).await;
        assert_eq!(text(&called.unwrap()), "hi");
    }
}

#[tokio::test]
async fn a_concurrency_limit_lets_through_one_after_the_other() {
    let gate = Gate::new();
    let server = builder()
        .tool(Tool::new("wait", wait))
        .state(gate.clone())
        .layer(ConcurrencyLimitLayer::new(1));
    let server = server.build().unwrap();
    for client in clients(&server).await {
        let first = tokio::spawn({
            let client = client.clone();
            async move { client.call_tool("wait", ()).await }
        });
        gate.begun.notified().await;
        let second = tokio::spawn({
            let client = client.clone();
            async move { client.call_tool("echo", json!({"text": "2"})).await }
        });
        tokio::task::yield_now().await;
        assert!(!second.is_finished());
        gate.open.add_permits(1);
        assert_eq!(text(&first.await.unwrap().unwrap()), "through");
        assert_eq!(text(&second.await.unwrap().unwrap()), "2");
    }
}

/// Builds a server that rejects all but one request at a time.
fn shedding(gate: &Gate) -> Server {
    let layers = ServiceBuilder::new()
        .map_err(|error: BoxError| -> BoxError {
            match error.is::<Overloaded>() {
                true => Problem::service_unavailable("the server").into(),
                false => error,
            }
        })
        .load_shed()
        .concurrency_limit(1)
        .into_inner();
    let server = builder().tool(Tool::new("wait", wait)).state(gate.clone());
    server.layer(layers).build().unwrap()
}

#[tokio::test]
async fn what_is_too_much_is_shed() {
    let gate = Gate::new();
    for client in clients(&shedding(&gate)).await {
        let first = tokio::spawn({
            let client = client.clone();
            async move { client.call_tool("wait", ()).await }
        });
        gate.begun.notified().await;
        let second = client.call_tool("echo", json!({"text": "2"})).await;
        assert!(second.unwrap().is_tool_error());
        let third = client.read("found://here").await.unwrap_err();
        assert!(third.is_retryable(), "{third:?}");
        gate.open.add_permits(1);
        first.await.unwrap().unwrap();
        let fourth = client.call_tool("echo", json!({"text": "4"})).await;
        assert_eq!(text(&fourth.unwrap()), "4");
    }
}

#[tokio::test]
async fn unmapped_what_is_shed_is_an_internal_error() {
    let gate = Gate::new();
    let layers = ServiceBuilder::new().load_shed().concurrency_limit(1);
    let server = builder()
        .tool(Tool::new("wait", wait))
        .state(gate.clone())
        .layer(layers.into_inner());
    let client = in_memory(&server.build().unwrap(), Revision::LATEST).await;
    let first = tokio::spawn({
        let client = client.clone();
        async move { client.call_tool("wait", ()).await }
    });
    gate.begun.notified().await;
    let error = client.tools().await.unwrap_err();
    let kind = error.protocol().unwrap().kind();
    assert!(matches!(kind, ErrorKind::Internal(_)), "{kind:?}");
    gate.open.add_permits(1);
    first.await.unwrap().unwrap();
}

#[tokio::test]
async fn they_stand_among_others() {
    async fn tags(request: Request, next: Next) -> Outcome {
        next.run(request).await
    }
    let layers = ServiceBuilder::new()
        .timeout(Duration::from_secs(60))
        .layer(from_fn(tags))
        .into_inner();
    let server = builder()
        .layer(from_fn(tags))
        .layer(layers)
        .layer(ConcurrencyLimitLayer::new(8));
    for client in clients(&server.build().unwrap()).await {
        let called = client.call_tool("echo", json!({"text": "hi"})).await;
        assert_eq!(text(&called.unwrap()), "hi");
    }
}
