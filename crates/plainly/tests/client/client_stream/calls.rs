//! Calls over a byte stream: matched to replies, cancelled, timed out, and ended with the stream.

use plainly_peer::table::cases;
use std::time::Duration;

use plainly::Revision;
use plainly::client::{CloseReason, Error, LocalError};
use plainly::protocol::method::Method;
use plainly::protocol::types::RawJson;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use super::peer::{legacy, modern, pair_with_buffer};

fn close_reason(error: &Error) -> &CloseReason {
    match error.local() {
        Some(LocalError::Closed(closed)) => &closed.reason,
        _ => panic!("{error}"),
    }
}

#[tokio::test]
async fn replies_find_their_calls_in_any_order() {
    let (client, mut peer) = modern().await;
    let read = |uri: &'static str| {
        let client = client.clone();
        async move { client.read(uri).await.unwrap().contents.remove(0).uri }
    };
    let (a, b, c, ()) = tokio::join!(read("a:1"), read("a:2"), read("a:3"), async {
        let mut requests = Vec::new();
        for _ in 0..3 {
            requests.push(peer.request("resources/read").await);
        }
        let mut ids: Vec<_> = requests.iter().map(|request| &request["id"]).collect();
        ids.dedup();
        assert_eq!(ids.len(), 3);
        for request in requests.iter().rev() {
            let result = json!({"contents": [{"uri": request["params"]["uri"], "text": ""}]});
            // No call waits for these replies: an id that is no number, an unknown id, and a second
            // reply.
            let id = format!("{}x", request["id"]);
            peer.send(json!({"jsonrpc": "2.0", "id": id, "result": {"contents": []}}))
                .await;
            peer.send(json!({"jsonrpc": "2.0", "id": 4711, "result": {}}))
                .await;
            peer.reply(request, result.clone()).await;
            peer.reply(request, json!({"contents": []})).await;
        }
    });
    assert_eq!([a, b, c], ["a:1", "a:2", "a:3"]);
}

