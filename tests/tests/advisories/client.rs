//! Servers that attack their clients.

use crate::cases;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use plainly::Client;
use plainly::client::{CloseReason, Error, LocalError};
use plainly::protocol::types::ListToolsParams;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;

use crate::hostile::{Answer, AnsweredRequest, Hostile, connected};
use crate::within;

/// The most bytes that a server can send: the client's limit of one message, and buffers of sockets
/// besides.
const MOST: usize = (32 << 20) + (16 << 20);

fn text(result: &plainly::protocol::types::CallToolResult) -> Value {
    serde_json::to_value(result).unwrap()["content"][0]["text"].clone()
}

fn content(text: &str) -> Value {
    json!({"resultType": "complete", "content": [{"type": "text", "text": text}]})
}

/// A client fails the call at once when a line never ends, and reads no more than a line may have.
#[tokio::test]
async fn ghsa_6vrr_g4hw_f3hj_endless_line_from_a_server() {
    let (client, mut peer) = connected().await;
    let flood = tokio::spawn(async move {
        peer.next().await;
        let mut written = 0;
        while peer.stream.write_all(&[b'x'; 64 << 10]).await.is_ok() {
            written += 64 << 10;
        }
        written
    });
    let error = within(client.call_tool("x", ())).await.unwrap_err();
    let Some(LocalError::Closed(closed)) = error.local() else {
        panic!("{error}");
    };
    assert!(
        matches!(closed.reason, CloseReason::LineTooLong { .. }),
        "{closed}"
    );
    let written = within(flood).await.unwrap();
    assert!(written < MOST, "{written}");
}

/// A client ends its own child process, too, when a line never ends.
#[cfg(unix)]
#[tokio::test]
async fn ghsa_6vrr_g4hw_f3hj_endless_line_from_a_child() {
    let mut command = std::process::Command::new("cat");
    command.arg("/dev/zero");
    let client = Client::spawn(command).connect();
    let error = within(client).await.unwrap_err();
    let Some(LocalError::Closed(closed)) = error.local() else {
        panic!("{error}");
    };
    assert!(
        matches!(closed.reason, CloseReason::LineTooLong { .. }),
        "{closed}"
    );
}

/// Sends a response that never ends after this head, and expects the call to fail.
async fn endless(head: &str, part: &[u8]) {
    let (head, part) = (head.to_owned(), part.repeat((64 << 10) / part.len()));
    let server = Hostile::start(move |_| Answer::Endless(head.clone(), part.clone())).await;
    let client = server.connect().await;
    let error = within(client.call_tool("x", ())).await.unwrap_err();
    assert!(error.local().is_some(), "{error}");
    assert!(server.taken() < MOST, "{}", server.taken());
}

#[tokio::test]
async fn ghsa_7m52_jw36_44r3_event_that_never_ends() {
    let events = Answer::events();
    endless(&format!("{events}data: "), b"x").await;
    let line = format!("data: {}\n", "more of the same ".repeat(100));
    endless(&events, line.as_bytes()).await;
}

#[tokio::test]
async fn go_sdk_1055_field_or_comment_that_never_ends() {
    let events = Answer::events();
    endless(&format!("{events}: "), b"x").await;
    endless(&format!("{events}event: "), b"x").await;
    endless(&format!("{events}id: "), b"x").await;
}

#[tokio::test]
async fn rmcp_970_response_body_that_never_ends() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n";
    endless(head, b"[").await;
    endless(&format!("{head}{{\"a\":\""), b"x").await;
    let refused = head.replace("200 OK", "500 Internal Server Error");
    endless(&refused, b"x").await;
}

