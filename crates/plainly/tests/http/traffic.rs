//! The traffic that a client shows: every message of every transport as it is sent, and the HTTP
//! requests and responses around them.
#![expect(
    clippy::unwrap_used,
    reason = "helpers of tests are tests too, and a panic is how they fail"
)]

use std::sync::{Arc, Mutex};

use plainly::client::Traffic;
use plainly::{Client, Server, Tool};
use plainly_peer::{Host, pair};
use serde_json::{Value, json};

/// The traffic so far, with a line for each item.
#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    fn viewer(&self) -> impl Fn(Traffic<'_>) + Send + Sync + 'static {
        let seen = self.clone();
        move |traffic| seen.0.lock().unwrap().push(line(traffic))
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.0.lock().unwrap())
    }
}

fn line(traffic: Traffic<'_>) -> String {
    match traffic {
        Traffic::Sent(message) => format!("-> {}", brief(message)),
        Traffic::Received(message) => format!("<- {}", brief(message)),
        Traffic::Request {
            method,
            url,
            headers,
        } => {
            let path = url.rsplit_once('/').unwrap().1;
            let secret = headers
                .get("x-key")
                .map_or("", |key| match key.is_sensitive() {
                    true => " with a secret",
                    false => " with a key",
                });
            format!("-> {method} /{path}{secret}")
        }
        Traffic::Response {
            method,
            status,
            headers,
        } => {
            let kind = headers.get("content-type");
            let kind = kind.and_then(|kind| kind.to_str().unwrap().split(';').next());
            format!("<- {status} to {method} {}", kind.unwrap_or("nothing"))
        }
        other => panic!("{other:?}"),
    }
}

/// Returns the method or the outcome of a message with its id, or the text of an invalid message.
fn brief(message: &[u8]) -> String {
    let text = str::from_utf8(message).unwrap();
    let Ok(json) = serde_json::from_str::<Value>(text) else {
        return text.to_owned();
    };
    let what = ["method", "result", "error"]
        .into_iter()
        .find(|key| json.get(key).is_some());
    let what = json["method"].as_str().or(what).unwrap_or(text);
    match json.get("id") {
        Some(id) => format!("{id} {what}"),
        None => what.to_owned(),
    }
}

async fn hello() -> &'static str {
    "hello"
}

#[tokio::test]
async fn a_stream_shows_both_ways_in_order() {
    let server = Server::builder("s", "1")
        .tool(Tool::new("hello", hello))
        .build()
        .unwrap();
    let seen = Seen::default();
    let client = Client::in_memory(&server)
        .on_traffic(seen.viewer())
        .connect()
        .await
        .unwrap();
    client.call_tool("hello", ()).await.unwrap();
    assert_eq!(
        seen.take(),
        [
            "-> 1 server/discover",
            "<- 1 result",
            "-> 2 tools/call",
            "<- 2 result"
        ]
    );
}

#[tokio::test]
async fn what_is_no_message_is_seen_too() {
    let (mut peer, far) = pair(1 << 16);
    let (reader, writer) = tokio::io::split(far);
    let seen = Seen::default();
    let builder = Client::over(reader, writer).on_traffic(seen.viewer());
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.write("starting …\n").await;
        peer.open_session("2025-11-25", json!({})).await;
    });
    client.unwrap();
    assert_eq!(
        seen.take(),
        [
            "<- starting …",
            "-> 1 server/discover",
            "<- 1 error",
            "-> 2 initialize",
            "<- 2 result",
            "-> notifications/initialized"
        ]
    );
}

#[tokio::test]
async fn http_shows_its_heads_beside_the_messages() {
    let host = Host::start().await;
    let seen = Seen::default();
    let builder = Client::http(format!("{}?token=secret", host.url))
        .header("X-Key", "secret")
        .on_traffic(seen.viewer());
    let (client, ()) = tokio::join!(builder.connect(), host.discover());
    let client = client.unwrap();
    assert_eq!(
        seen.take(),
        [
            "-> POST /mcp with a secret",
            "-> 1 server/discover",
            "<- 200 to POST application/json",
            "<- 1 result"
        ]
    );

    let (tools, ()) = tokio::join!(client.tools(), async {
        let mut request = host.request("tools/list").await;
        request.events().await;
        let log = json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {}});
        request.event(&log).await;
        let reply = request.response(json!({"tools": []}));
        request.write(&format!("data: {reply}\n\n")).await;
    });
    tools.unwrap();
    assert_eq!(
        seen.take(),
        [
            "-> POST /mcp with a secret",
            "-> 2 tools/list",
            "<- 200 to POST text/event-stream",
            "<- notifications/message",
            "<- 2 result"
        ]
    );

    let (refused, ()) = tokio::join!(client.tools(), async {
        let request = host.request("tools/list").await;
        request.answer("401 Unauthorized", "", "who are you?").await;
    });
    refused.unwrap_err();
    assert_eq!(
        seen.take(),
        [
            "-> POST /mcp with a secret",
            "-> 3 tools/list",
            "<- 401 to POST nothing",
            "<- who are you?"
        ]
    );
}

#[tokio::test]
async fn a_session_is_seen_to_its_end() {
    let host = Host::start().await;
    let seen = Seen::default();
    let builder = Client::http(&host.url).on_traffic(seen.viewer());
    let (client, ()) = tokio::join!(builder.connect(), async {
        host.refuse("server/discover", "400 Bad Request").await;
        host.initialize(Some("s-1"), json!({})).await;
    });
    let client = client.unwrap();
    seen.take();
    tokio::join!(client.close(), async {
        host.next().await.answer("204 No Content", "", "").await;
    });
    assert_eq!(seen.take(), ["-> DELETE /mcp", "<- 204 to DELETE nothing"]);
}

#[tokio::test]
async fn a_viewer_that_panics_ends_nothing() {
    let server = Server::builder("s", "1")
        .tool(Tool::new("hello", hello))
        .build()
        .unwrap();
    let builder = Client::in_memory(&server).on_traffic(|_| panic!("seen enough"));
    let client = builder.connect().await.unwrap();
    client.call_tool("hello", ()).await.unwrap();
}
