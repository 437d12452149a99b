//! Replies of legacy servers whose stream ends, for as long as the server can go on.

use std::time::{Duration, Instant};

use plainly_peer::{AnsweredRequest, Host};
use serde_json::json;

use super::server;

const EVENTS: &str = "Content-Type: text/event-stream\r\n";

/// Begins the reply of the next call. Returns the event with its end.
async fn begin(host: &Host) -> String {
    let call = host.request("tools/call").await;
    let end = format!("data: {}\n\n", call.response(json!({"content": []})));
    let part = "id: 0\nretry: 0\ndata:\n\n";
    call.answer("200 OK", EVENTS, part).await;
    end
}

/// The request for the rest of a reply, after this event.
async fn rest(host: &Host, last: &str) -> AnsweredRequest {
    let rest = host.next_in("s", "GET").await;
    assert_eq!(rest.headers["last-event-id"], last);
    rest
}

#[tokio::test]
async fn a_server_may_have_the_client_poll_for_as_long_as_the_call_takes() {
    let (client, host) = server::legacy(Some("s")).await;
    let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
        let end = begin(&host).await;
        for last in 0..8 {
            let part = format!("id: {}\ndata:\n\n", last + 1);
            let rest = rest(&host, &last.to_string()).await;
            rest.answer("200 OK", EVENTS, &part).await;
        }
        rest(&host, "8").await.answer("200 OK", EVENTS, &end).await;
    });
    called.unwrap();
}

#[tokio::test]
async fn a_server_that_can_not_go_on_now_is_asked_again_when_it_wants() {
    for (status, headers, least) in [
        ("409 Conflict", "", 0),
        ("429 Too Many Requests", "Retry-After: 1\r\n", 1),
        ("502 Bad Gateway", "", 0),
        ("503 Service Unavailable", "", 0),
    ] {
        let (client, host) = server::legacy(Some("s")).await;
        let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
            let end = begin(&host).await;
            rest(&host, "0").await.answer(status, headers, "").await;
            let refused = Instant::now();
            rest(&host, "0").await.answer("200 OK", EVENTS, &end).await;
            assert!(refused.elapsed() >= Duration::from_secs(least));
        });
        assert!(called.is_ok(), "{status}: {called:?}");
    }
}