/// A client never waits longer than its own longest wait, whatever `retry` the server sends.
#[tokio::test]
async fn ruby_sdk_hardening_retry_that_sleeps_for_ever() {
    for retry in [
        "9223372036854775808",
        "18446744073709551615",
        "86400000",
        "-1",
        "1e9",
    ] {
        let server = Hostile::start(move |asked| match asked.body["method"].as_str() {
            Some("initialize") => Answer::result(
                asked,
                json!({
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "x", "version": "1"},
                }),
            ),
            Some("tools/call") => Answer::Last(format!(
                "{}retry: {retry}\nid: 1\ndata:\n\n",
                Answer::events()
            )),
            _ => Answer::json("202 Accepted", "", &Value::Null),
        })
        .await;
        let client = server
            .client()
            .revision(plainly::Revision::V2025_11_25)
            .timeout(Duration::from_millis(300))
            .connect()
            .await
            .unwrap();
        let error = within(client.call_tool("x", ())).await.unwrap_err();
        assert!(error.local().is_some(), "{retry}: {error}");
    }
}

/// A client ends a listing whose pages never end, or whose cursor repeats.
#[tokio::test]
async fn ruby_sdk_hardening_listing_that_never_ends() {
    let count = AtomicUsize::new(0);
    let server = Hostile::start(move |asked| {
        let page = count.fetch_add(1, Ordering::SeqCst);
        let next = format!("page {page}");
        Answer::result(
            asked,
            json!({"resultType": "complete", "tools": [], "nextCursor": next, "ttlMs": 0, "cacheScope": "private"}),
        )
    })
    .await;
    let client = server.connect().await;
    let error = within(client.tools()).await.unwrap_err();
    let local = error.local();
    assert!(
        matches!(local, Some(LocalError::TooManyPages { .. })),
        "{error}"
    );
    assert_eq!(server.asked.lock().unwrap().len(), 1 + 1_000);

    let server = Hostile::start(|asked| {
        Answer::result(
            asked,
            json!({"resultType": "complete", "tools": [], "nextCursor": "", "ttlMs": 0, "cacheScope": "private"}),
        )
    })
    .await;
    let error = within(server.connect().await.tools()).await.unwrap_err();
    let local = error.local();
    assert!(
        matches!(local, Some(LocalError::EndlessListing { .. })),
        "{error}"
    );
}

