//! Streams end when the token does that opened them.

use plainly_peer::message;
use serde_json::json;

use super::issuer::{Issuer, NOW};
use super::support::{Guarded, bearer, call, capable};

#[tokio::test]
async fn a_stream_ends_with_the_token_that_opened_it() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    // It ended 59 seconds ago, and clocks may differ by 60.
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
    // A good end: the last message is the result.
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
