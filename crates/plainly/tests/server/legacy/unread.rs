//! Streams whose clients are connected but do not read: messages wait for them, but handlers do
//! not.

use std::future::poll_fn;
use std::time::Duration;

use http::{HeaderMap, HeaderValue};
use plainly::Server;
use plainly::limits::Limits;
use plainly::transport::{Exchange, Feed, Frame, ReplyBody};
use serde_json::{Value, json};

use plainly_peer::message::text;
use plainly_peer::{Gate, within};

use super::support::{initialize, server};

/// More messages than may wait for the reader.
const MANY: usize = 20;

struct Client {
    server: Server,
    headers: HeaderMap,
}

impl Client {
    async fn open(gate: &Gate, revision: &str, change: impl FnOnce(&mut Limits)) -> Self {
        let server = server(gate, change);
        let opening = Frame::new(HeaderMap::new(), initialize(revision).to_string().into());
        let reply = server.exchange(&opening).await;
        let mut headers = HeaderMap::new();
        headers.insert("mcp-session-id", reply.headers["mcp-session-id"].clone());
        headers.insert(
            "mcp-protocol-version",
            HeaderValue::from_str(revision).unwrap(),
        );
        Self { server, headers }
    }

    async fn post(&self, message: &Value) -> ReplyBody {
        let frame = Frame::new(self.headers.clone(), message.to_string().into());
        within(self.server.exchange(&frame)).await.body
    }

    async fn stream(&self, message: &Value) -> Box<dyn Feed> {
        match self.post(message).await {
            ReplyBody::Feed(feed) => feed,
            ReplyBody::Whole(body) => panic!("{body:?}"),
        }
    }

    async fn cancel(&self, id: u64) {
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": id}});
        self.post(&cancel).await;
    }
}

/// Returns the messages until the end.
async fn rest(mut feed: Box<dyn Feed>) -> Vec<Value> {
    let mut messages = Vec::new();
    while let Some(event) = within(poll_fn(|context| feed.poll_event(context))).await {
        if !event.data.is_empty() {
            messages.push(serde_json::from_slice(&event.data).unwrap());
        }
    }
    messages
}

fn steps(id: u64, count: usize) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": "steps",
        "arguments": {"count": count},
        "_meta": {"progressToken": id},
    }})
}

#[tokio::test]
async fn a_request_is_cancelled() {
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        let gate = Gate::new();
        let client = Client::open(&gate, revision, |_| {}).await;
        gate.open(MANY);
        let stream = client.stream(&steps(1, 2 * MANY)).await;
        gate.holds(1).await;
        client.cancel(1).await;
        gate.holds(0).await;
        let heard = rest(stream).await;
        assert!(
            heard.iter().all(|message| message.get("id").is_none()),
            "{heard:?}"
        );
    }
}

#[tokio::test]
async fn a_request_runs_out_of_time() {
    let gate = Gate::new();
    let client = Client::open(&gate, "2025-11-25", |limits| {
        limits.deadline = Duration::from_millis(200);
    });
    let client = client.await;
    gate.open(MANY);
    let stream = client.stream(&steps(1, 2 * MANY)).await;
    gate.holds(1).await;
    gate.holds(0).await;
    let heard = rest(stream).await;
    assert_eq!(heard.len(), MANY + 2);
    let why = text(&heard[MANY + 1]);
    assert_eq!(why, "Internal error: not finished within 200 ms");
}

#[tokio::test]
async fn of_a_batch_the_others_go_on() {
    let gate = Gate::new();
    let client = Client::open(&gate, "2025-03-26", |_| {}).await;
    gate.open(MANY);
    let stream = client
        .stream(&json!([steps(1, 2 * MANY), steps(2, 2 * MANY)]))
        .await;
    gate.holds(2).await;
    client.cancel(1).await;
    gate.holds(1).await;
    gate.open(3 * MANY);
    let heard = rest(stream).await;
    let replies = heard.last().unwrap().as_array().unwrap();
    assert_eq!(replies.len(), 1, "{replies:?}");
    let expected = (&json!(2), "40 steps");
    assert_eq!((&replies[0]["id"], text(&replies[0])), expected);
}

#[tokio::test]
async fn a_request_that_has_ended_makes_room_for_another() {
    let gate = Gate::new();
    let client = Client::open(&gate, "2025-11-25", |limits| limits.requests = 1).await;
    gate.open(MANY - 1);
    let unread = client.stream(&steps(1, MANY)).await;
    gate.holds(1).await;
    gate.open(2);
    gate.holds(0).await;
    let next = rest(client.stream(&steps(2, 1)).await).await;
    assert_eq!(text(&next[1]), "1 steps");
    assert_eq!(text(&rest(unread).await[MANY]), "20 steps");
}