/// A client sends its secrets for one server to no other, wherever that server redirects it.
#[tokio::test]
async fn rmcp_936_redirect_takes_the_headers_along() {
    let other = Hostile::start(|asked| Answer::result(asked, content("stolen"))).await;
    for status in ["301", "302", "303", "307", "308"] {
        for target in [other.url.clone(), "/elsewhere".to_owned()] {
            let server = Hostile::start(move |_| {
                let location = format!("Location: {target}\r\n");
                Answer::json(&format!("{status} Moved"), &location, &Value::Null)
            })
            .await;
            let client = server.client().header("Authorization", "Bearer secret");
            let client = client.header("X-Api-Key", "another secret");
            let client = client.connect().await.unwrap();
            let error = within(client.call_tool("x", ())).await.unwrap_err();
            assert!(error.local().is_some(), "{status}: {error}");
            let asked = server.asked.lock().unwrap().clone();
            assert!(
                asked
                    .iter()
                    .all(|asked| asked.head.starts_with("POST /mcp "))
            );
            assert!(
                asked
                    .iter()
                    .all(|asked| asked.head.contains("Bearer secret"))
            );
        }
    }
    assert_eq!(other.connections.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn rmcp_744_secrets_in_debug_output() {
    let server = Hostile::start(|_| Answer::json("500 No", "", &Value::Null)).await;
    let url = server.url.replace("http://", "http://user:hush-password@") + "?key=hush-query";
    let builder = || Client::http(&url).header("Authorization", "Bearer hush-token");
    let mut said = format!("{:?}", builder());
    let client = builder().connect().await.unwrap();
    said += &format!("{client:?}");
    let error = client.call_tool("x", ()).await.unwrap_err();
    said += &format!("{error:?} {error}");
    let nobody = Client::http("http://user:hush-password@127.0.0.1:1/?key=hush-query");
    let error: Error = nobody.connect().await.unwrap_err();
    let mut cause: Option<&dyn std::error::Error> = Some(&error);
    while let Some(error) = cause {
        said += &format!("{error:?} {error}");
        cause = error.source();
    }
    assert!(!said.contains("hush"), "{said}");
}

/// A peer that is connected and does nothing does not block `close`.
#[tokio::test]
async fn go_sdk_1184_silent_peer_blocks_close() {
    let (client, peer) = connected().await;
    within(client.close()).await;
    drop(peer);

    // The peer's buffers are full, and a call is waiting.
    let (client, peer) = connected().await;
    let arguments = json!({"text": "x".repeat(1 << 20)});
    let waiting = client.clone();
    let call = tokio::spawn(async move { waiting.call_tool("x", &arguments).await });
    tokio::task::yield_now().await;
    within(client.close()).await;
    assert!(within(call).await.unwrap().unwrap_err().is_closed());
    drop(peer);

    let server = Hostile::start(
        |asked: &AnsweredRequest| match asked.body["method"].as_str() {
            Some("initialize") => {
                let result = json!({
                    "protocolVersion": "2025-06-18",
                    "capabilities": {},
                    "serverInfo": {"name": "x", "version": "1"},
                });
                let reply = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": result});
                Answer::json("200 OK", "Mcp-Session-Id: s\r\n", &reply)
            }
            Some("notifications/initialized") => Answer::json("202 Accepted", "", &Value::Null),
            // The server does not answer the end of the session, either.
            _ => Answer::Silence,
        },
    )
    .await;
    let client = server.client().revision(plainly::Revision::V2025_06_18);
    let client = client.connect().await.unwrap();
    let waiting = client.clone();
    let call = tokio::spawn(async move { waiting.call_tool("x", ()).await });
    within(client.close()).await;
    assert!(within(call).await.unwrap().is_err());
}

/// The child neither reads its input nor ends.
#[cfg(unix)]
#[tokio::test]
async fn go_sdk_1158_child_that_does_not_end() {
    let mut command = std::process::Command::new("sh");
    command.args(["-c", "trap '' TERM; while :; do sleep 1; done"]);
    let client = Client::spawn(command)
        .shutdown(Duration::from_millis(50), Duration::from_millis(50))
        .connect_timeout(Duration::from_millis(200));
    assert!(within(client.connect()).await.is_err());
}

/// The affected SDK recursed once for each skipped event, so that 50,000 of them overflowed the
/// stack. The stack of this thread has the default size.
#[test]
fn rmcp_1146_reader_that_recurses_per_skipped_event() {
    let thread = std::thread::Builder::new().stack_size(2 << 20);
    let thread = thread.spawn(|| {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            skipped_events().await;
            skipped_lines().await;
        });
    });
    thread.unwrap().join().unwrap();
}

async fn skipped_events() {
    for skipped in cases::<&str>("skipped events") {
        let server = Hostile::start(move |asked| {
            let reply =
                json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": content("good")});
            let (events, skipped) = (Answer::events(), skipped.repeat(50_000));
            Answer::Last(format!("{events}{skipped}data: {reply}\n\n"))
        })
        .await;
        let client = server.connect().await;
        match within(client.call_tool("x", ())).await {
            Ok(result) => assert_eq!(text(&result), "good", "{skipped:?}"),
            // The client may refuse that many lines that are no messages.
            Err(error) => assert!(error.local().is_some(), "{skipped:?}: {error}"),
        }
    }
}

async fn skipped_lines() {
    for skipped in [
        "",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/x\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":\"another\",\"result\":{}}",
    ] {
        let (client, mut peer) = connected().await;
        let (result, ()) = tokio::join!(within(client.call_tool("x", ())), async {
            let asked = peer.next().await;
            let noise = format!("{skipped}\n").repeat(50_000);
            peer.stream.write_all(noise.as_bytes()).await.unwrap();
            peer.reply(&asked, content("good")).await;
        });
        assert_eq!(text(&result.unwrap()), "good", "{skipped:?}");
    }
}

/// The affected SDK lost the connection when it did not read a stream of events to its end.
#[tokio::test]
async fn rmcp_790_connections_not_used_again() {
    let server = Hostile::start(|asked| {
        let reply = json!({"jsonrpc": "2.0", "id": asked.body["id"], "result": content("good")});
        let event = format!("data: {reply}\n\n: the end\n\n");
        let length = event.len();
        Answer::Bytes(format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {length}\r\n\r\n{event}"
        ))
    })
    .await;
    let client = server.connect().await;
    for _ in 0..50 {
        within(client.call_tool("x", ())).await.unwrap();
    }
    let connections = server.connections.load(Ordering::SeqCst);
    assert!(connections <= 5, "{connections}");
}