#[tokio::test]
async fn a_forwarded_request_has_one_meta_with_the_members_of_both() {
    const PARAMS: &str = r#"{"name":"t","_meta":{"trace":[1.50],"progressToken":7,
        "io.modelcontextprotocol/protocolVersion":"1","io.modelcontextprotocol/clientInfo":{"name":"far"}}}"#;
    let params = RawJson::parse(PARAMS).unwrap();
    for (client, mut peer) in [modern().await, legacy().await] {
        let (forwarded, line) = tokio::join!(
            client.forward(Method::CallTool, &params).into_future(),
            async {
                let line = peer.line().await.unwrap();
                let request: Value = serde_json::from_str(&line).unwrap();
                peer.reply(&request, json!({"content": []})).await;
                line
            }
        );
        forwarded.unwrap();
        assert_eq!(line.matches("\"_meta\"").count(), 1, "{line}");
        assert!(line.contains(r#""trace":[1.50]"#), "{line}");
        let is_modern = client.revision() == Revision::V2026_07_28;
        for (own, count) in [
            (
                r#""io.modelcontextprotocol/protocolVersion":"2026-07-28""#,
                usize::from(is_modern),
            ),
            ("protocolVersion", usize::from(is_modern)),
            ("clientInfo", usize::from(is_modern)),
            ("progressToken", 0),
            (r#""name":"t""#, 1),
        ] {
            assert_eq!(line.matches(own).count(), count, "{own} {line}");
        }
    }
}

#[tokio::test]
async fn an_error_without_an_id_is_nobodys_among_several_requests() {
    let (client, mut peer) = modern().await;
    let (first, second, ()) = tokio::join!(client.tools(), client.tools(), async {
        let requests = [
            peer.request("tools/list").await,
            peer.request("tools/list").await,
        ];
        peer.send(json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": ""}}))
            .await;
        for request in requests {
            peer.reply(&request, json!({"tools": []})).await;
        }
    });
    first.unwrap();
    second.unwrap();
}

#[tokio::test]
async fn a_dropped_call_is_cancelled_and_its_late_reply_is_nobodys() {
    let (client, mut peer) = modern().await;
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.call_tool("slow", ()).await }
    });
    let request = peer.request("tools/call").await;
    call.abort();
    let cancelled = peer.request("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
    assert!(cancelled.get("id").is_none());
    peer.reply(&request, json!({"content": []})).await;

    let (tools, ()) = tokio::join!(client.tools(), peer.answer("tools/list"));
    assert!(tools.unwrap().is_empty());
}

#[tokio::test(start_paused = true)]
async fn a_call_that_was_answered_is_not_cancelled() {
    let (client, mut peer) = modern().await;
    let (tools, ()) = tokio::join!(client.tools(), peer.answer("tools/list"));
    tools.unwrap();
    peer.silent().await;
}

#[tokio::test]
async fn giving_up_the_handshake_is_not_a_cancellation() {
    let (builder, mut peer) = super::peer::pair();
    let connecting = tokio::spawn(builder.connect());
    peer.refuse("server/discover", -32601, None).await;
    peer.request("initialize").await;
    connecting.abort();
    peer.ended().await;
}

#[tokio::test(start_paused = true)]
async fn a_call_without_reply_ends_in_time_and_is_cancelled() {
    let (client, mut peer) = modern().await;
    let client = client.with_timeout(Duration::from_secs(5));
    let start = tokio::time::Instant::now();
    let (read, request) = tokio::join!(client.read("a:b"), peer.request("resources/read"));
    let error = read.unwrap_err();
    assert!(error.is_timeout() && error.protocol().is_none(), "{error}");
    assert_eq!(error.to_string(), "no reply to `resources/read` within 5s");
    assert_eq!(start.elapsed(), Duration::from_secs(5));
    let cancelled = peer.request("notifications/cancelled").await;
    assert_eq!(cancelled["params"]["requestId"], request["id"]);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_read_holds_up_nobody_for_ever() {
    let (builder, mut peer) = pair_with_buffer(512);
    let builder = builder.timeout(Duration::from_secs(5));
    let (client, ()) = tokio::join!(
        builder.connect(),
        peer.answer_with("server/discover", super::peer::discovered(&["2026-07-28"]))
    );
    let client = client.unwrap();
    let mut calls = JoinSet::new();
    for _ in 0..500 {
        let client = client.clone();
        calls.spawn(async move { client.read("a:b").await });
    }
    while let Some(call) = calls.join_next().await {
        assert!(call.unwrap().unwrap_err().is_timeout());
    }
    client.close().await;
}

#[tokio::test(start_paused = true)]
async fn when_the_peer_goes_all_calls_fail_at_once() {
    let (client, mut peer) = modern().await;
    let start = tokio::time::Instant::now();
    let mut calls = JoinSet::new();
    for _ in 0..20 {
        let client = client.clone();
        calls.spawn(async move { client.tools().await });
    }
    for _ in 0..20 {
        peer.request("tools/list").await;
    }
    drop(peer);
    while let Some(call) = calls.join_next().await {
        let error = call.unwrap().unwrap_err();
        assert!(matches!(close_reason(&error), CloseReason::Peer), "{error}");
    }
    let after = client.tools().await.unwrap_err();
    assert_eq!(after.to_string(), "the server closed the connection");
    assert!(start.elapsed() < Duration::from_secs(1));
}

/// Tests may share a client, each with a runtime of its own.
#[test]
fn when_the_runtime_of_the_connection_ends_all_calls_fail_at_once() {
    let runtime = || tokio::runtime::Runtime::new().unwrap();
    let (first, second) = (runtime(), runtime());
    let (client, mut peer) = first.block_on(modern());
    let mut first = Some(first);
    second.block_on(async {
        for _on_its_way_or_made_later in 0..2 {
            let call = tokio::time::timeout(Duration::from_secs(10), client.tools());
            let (tools, ()) = tokio::join!(call, async {
                if let Some(first) = first.take() {
                    peer.request("tools/list").await;
                    first.shutdown_background();
                }
            });
            let error = tools.expect("at once").unwrap_err();
            assert!(matches!(close_reason(&error), CloseReason::Ours), "{error}");
        }
    });
}

#[tokio::test]
async fn a_reply_that_breaks_the_rules_fails_its_call_alone() {
    let (client, mut peer) = modern().await;
    for (reply, valid) in cases::<(Value, bool)>(
        include_str!("calls.txt"),
        "replies and whether they are valid",
    ) {
        let (tools, ()) = tokio::join!(client.tools(), async {
            let request = peer.request("tools/list").await;
            let mut message = json!({"jsonrpc": "2.0", "id": request["id"]});
            for (name, value) in reply.as_object().unwrap() {
                message[name] = value.clone();
            }
            peer.send(message).await;
        });
        match tools {
            Ok(_) => assert!(valid, "{reply}"),
            Err(error) => assert!(
                !valid && matches!(error.local(), Some(LocalError::InvalidResponse { .. })),
                "{reply}: {error}"
            ),
        }
    }
}

#[tokio::test]
async fn what_a_legacy_server_asks_is_answered() {
    let (_client, mut peer) = legacy().await;
    peer.send(json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}))
        .await;
    let pong = peer.message().await.unwrap();
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
    peer.send(json!({"jsonrpc": "2.0", "id": 1, "method": "roots/list"}))
        .await;
    let refused = peer.message().await.unwrap();
    let expected = (&json!(1), &json!(-32601));
    assert_eq!((&refused["id"], &refused["error"]["code"]), expected);
}

