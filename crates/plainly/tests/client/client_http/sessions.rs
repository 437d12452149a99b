//! Sessions of legacy servers over HTTP.

use std::time::Duration;

use plainly::client::LocalError;
use plainly_peer::assert_local;
use serde_json::json;

use super::server;

#[tokio::test]
async fn a_session_goes_with_every_request_and_ends_with_the_client() {
    for session in [Some("s-1"), None] {
        let (client, server) = server::legacy(session).await;
        let (pinged, ()) = tokio::join!(client.ping(), async {
            let ping = server.request("ping").await;
            ping.is_of(session);
            ping.result(json!({})).await;
        });
        pinged.unwrap();
        if session.is_none() {
            client.close().await;
            continue;
        }
        let ((), ()) = tokio::join!(client.close(), async {
            let end = server.next().await;
            assert_eq!(end.method, "DELETE");
            end.is_of(session);
            end.answer("405 Method Not Allowed", "", "").await;
        });
        assert!(client.ping().await.unwrap_err().is_closed());
    }
}

#[tokio::test]
async fn a_forgotten_session_is_opened_anew_once_for_all_calls() {
    let (client, server) = server::legacy(Some("old")).await;
    let (first, second, ()) = tokio::join!(client.ping(), client.ping(), async {
        for _ in 0..2 {
            let ping = server.request("ping").await;
            ping.is_of(Some("old"));
            let body = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Session not found"}}"#;
            ping.json("404 Not Found", body).await;
        }
        server.initialize(Some("new"), json!({})).await;
        for _ in 0..2 {
            let ping = server.request("ping").await;
            ping.is_of(Some("new"));
            ping.result(json!({})).await;
        }
    });
    first.unwrap();
    second.unwrap();
}

#[tokio::test]
async fn a_forgotten_session_may_be_reported_as_a_missing_one() {
    let (client, server) = server::legacy(Some("old")).await;
    let (pinged, ()) = tokio::join!(client.ping(), async {
        let ping = server.request("ping").await;
        let message = "Bad Request: No valid session ID provided";
        let refusal = json!({"code": -32000, "message": message});
        ping.error("400 Bad Request", refusal).await;
        server.initialize(Some("new"), json!({})).await;
        let again = server.request("ping").await;
        again.is_of(Some("new"));
        again.result(json!({})).await;
    });
    pinged.unwrap();
}

#[tokio::test]
async fn a_session_goes_on_after_an_unknown_method_whatever_its_status() {
    let (client, server) = server::legacy(Some("s")).await;
    let (pinged, ()) = tokio::join!(client.ping(), async {
        let ping = server.request("ping").await;
        let refusal = json!({"code": -32601, "message": "Method not found"});
        ping.error("404 Not Found", refusal).await;
    });
    assert!(pinged.unwrap_err().is_method_not_found());
    let (pinged, ()) = tokio::join!(client.ping(), async {
        let ping = server.request("ping").await;
        ping.is_of(Some("s"));
        ping.result(json!({})).await;
    });
    pinged.unwrap();
}

#[tokio::test]
async fn a_session_that_is_forgotten_at_once_is_an_error() {
    let (client, server) = server::legacy(Some("old")).await;
    let (pinged, ()) = tokio::join!(client.ping(), async {
        server.refuse("ping", "404 Not Found").await;
        server.initialize(Some("new"), json!({})).await;
        server.refuse("ping", "404 Not Found").await;
    });
    let error = pinged.unwrap_err();
    assert_local!(error, LocalError::SessionLost);
}

#[tokio::test]
async fn a_new_session_takes_no_longer_than_the_call_that_needs_it() {
    let (client, server) = server::legacy(Some("old")).await;
    let client = client.with_timeout(Duration::from_millis(300));
    let (pinged, _silent) = tokio::join!(client.ping(), async {
        server.refuse("ping", "404 Not Found").await;
        server.request("initialize").await
    });
    assert_local!(
        pinged.unwrap_err(),
        LocalError::Timeout { method: "ping", .. }
    );
}

#[tokio::test]
async fn a_server_that_was_replaced_by_a_legacy_one_is_called_in_a_session() {
    let (client, server) = server::modern().await;
    let (listed, ()) = tokio::join!(client.tools(), async {
        let data = json!({"supported": ["2025-06-18"], "requested": "2026-07-28"});
        let refusal = json!({"code": -32022, "message": "no", "data": data});
        let refused = server.request("tools/list").await;
        refused.error("400 Bad Request", refusal).await;
        server.initialize(Some("new"), json!({})).await;
        let again = server.request("tools/list").await;
        again.is_of(Some("new"));
        again.result(json!({"tools": []})).await;
    });
    assert!(listed.unwrap().is_empty());
    let ((), ()) = tokio::join!(client.close(), async {
        let end = server.next_in("new", "DELETE").await;
        end.answer("200 OK", "", "").await;
    });
}

#[tokio::test]
async fn without_a_session_404_is_an_ordinary_status() {
    let (client, server) = server::legacy(None).await;
    let (pinged, ()) = tokio::join!(client.ping(), server.refuse("ping", "404 Not Found"));
    let error = pinged.unwrap_err();
    assert_local!(error, LocalError::HttpStatus { status: 404, .. });
}

#[tokio::test]
async fn closing_fails_the_calls_in_flight() {
    let (client, server) = server::modern().await;
    let other = client.clone();
    let in_flight = tokio::spawn(async move { other.tools().await });
    let mut request = server.request("tools/list").await;
    client.close().await;
    assert!(in_flight.await.unwrap().unwrap_err().is_closed());
    request.hung_up().await;
}

#[tokio::test]
async fn a_session_that_ends_takes_its_calls_along_without_a_word_more() {
    let (client, server) = server::legacy(Some("s")).await;
    let other = client.clone();
    let in_flight = tokio::spawn(async move { other.tools().await });
    let mut request = server.request("tools/list").await;
    let ((), ()) = tokio::join!(client.close(), async {
        let end = server.next().await;
        assert_eq!(end.method, "DELETE");
        request.hung_up().await;
        end.answer("200 OK", "", "").await;
    });
    assert!(in_flight.await.unwrap().unwrap_err().is_closed());
    let more = tokio::time::timeout(Duration::from_millis(300), server.next());
    assert!(more.await.is_err());
}

#[tokio::test]
async fn a_late_404_of_the_old_session_does_not_cost_the_new_one() {
    let (client, server) = server::legacy(Some("old")).await;
    let (first, second, ()) = tokio::join!(client.ping(), client.ping(), async {
        let prompt = server.request("ping").await;
        let late = server.request("ping").await;
        prompt.answer("404 Not Found", "", "").await;
        server.initialize(Some("new"), json!({})).await;
        for not_found in [None, Some(late)] {
            if let Some(late) = not_found {
                late.answer("404 Not Found", "", "").await;
            }
            let again = server.request("ping").await;
            again.is_of(Some("new"));
            again.result(json!({})).await;
        }
    });
    first.unwrap();
    second.unwrap();
}
