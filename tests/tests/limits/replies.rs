//! The limits on the length of replies and cursors, and on the total of large replies that wait to
//! be sent.

use plainly::Text;
use plainly::server::Resource;
use plainly::transport::{Exchange, Reply};
use serde_json::{Value, json};

use crate::support::{
    assert_overloaded, exchange, frame, json_of, listening, saying, server, server_with, status,
    whole,
};
use plainly_peer::Peer;
use plainly_peer::message::modern as request;
use plainly_peer::within;

#[tokio::test]
async fn a_reply_is_sent_up_to_its_length() {
    let (unlimited, _) = server(|_| {});
    let length = whole(&exchange(&unlimited, None, &saying(1, 1_000)).await).len();
    for (limit, is_sent) in [(length, true), (length - 1, false)] {
        let (server, _) = server(|limits| limits.reply_bytes = limit);
        let reply = json_of(&exchange(&server, None, &saying(1, 1_000)).await);
        assert_eq!(
            reply["result"]["isError"] != true,
            is_sent,
            "{limit}: {reply}"
        );
        let mut stream = Peer::known(&server, None, 1 << 16);
        assert_eq!(stream.ask(saying(1, 1_000)).await, reply);
        assert_eq!(exchange(&server, None, &saying(1, 1)).await.status, 200);
    }
}

#[tokio::test]
async fn a_cursor_is_taken_up_to_its_length() {
    let (paged, _) = server(|limits| limits.page_entries = 1);
    let first = json_of(&exchange(&paged, None, &request(1, "tools/list", json!({}))).await);
    let cursor = first["result"]["nextCursor"].as_str().unwrap();
    let half = cursor.len().div_ceil(2);
    for (limit, is_taken) in [(half, true), (half - 1, false)] {
        let (server, _) = server(|limits| limits.uri_bytes = limit);
        let next = request(2, "tools/list", json!({"cursor": cursor}));
        let reply = json_of(&exchange(&server, None, &next).await);
        assert_eq!(reply["result"].is_object(), is_taken, "{limit}: {reply}");
        assert!(
            is_taken || reply["error"]["data"]["kind"] == "invalid_cursor",
            "{reply}"
        );
    }
}

#[tokio::test]
async fn a_header_that_repeats_is_as_long_as_what_it_repeats() {
    let uri = |bytes: usize| format!("app://{}", "x".repeat(bytes - "app://".len()));
    async fn read() -> Text {
        Text::plain("read")
    }
    let at = Resource::new(uri(8 << 10), read);
    let (server, _) = server_with(|builder| builder.resource(at), |_| {});
    for (bytes, is_read) in [(8 << 10, true), ((8 << 10) + 1, false), (1 << 20, false)] {
        let message = request(1, "resources/read", json!({"uri": uri(bytes)}));
        let reply = json_of(&exchange(&server, None, &message).await);
        assert_eq!(reply["result"].is_object(), is_read, "{bytes}");
        assert!(is_read || reply["error"]["code"] == -32602, "{bytes}");
    }
}

const LARGE: usize = 60_000;

async fn say(server: &plainly::Server, bytes: usize) -> Reply {
    exchange(server, None, &saying(1, bytes)).await
}

#[tokio::test]
async fn large_replies_have_room_together_until_they_are_sent() {
    let (plain, _) = server(|_| {});
    let length = whole(&say(&plain, LARGE).await).len();
    let (server, _) = server(|limits| limits.reply_bytes_in_all = 2 * length);
    let first = say(&server, LARGE).await;
    let second = say(&server, LARGE).await;
    assert_eq!([first.status, second.status], [200; 2], "at the limit");
    assert_overloaded(&say(&server, LARGE).await);
    assert_overloaded(&say(&server, 16 << 10).await);
    assert_eq!(
        say(&server, 15 << 10).await.status,
        200,
        "small ones are sent"
    );
    // A reply to a stream whose peer does not read keeps its room until the peer reads it.
    drop(first);
    let mut stream = Peer::known(&server, None, 64);
    let sent = saying(1, 2 * LARGE);
    drop(second);
    stream.send_all(&[sent]).await;
    within(async {
        while say(&server, LARGE).await.status == 200 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(stream.next().await["result"].is_object());
    within(async {
        while say(&server, LARGE).await.status != 200 {
            tokio::task::yield_now().await;
        }
    })
    .await;
    // A single reply always has room.
    assert_eq!(say(&server, 10 * LARGE).await.status, 200);
}

#[tokio::test]
async fn who_takes_no_reply_over_http_keeps_its_room_until_gone() {
    // More than the operating system buffers for a peer that does not read.
    const VAST: usize = 12 << 20;
    let (server, _) = server(|limits| limits.reply_bytes_in_all = VAST + VAST / 2);
    let address = listening(&server).await;
    let (answered, open) = status(address, &saying(1, VAST)).await;
    assert_eq!(answered, "HTTP/1.1 200");
    assert_eq!(status(address, &saying(1, VAST)).await.0, "HTTP/1.1 503");
    assert_eq!(status(address, &saying(1, 1)).await.0, "HTTP/1.1 200");
    drop(open);
    within(async { while status(address, &saying(1, VAST)).await.0 != "HTTP/1.1 200" {} }).await;
}

#[tokio::test]
async fn the_replies_to_a_batch_have_their_room_together() {
    let (server, _) = server(|limits| limits.reply_bytes_in_all = 2 * LARGE);
    let opening = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"},
    }});
    let opened = server
        .exchange(&frame(None, &[], opening.to_string()))
        .await;
    let session = opened.headers["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let call = |id: u32| {
        let params = json!({"name": "say", "arguments": {"bytes": LARGE - 1_000}});
        json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params})
    };
    let batch = Value::from_iter((1..=3).map(call));
    let sent = frame(None, &[("mcp-session-id", &session)], batch.to_string());
    let reply = within(server.exchange(&sent)).await;
    let replies = json_of(&reply);
    let kinds: Vec<_> = replies
        .as_array()
        .unwrap()
        .iter()
        .map(|reply| reply["error"]["data"]["kind"].as_str())
        .collect();
    assert_eq!(kinds, [None, None, Some("overloaded")]);
    assert_overloaded(&say(&server, LARGE).await);
    drop(reply);
    assert_eq!(say(&server, LARGE).await.status, 200);
}