/// The affected SDK lost the error in a response with a status other than 200.
#[tokio::test]
async fn rmcp_749_errors_beside_a_status() {
    for status in [
        "400 Bad Request",
        "404 Not Found",
        "409 Conflict",
        "500 Broken",
    ] {
        let server = Hostile::start(move |asked| {
            let error = json!({"code": 1234, "message": "the reason"});
            let reply = json!({"jsonrpc": "2.0", "id": asked.body["id"], "error": error});
            Answer::json(status, "", &reply)
        })
        .await;
        let error = server.connect().await.call_tool("x", ()).await.unwrap_err();
        let told = error.protocol().map(|error| error.message());
        assert_eq!(told.as_deref(), Some("the reason"), "{status}: {error}");
    }
}

/// The affected SDK decoded a result as the first type that it fitted.
#[tokio::test]
async fn rmcp_771_result_taken_for_one_of_another_type() {
    let others = cases::<Value>("results of other types");
    for other in others {
        let (client, mut peer) = connected().await;
        let (result, ()) = tokio::join!(within(client.call_tool("x", ())), async {
            let asked = peer.next().await;
            peer.reply(&asked, other.clone()).await;
        });
        let error = result.expect_err(&other.to_string());
        assert!(error.local().is_some(), "{other}: {error}");
    }
    // A result that has members of another type too is still decoded as the type that was
    // requested.
    let (client, mut peer) = connected().await;
    let params = ListToolsParams::default();
    let listing = client.list_tools(&params);
    let (result, ()) = tokio::join!(within(listing), async {
        let asked = peer.next().await;
        let mut result = content("x");
        result["tools"] = json!([]);
        result["ttlMs"] = json!(0);
        result["cacheScope"] = json!("private");
        result["isError"] = json!(true);
        peer.reply(&asked, result).await;
    });
    assert!(result.unwrap().tools.is_empty());
}

/// The affected SDK accepted the id as a string. This client accepts it, too: its ids are numbers,
/// so the string can mean no other request.
#[tokio::test]
async fn rmcp_1021_reply_with_the_id_as_text() {
    let (client, mut peer) = connected().await;
    let (first, second, ()) = tokio::join!(
        within(client.call_tool("first", ())),
        within(client.call_tool("second", ())),
        async {
            let asked = [peer.next().await, peer.next().await];
            for asked in &asked {
                let id = &asked["id"];
                let next = id.as_i64().unwrap() + 1_000;
                let wrong_ids = [
                    json!(next),
                    json!(next.to_string()),
                    json!(null),
                    json!({}),
                    json!(1.5),
                ];
                for wrong in wrong_ids {
                    peer.reply(&json!({"id": wrong}), content("wrong")).await;
                }
            }
            for asked in asked.iter().rev() {
                let name = asked["params"]["name"].as_str().unwrap();
                let id = asked["id"].to_string();
                peer.reply(&json!({"id": id}), content(name)).await;
                // The second reply belongs to no request.
                peer.reply(asked, content("wrong")).await;
            }
        }
    );
    assert_eq!(text(&first.unwrap()), "first");
    assert_eq!(text(&second.unwrap()), "second");
}

/// A client accepts only replies to its own requests, even when a server mixes up the ids.
#[tokio::test]
async fn cve_2026_25536_reply_of_another_request() {
    let server = Hostile::start(|asked| {
        let reply = json!({"jsonrpc": "2.0", "id": "another", "result": content("wrong")});
        match asked.is("tools/call") {
            true => Answer::json("200 OK", "", &reply),
            false => Answer::Silence,
        }
    })
    .await;
    let clients = Arc::new(server.connect().await);
    let error = within(clients.call_tool("x", ())).await.unwrap_err();
    assert!(error.local().is_some(), "{error}");
}
