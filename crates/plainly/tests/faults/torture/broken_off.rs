//! HTTP responses that break off or fall silent after each of their bytes: the call ends in time,
//! with all its reports or with an error, and the next call is served.

use std::sync::Arc;
use std::time::Duration;

use plainly::client::Client;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;

use super::rack::{assert_no_panic, watch_panics};

/// Fails a test that hangs.
pub(crate) async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(20), future)
        .await
        .expect("took too long")
}

/// The end of the connection.
#[derive(Clone, Copy, Debug)]
enum End {
    Closed,
    Reset,
    /// The connection stays open.
    Silent,
}

/// The answer to a call: whether it consists of events, the number of bytes before its end, and the
/// kind of end.
#[derive(Clone, Copy, Debug)]
struct Breaking {
    is_events: bool,
    after: usize,
    end: End,
}

fn response(id: &Value, is_events: bool) -> String {
    let content = json!([{"type": "text", "text": "whole"}]);
    let result = json!({"resultType": "complete", "content": content});
    let reply = json!({"jsonrpc": "2.0", "id": id, "result": result}).to_string();
    if !is_events {
        let length = reply.len();
        return format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{reply}"
        );
    }
    let chunk = |text: String| format!("{:x}\r\n{text}\r\n", text.len());
    let progress = json!({"progressToken": 1, "progress": 1});
    let told = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": progress});
    let head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
    let (first, last) = (
        chunk(format!("data: {told}\n\n")),
        chunk(format!("data: {reply}\n\n")),
    );
    format!("{head}{first}{last}0\r\n\r\n")
}

/// An HTTP request.
pub(crate) struct Request {
    /// The head, in lower case.
    pub(crate) head: String,
    /// The body, or `null` if there is none.
    pub(crate) body: Value,
}

impl Request {
    /// Reads the next request on a connection.
    pub(crate) async fn read(stream: &mut BufReader<TcpStream>) -> Option<Self> {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await.ok()? == 0 {
                return None;
            }
        }
        head.make_ascii_lowercase();
        let length = head
            .split_once("content-length: ")
            .and_then(|(_, rest)| rest.lines().next());
        let mut body = vec![0; length.map_or(0, |length| length.parse().unwrap())];
        stream.read_exact(&mut body).await.ok()?;
        let body = serde_json::from_slice(&body).unwrap_or_default();
        Some(Self { head, body })
    }
}

async fn talk(stream: TcpStream) {
    let mut stream = BufReader::new(stream);
    while let Some(Request { body: asked, .. }) = Request::read(&mut stream).await {
        let params = &asked["params"];
        let arguments = &params["arguments"];
        let is_events = arguments["events"] == true;
        let text = if asked["method"] == "server/discover" {
            let result =
                json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}});
            let reply = json!({"jsonrpc": "2.0", "id": asked["id"], "result": result}).to_string();
            let length = reply.len();
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{reply}"
            )
        } else {
            response(&asked["id"], is_events)
        };
        let Some(after) = arguments["after"].as_u64() else {
            stream.write_all(text.as_bytes()).await.ok();
            continue;
        };
        let length = text.len().min(after as usize);
        stream.write_all(&text.as_bytes()[..length]).await.ok();
        match arguments["end"].as_str() {
            Some("Reset") => stream.get_ref().set_zero_linger().unwrap(),
            // Waits until the client disconnects.
            Some("Silent") => drop(stream.read_u8().await),
            _ => {}
        }
        return;
    }
}

async fn listen() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(talk(stream));
        }
    });
    url
}

async fn broken_off(client: &Client, breaking: Breaking) {
    let Breaking {
        is_events,
        after,
        end,
    } = breaking;
    let arguments = json!({"events": is_events, "after": after, "end": format!("{end:?}")});
    let timeout = match end {
        End::Closed | End::Reset => Duration::from_secs(60),
        End::Silent => Duration::from_millis(50),
    };
    let client = &client.with_timeout(timeout);
    let call = client.call_tool("x", &arguments).on_progress(|_| {});
    match within(call.into_future()).await {
        Ok(result) => {
            let result = serde_json::to_value(&result).unwrap();
            assert_eq!(result["content"][0]["text"], "whole", "{breaking:?}");
        }
        Err(error) => assert!(error.local().is_some(), "{breaking:?}: {error}"),
    }
    let client = client.with_timeout(Duration::from_secs(60));
    let next = within(
        client
            .call_tool("x", json!({"events": is_events}))
            .into_future(),
    )
    .await;
    assert!(next.is_ok(), "after {breaking:?}: {next:?}");
    assert_no_panic(&format!("{breaking:?}"));
}

#[tokio::test]
async fn responses_that_break_off_after_each_byte() {
    watch_panics();
    let client = Arc::new(Client::http(listen().await).connect().await.unwrap());
    let before = Handle::current().metrics().num_alive_tasks();
    for is_events in [false, true] {
        let length = response(&json!(100), is_events).len();
        for after in 0..=length {
            let silent = (after % 10 == 0).then_some(End::Silent);
            for end in [End::Closed, End::Reset].into_iter().chain(silent) {
                broken_off(
                    &client,
                    Breaking {
                        is_events,
                        after,
                        end,
                    },
                )
                .await;
            }
        }
    }
    let alive = || Handle::current().metrics().num_alive_tasks();
    within(async {
        // Some tasks may belong to connections that the client keeps for the next call.
        while alive() > before + 4 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}
