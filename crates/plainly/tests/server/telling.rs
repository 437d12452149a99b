//! The messages of a handler before its reply, progress and log messages: over both transports, in
//! both eras, in raw messages.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::time::Duration;

use plainly::limits::Limits;
use plainly::protocol::types::LoggingLevel;
use plainly::server::extract::Progress;
use plainly::server::{Server, Tool};
use plainly::{Context, Revision};
use plainly_peer::message::text;
use plainly_peer::{Client, Peer};
use serde_json::{Value, json};

/// Reports progress four times. Two of the reports are ignored.
async fn work(context: Context) -> &'static str {
    context
        .progress(Progress::new(1).of(2).message("half"))
        .await;
    context.progress(0.5).await;
    context.progress(f64::NAN).await;
    context.progress(Progress::new(2).of(2)).await;
    "done"
}

async fn logs(context: Context) -> &'static str {
    context.log(LoggingLevel::Debug, "found a file").await;
    context.log(LoggingLevel::Info, json!({"files": 1})).await;
    context
        .log_from("disk", LoggingLevel::Error, "it is full")
        .await;
    "logged"
}

/// Sends more messages than can wait for a reader.
async fn talks(context: Context) -> &'static str {
    for step in 1..=1000 {
        context.progress(step).await;
    }
    "enough"
}

/// Continues to report after its reply.
async fn leaves(context: Context) -> &'static str {
    tokio::spawn(async move {
        for step in 1..=1000 {
            context.progress(step).await;
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
    });
    "gone"
}

/// Takes far longer than the deadline, but reports progress.
async fn long(context: Context) -> &'static str {
    for step in 1..=8 {
        tokio::time::sleep(Duration::from_secs(40)).await;
        context.progress(step).await;
    }
    "at last"
}

async fn silent() -> &'static str {
    tokio::time::sleep(Duration::from_secs(100)).await;
    "too late"
}

async fn breaks(context: Context) -> &'static str {
    context.progress(1).await;
    panic!("broken")
}

fn server() -> Server {
    let mut limits = Limits::default();
    limits.deadline = Duration::from_secs(60);
    Server::builder("teller", "1")
        .tool(Tool::new("work", work))
        .tool(Tool::new("logs", logs))
        .tool(Tool::new("talks", talks))
        .tool(Tool::new("leaves", leaves))
        .tool(Tool::new("long", long))
        .tool(Tool::new("silent", silent))
        .tool(Tool::new("breaks", breaks))
        .limits(limits)
        .build()
        .unwrap()
}

/// Returns a call of `tool` in the form of `revision`.
fn call(revision: Revision, tool: &str, mut meta: Value) -> Value {
    if revision == Revision::V2026_07_28 {
        meta["io.modelcontextprotocol/protocolVersion"] = revision.as_str().into();
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
    }
    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "_meta": meta}})
}

/// Connects a client over a byte stream with a small buffer.
async fn stream(revision: Revision) -> Client {
    let peer = Peer::with_room(&server(), 1 << 10);
    let client = Client::over(peer, revision, json!({})).await;
    let has_sessions = revision.traits().sessions;
    assert_eq!(
        client.opened["capabilities"]["logging"].is_object(),
        has_sessions
    );
    client
}

/// Returns all messages that are sent over HTTP for a request, and whether they are events.
async fn posted(client: &Client, request: &Value) -> (bool, Vec<Value>) {
    let mut response = client.post(request).await;
    assert_eq!(response.status, 200);
    let is_stream = response.header("content-type") == Some("text/event-stream");
    assert_eq!(response.header("x-accel-buffering").is_some(), is_stream);
    let mut messages = Vec::new();
    while let Some(message) = response.next().await {
        messages.push(message);
    }
    (is_stream, messages)
}

/// Returns the messages for `request`, and checks that they are the same over a stream and over
/// HTTP.
async fn answer(revision: Revision, request: &Value) -> Vec<Value> {
    let streamed = stream(revision).await.hear(request).await;
    let client = Client::http(&server(), revision, json!({})).await;
    let (is_stream, posted) = posted(&client, request).await;
    assert_eq!(streamed, posted);
    assert_eq!(is_stream, posted.len() > 1);
    posted
}

#[tokio::test]
async fn progress_is_told_to_who_asked_for_it() {
    for revision in Revision::ALL {
        for token in [json!("t"), json!(7)] {
            let request = call(revision, "work", json!({"progressToken": token}));
            let sent = answer(revision, &request).await;
            let [first, second, reply] = sent.as_slice() else {
                panic!("{sent:?}")
            };
            assert_eq!(
                *first,
                json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
                    "progressToken": token, "progress": 1, "total": 2, "message": "half",
                }})
            );
            assert_eq!(second["params"]["progress"], 2);
            assert_eq!(text(reply), "done");
        }
        let sent = answer(revision, &call(revision, "work", json!({}))).await;
        assert_eq!(sent.len(), 1, "nobody asked for it: {sent:?}");
    }
}

