//! The example of a server and its client over WebSocket, in every revision.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::net::SocketAddr;
use std::time::Duration;

use plainly::Revision;
use plainly::client::{CloseReason, LocalError};
use plainly::protocol::types::Content;
use serde_json::json;
use tokio::net::TcpListener;

#[path = "../../examples/websocket.rs"]
#[expect(dead_code, reason = "the example's `main` is both sides at once")]
mod example;

async fn serve() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { example::serve(listener).await.map_err(drop) });
    address
}

#[tokio::test]
async fn each_revision_is_spoken_over_a_websocket() {
    let address = serve().await;
    for revision in Revision::ALL {
        let client = example::client(address).await.unwrap();
        let client = client.revision(revision).connect().await.unwrap();
        assert_eq!(client.revision(), revision);
        let calls = (0..100).map(|number| {
            let arguments = json!({"name": format!("{number}\n")});
            client.call_tool("greet", arguments)
        });
        let results = futures_util::future::try_join_all(calls).await.unwrap();
        for (number, result) in results.into_iter().enumerate() {
            let greeting = format!("Hello, {number}\n!");
            assert_eq!(result.content, [Content::text(greeting)]);
        }
        client.close().await;
    }
}

#[tokio::test]
async fn the_newest_revision_is_agreed_on() {
    let client = example::client(serve().await).await.unwrap();
    let client = client.connect().await.unwrap();
    assert_eq!(client.revision(), Revision::LATEST);
    assert!(client.received_bytes() > 0);
}

#[tokio::test]
async fn a_message_that_is_too_long_ends_the_connection_with_a_reason() {
    let client = example::client(serve().await).await.unwrap();
    let client = client.timeout(Duration::from_secs(20));
    let client = client.connect().await.unwrap();
    let name = "x".repeat(5 << 20);
    let error = client.call_tool("greet", json!({"name": name})).await;
    let error = error.unwrap_err();
    let Some(LocalError::Closed(closed)) = error.local() else {
        panic!("{error}");
    };
    let reason = &closed.reason;
    let is_end = matches!(
        reason,
        CloseReason::Peer | CloseReason::Read(_) | CloseReason::Write(_)
    );
    assert!(is_end, "{reason:?}");
}