#[tokio::test(start_paused = true)]
async fn what_a_modern_server_asks_is_not_answered() {
    let (_client, mut peer) = modern().await;
    peer.send(json!({"jsonrpc": "2.0", "id": "p", "method": "ping"}))
        .await;
    peer.send(json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}))
        .await;
    peer.silent().await;
}

#[tokio::test]
async fn lines_that_are_no_messages_are_skipped_up_to_a_point() {
    let (client, mut peer) = modern().await;
    let (tools, ()) = tokio::join!(client.tools(), async {
        let request = peer.request("tools/list").await;
        for _ in 0..33 {
            peer.say("\u{1b}[31mStarting server\u{1b}[0m").await;
            peer.say("[1]").await;
            peer.say("{\"level\":\"info\"}").await;
        }
        peer.reply(&request, json!({"tools": []})).await;
    });
    assert!(tools.is_ok());
    let (tools, ()) = tokio::join!(client.tools(), async {
        peer.request("tools/list").await;
        peer.say("one too many").await;
    });
    let error = tools.unwrap_err();
    assert!(
        matches!(close_reason(&error), CloseReason::NotMessages),
        "{error}"
    );
}

#[tokio::test]
async fn a_line_that_is_too_long_ends_the_connection() {
    let (client, mut peer) = modern().await;
    let (tools, ()) = tokio::join!(client.tools(), async {
        peer.request("tools/list").await;
        let piece = "x".repeat(1 << 20);
        let mut line = String::new();
        for _ in 0..33 {
            line.push_str(&piece);
        }
        // The client disconnects before the line ends.
        let writing = tokio::spawn(async move { peer.say(&line).await });
        let _hung_up = writing.await;
    });
    let error = tools.unwrap_err();
    assert!(
        matches!(close_reason(&error), CloseReason::LineTooLong { .. }),
        "{error}"
    );
}

#[tokio::test]
async fn closing_ends_the_stream_for_all_clones() {
    let (client, mut peer) = modern().await;
    let other = client.clone();
    let in_flight = tokio::spawn(async move { other.tools().await });
    peer.request("tools/list").await;
    client.close().await;
    for error in [
        in_flight.await.unwrap().unwrap_err(),
        client.tools().await.unwrap_err(),
    ] {
        assert!(matches!(close_reason(&error), CloseReason::Ours), "{error}");
    }
    peer.ended().await;
    client.close().await;
}

#[tokio::test]
async fn the_last_client_dropped_ends_the_stream() {
    let (client, mut peer) = modern().await;
    let other = client.clone();
    drop(client);
    let (tools, ()) = tokio::join!(other.tools(), peer.answer("tools/list"));
    tools.unwrap();
    drop(other);
    peer.ended().await;
}

#[tokio::test]
async fn a_missing_resource_is_known_by_its_type_whatever_its_number() {
    let (client, mut peer) = modern().await;
    let cases: [(i64, Option<Value>, bool); 4] = [
        (-32602, Some(json!({"uri": "a:b"})), true),
        (-32002, None, true),
        (-32602, None, false),
        (-32603, Some(json!({"uri": "a:b"})), false),
    ];
    for (code, data, missing) in cases {
        let (read, ()) = tokio::join!(
            client.read("a:b"),
            peer.refuse("resources/read", code, data.clone())
        );
        let error = read.unwrap_err();
        assert_eq!(error.is_resource_not_found(), missing, "{code} {data:?}");
        assert!(error.protocol().is_some() && error.local().is_none());
    }
}

#[tokio::test(start_paused = true)]
async fn a_server_that_asks_without_reading_is_not_read_for_ever() {
    let (builder, mut peer) = pair_with_buffer(4 << 10);
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.open_session("2025-11-25", json!({"resources": {}}))
            .await;
    });
    let client = client.unwrap();
    let flood = async {
        for id in 0..100_000 {
            peer.send(json!({"jsonrpc": "2.0", "id": id, "method": "ping"}))
                .await;
        }
    };
    let flooding = tokio::time::timeout(Duration::from_secs(60), flood).await;
    assert!(flooding.is_err());
    client.close().await;
}