#[tokio::test]
async fn a_modern_request_says_which_log_messages_it_wants() {
    let revision = Revision::V2026_07_28;
    let key = "io.modelcontextprotocol/logLevel";
    let cases = [
        (None, 0),
        (Some("debug"), 3),
        (Some("info"), 2),
        (Some("notice"), 1),
        (Some("emergency"), 0),
    ];
    for (level, count) in cases {
        let meta = level.map_or(json!({}), |level| json!({key: level}));
        let sent = answer(revision, &call(revision, "logs", meta)).await;
        assert_eq!(sent.len(), count + 1, "{level:?}: {sent:?}");
    }
    let sent = answer(revision, &call(revision, "logs", json!({key: "notice"}))).await;
    assert_eq!(
        sent[0],
        json!({"jsonrpc": "2.0", "method": "notifications/message", "params": {
            "level": "error", "logger": "disk", "data": "it is full",
        }})
    );
}

#[tokio::test]
async fn a_level_that_is_none_is_refused() {
    let meta = json!({"io.modelcontextprotocol/logLevel": "loud"});
    let request = call(Revision::V2026_07_28, "logs", meta);
    let mut stream = stream(Revision::V2026_07_28).await;
    let error = &stream.hear(&request).await[0]["error"];
    assert_eq!(error["code"], -32602);
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("logLevel") && message.contains("emergency"),
        "{message}"
    );
}

#[tokio::test]
async fn a_session_sets_its_level() {
    for revision in Revision::ALL
        .into_iter()
        .filter(|one| *one != Revision::V2026_07_28)
    {
        let sent = answer(revision, &call(revision, "logs", json!({}))).await;
        assert_eq!(sent.len(), 3, "{revision}: {sent:?}");
        let set = |level| json!({"jsonrpc": "2.0", "id": 9, "method": "logging/setLevel", "params": {"level": level}});
        let mut stream = stream(revision).await;
        let http = Client::http(&server(), revision, json!({})).await;
        for (level, count) in [("debug", 3), ("error", 1), ("alert", 0)] {
            assert_eq!(stream.hear(&set(level)).await[0]["result"], json!({}));
            assert_eq!(posted(&http, &set(level)).await.1[0]["result"], json!({}));
            let request = call(revision, "logs", json!({}));
            assert_eq!(stream.hear(&request).await.len(), count + 1);
            assert_eq!(posted(&http, &request).await.1.len(), count + 1);
        }
        let refused = &stream.hear(&set("loud")).await[0]["error"];
        assert_eq!(refused["code"], -32602);
    }
}

#[tokio::test]
async fn one_who_says_much_waits_for_who_reads() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let sent = answer(
            revision,
            &call(revision, "talks", json!({"progressToken": 1})),
        )
        .await;
        assert_eq!(sent.len(), 1001);
        for (position, message) in sent[..1000].iter().enumerate() {
            assert_eq!(message["params"]["progress"], position + 1);
        }
    }
}

#[tokio::test]
async fn nothing_is_told_after_the_reply() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let mut stream = stream(revision).await;
        let request = call(revision, "leaves", json!({"progressToken": 1}));
        assert_eq!(text(stream.hear(&request).await.last().unwrap()), "gone");
        tokio::time::sleep(Duration::from_millis(20)).await;
        let next = stream.hear(&call(revision, "work", json!({}))).await;
        assert_eq!(text(&next[0]), "done");
    }
}

#[tokio::test(start_paused = true)]
async fn progress_gives_more_time() {
    for revision in [Revision::V2025_11_25, Revision::V2026_07_28] {
        for meta in [json!({}), json!({"progressToken": 1})] {
            let sent = answer(revision, &call(revision, "long", meta)).await;
            assert_eq!(text(sent.last().unwrap()), "at last");
        }
        let sent = answer(
            revision,
            &call(revision, "silent", json!({"progressToken": 1})),
        )
        .await;
        assert_eq!(sent[0]["result"]["isError"], true, "{sent:?}");
    }
}

#[tokio::test]
async fn what_was_said_before_a_panic_is_heard() {
    let revision = Revision::V2026_07_28;
    let sent = answer(
        revision,
        &call(revision, "breaks", json!({"progressToken": 1})),
    )
    .await;
    let [progress, reply] = sent.as_slice() else {
        panic!("{sent:?}")
    };
    assert_eq!(progress["params"]["progress"], 1);
    assert_eq!(reply["result"]["isError"], true);
}
