//! Streams that end when the token that opened them expires.

use axum::body::{Body, BodyDataStream};
use futures_util::StreamExt as _;
use http::Request;
use plainly::server::auth::ApiKeys;
use plainly_peer::message;
use serde_json::json;
use tokio::time::Instant;
use tower::ServiceExt as _;

use super::issuer::{Issuer, NOW};
use super::keys::KeyFile;
use super::support::{Guarded, bearer, call, capable, mirrored, service};

#[tokio::test]
async fn a_stream_ends_with_the_token_that_opened_it() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    // The token expired 59 seconds ago, and clocks may differ by 60 seconds.
    let last_second = bearer(&issuer.token(json!({"exp": NOW - 59})));
    let listen = capable(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    );
    let mut listening = guarded.post(&last_second, &listen).await;
    let acknowledged = listening.message().await;
    assert_eq!(
        acknowledged["method"],
        "notifications/subscriptions/acknowledged"
    );
    // A regular end: the last message is the result.
    let mut last = acknowledged;
    while let Some(message) = listening.next().await {
        last = message;
    }
    assert_eq!(last["id"], 1, "{last}");

    let opened = guarded
        .post(&last_second, &message::initialize(message::LEGACY[3]))
        .await;
    let session = format!("{last_second}Mcp-Session-Id: {}\r\n", opened.session());
    let mut stream = guarded.site.send("GET /mcp", &session, "").await;
    assert_eq!(stream.status, 200);
    while stream.next().await.is_some() {}

    let mut pipe = guarded.site.send("GET /sse", &last_second, "").await;
    assert_eq!(
        pipe.event().await.unwrap().name.as_deref(),
        Some("endpoint")
    );
    while pipe.event().await.is_some() {}
}

#[tokio::test]
async fn a_stream_goes_on_while_the_token_does() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    let alice = bearer(&issuer.token(json!({})));
    let listen = capable(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    );
    let mut listening = guarded.post(&alice, &listen).await;
    listening.message().await;
    guarded.post(&alice, &call("touch")).await;
    let told = listening.message().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
}

/// Checks the stream without a connection, so that time can be simulated.
#[tokio::test(start_paused = true)]
async fn a_stream_ends_within_a_minute_after_its_key_was_revoked() {
    let file = KeyFile::new();
    let [ci, ada] = ["ci", "ada"].map(|name| file.add(name, &[], None));
    let keys = ApiKeys::open(&file.path).unwrap();
    let (service, ..) = service(|auth| auth.api_keys(keys));
    let listen = capable(
        "subscriptions/listen",
        json!({"notifications": {"toolsListChanged": true}}),
    );
    let open = async |key: &str| {
        let head = format!(
            "Host: localhost\r\n{}{}{}",
            message::JSON,
            mirrored(&listen),
            bearer(key)
        );
        let mut request = Request::post("/mcp");
        for line in head.lines() {
            let (name, value) = line.split_once(": ").unwrap();
            request = request.header(name, value);
        }
        let request = request.body(Body::from(listen.to_string())).unwrap();
        let response = service.clone().oneshot(request).await.unwrap();
        assert_eq!(response.status(), 200);
        let mut stream = Body::new(response.into_body()).into_data_stream();
        stream.next().await.unwrap().unwrap();
        stream
    };
    async fn end(mut stream: BodyDataStream) {
        while stream.next().await.is_some() {}
    }
    let (revoked, good) = (open(&ci).await, open(&ada).await);
    ApiKeys::revoke(&file.path, "ci").unwrap();
    let began = Instant::now();
    tokio::select! {
        () = end(revoked) => {}
        () = end(good) => panic!("the other key is good"),
    }
    assert_eq!(began.elapsed().as_secs(), 60);
}
