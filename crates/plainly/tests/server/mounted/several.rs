//! Several servers on one router, which share a state with its handlers.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::State;
use axum::http::Request;
use axum::routing::get;
use plainly::protocol::types::Content;
use plainly::server::extract;
use plainly::{Client, Revision, Server, Tool};
use tower::ServiceExt;

use super::listening;

#[derive(Clone, Default)]
struct Calls(Arc<AtomicUsize>);

async fn call(extract::State(calls): extract::State<Calls>) -> String {
    format!("call {}", calls.0.fetch_add(1, Ordering::SeqCst) + 1)
}

async fn count(State(calls): State<Calls>) -> String {
    calls.0.load(Ordering::SeqCst).to_string()
}

fn server(name: &str, calls: &Calls) -> Server {
    Server::builder(name, "1")
        .state(calls.clone())
        .tool(Tool::new(name, call))
        .build()
        .unwrap()
}

fn router(calls: &Calls) -> Router {
    Router::new()
        .route("/count", get(count))
        .with_state(calls.clone())
        .route_service("/first", server("first", calls).http())
        .nest_service("/nested/second", server("second", calls).http())
        .nest(
            "/api/v1",
            Router::new().route_service("/third", server("third", calls).http()),
        )
}

#[tokio::test]
async fn each_is_at_its_path_and_all_share_a_state() {
    let calls = Calls::default();
    let router = router(&calls);
    let url = listening(router.clone()).await;
    let mut made = 0;
    for revision in Revision::ALL {
        for (path, name) in [
            ("/first", "first"),
            ("/nested/second", "second"),
            ("/api/v1/third", "third"),
        ] {
            let client = Client::http(format!("{url}{path}")).revision(revision);
            let client = client.connect().await.unwrap();
            assert_eq!(client.server().unwrap().name, name);
            let called = client.call_tool(name, ()).await.unwrap();
            made += 1;
            assert_eq!(called.content, [Content::text(format!("call {made}"))]);
            client.close().await;
        }
    }
    let request = Request::get("/count").body(Body::empty()).unwrap();
    let response = router.oneshot(request).await.unwrap();
    let body = to_bytes(response.into_body(), 100).await.unwrap();
    assert_eq!(body, made.to_string());
}

#[tokio::test]
async fn a_session_of_one_is_none_of_another() {
    let url = listening(router(&Calls::default())).await;
    let [first, second] = ["first", "nested/second"].map(|path| {
        let client = Client::http(format!("{url}/{path}"));
        client.revision(Revision::V2025_11_25).connect()
    });
    let (first, second) = (first.await.unwrap(), second.await.unwrap());
    first.close().await;
    let called = second.call_tool("second", ()).await.unwrap();
    assert_eq!(called.content, [Content::text("call 1")]);
}
