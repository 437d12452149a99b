//! Several messages in one: only 2025-03-26 has batches.

use serde_json::{Value, json};

use crate::case::{Case, Expect, check};
use crate::fixture::{Fixture, LARGE};
use crate::http::Http;
use crate::sender::{Sender, call, cancel, initialize, say};
use crate::stream::Stream;

const INVALID: i64 = -32600;
const BATCHING: Sender = Sender::Legacy("2025-03-26");

fn batch(messages: &[&str]) -> String {
    format!("[{}]", messages.join(","))
}

#[tokio::test]
async fn elsewhere_a_batch_without_ids_is_refused_whole_and_nothing_of_it_runs() {
    let one = call("1", "canary", "{}");
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#;
    let cases = [
        ("empty", "[]".to_owned()),
        ("of no message", "[1]".to_owned()),
        ("of a notification", batch(&[notification])),
        ("in a batch", batch(&[&batch(&[&one])])),
    ]
    .map(|(name, bytes)| Case::new(name, bytes, Expect::no_message(INVALID)));
    let others = [Sender::Modern, Sender::Legacy("2025-11-25")];
    check(&others, &cases).await;
}

#[tokio::test]
async fn elsewhere_each_request_of_a_batch_is_refused_by_its_own_id() {
    let (one, two) = (call("1", "canary", "{}"), call("\"b\"", "canary", "{}"));
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#;
    let response = r#"{"jsonrpc":"2.0","id":9,"result":{}}"#;
    let sessions = ["2024-11-05", "2025-06-18", "2025-11-25"].map(Sender::Legacy);
    for sender in sessions.into_iter().chain([Sender::Modern]) {
        let fixture = Fixture::new();
        let http = Http::listen(&fixture.server).await;
        let client = http.client(sender).await.saying_anything();
        for (sent, ids) in [
            (batch(&[&one]), &["1"][..]),
            (
                batch(&[&one, notification, "5", response, &two]),
                &["1", "\"b\""],
            ),
        ] {
            let mut stream = Stream::careless(&fixture.server, sender).await;
            stream.send(&sent).await;
            let lines = stream.before_a_good_reply(&sent).await;
            let beginnings = ids
                .iter()
                .map(|id| format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32600,"#));
            assert_eq!(lines.len(), ids.len(), "{sent}: {lines:?}");
            for (line, beginning) in lines.iter().zip(beginnings) {
                assert!(line.starts_with(&beginning), "{sent}: {line}");
            }
            // Over HTTP the whole batch has one error, which belongs to the status of the response.
            let refused = client.send(&sent).await;
            let expected = r#"{"jsonrpc":"2.0","error":{"code":-32600,"#;
            assert!(refused.status == 400 && refused.body.starts_with(expected));
        }
        assert_eq!(fixture.probe.ran(), 0);
    }
}

#[tokio::test]
async fn in_2025_03_26_only_a_batch_of_nothing_or_without_end_is_refused_whole() {
    let too_many = vec![r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#; 1_001];
    let cases = [
        ("empty", "[]".to_owned()),
        ("too long", batch(&too_many)),
        ("of no message", "[1,{}]".to_owned()),
    ]
    .map(|(name, bytes)| Case::new(name, bytes, Expect::no_message(INVALID)));
    check(&[BATCHING], &cases).await;
}

/// A batch of all kinds of messages, and its expected replies.
fn mixed() -> (String, Value) {
    let text = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    let first = say("1", "echo", "first");
    let last = say("\"z\"", "echo", "last");
    let sent = batch(&[
        &first,
        r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#,
        "5",
        r#"{"jsonrpc":"2.0","id":2,"method":"nope"}"#,
        r#"{"jsonrpc":"1.0","id":3,"method":"ping"}"#,
        r#"{"jsonrpc":"2.0","id":9,"result":{}}"#,
        &initialize("4", "2025-03-26"),
        r#"{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}"#,
        &last,
    ]);
    let code = |id: Value, code: i64| json!([id, code]);
    let answers = json!([
        {"id": 1, "result": text("first")},
        code(json!(2), -32601),
        code(json!(3), INVALID),
        code(json!(4), INVALID),
        code(json!(5), -32602),
        {"id": "z", "result": text("last")},
    ]);
    (sent, answers)
}

/// Reduces errors to their id and code, so that their messages can change.
fn summary(replies: &str) -> Value {
    let mut replies: Value = serde_json::from_str(replies).unwrap();
    for reply in replies.as_array_mut().unwrap() {
        assert_eq!(reply["jsonrpc"], "2.0");
        reply.as_object_mut().unwrap().remove("jsonrpc");
        if let Some(error) = reply.get("error") {
            *reply = json!([reply.get("id"), error["code"]]);
        }
    }
    replies
}

#[tokio::test]
async fn in_2025_03_26_each_message_of_a_batch_is_answered_in_order() {
    let fixture = Fixture::new();
    let (sent, answers) = mixed();
    let mut stream = Stream::careless(&fixture.server, BATCHING).await;
    assert_eq!(summary(&stream.ask(&sent).await), answers);
    let http = Http::listen(&fixture.server).await;
    let response = http
        .client(BATCHING)
        .await
        .saying_anything()
        .send(&sent)
        .await;
    assert_eq!(response.status, 200);
    assert_eq!(summary(&response.body), answers);
}

#[tokio::test]
async fn a_batch_that_wants_no_answer_gets_none() {
    let notification = r#"{"jsonrpc":"2.0","method":"notifications/unknown"}"#;
    let response = r#"{"jsonrpc":"2.0","id":9,"result":{}}"#;
    let cases = [Case::new(
        "notifications and responses",
        batch(&[notification, response, notification]),
        Expect::Silence,
    )];
    check(&[BATCHING], &cases).await;
}

#[tokio::test]
async fn a_batch_waits_for_its_slowest_and_holds_up_nobody_else() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, BATCHING).await;
    let sent = batch(&[
        &say("1", "slow", "slow"),
        &say("2", "echo", "quick"),
        &call("3", "panics", "{}"),
    ]);
    stream.send(&sent).await;
    let found = stream.before_a_good_reply("a batch").await;
    assert_eq!(found, [] as [String; 0]);
    fixture.probe.gate.open(1);
    let replies: Value = serde_json::from_str(&stream.next().await).unwrap();
    let ids: Vec<_> = replies
        .as_array()
        .unwrap()
        .iter()
        .map(|reply| reply["id"].clone())
        .collect();
    assert_eq!(ids, [1, 2, 3]);
}

#[tokio::test]
async fn a_batch_cannot_run_more_than_the_connection_may() {
    let fixture = Fixture::with_limits(|limits| limits.requests_per_connection = 4);
    let slow: Vec<_> = (0..20)
        .map(|id| say(&id.to_string(), "slow", "x"))
        .collect();
    let slow: Vec<_> = slow.iter().map(String::as_str).collect();
    let mut stream = Stream::open(&fixture.server, BATCHING).await;
    stream.send(batch(&slow)).await;
    let ping = r#"{"jsonrpc":"2.0","id":99,"method":"ping"}"#;
    assert!(stream.ask(ping).await.contains("99"));
    // The refused requests must not have begun.
    assert_eq!(fixture.probe.gate.came(), 4);
    fixture.probe.gate.open(4);
    let replies = summary(&stream.next().await);
    let refused = replies
        .as_array()
        .unwrap()
        .iter()
        .filter(|reply| reply[1] == 503)
        .count();
    assert_eq!(refused, 16);
    stream.before_a_good_reply("a batch").await;
}

#[tokio::test]
async fn a_request_of_a_batch_can_be_cancelled() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, BATCHING).await;
    stream
        .send(batch(&[&say("1", "slow", "x"), &say("2", "echo", "y")]))
        .await;
    fixture.probe.gate.holds(1).await;
    stream.send(cancel("1")).await;
    fixture.probe.gate.holds(0).await;
    let expected = json!([{"id": 2, "result": {"content": [{"type": "text", "text": "y"}]}}]);
    assert_eq!(summary(&stream.next().await), expected);
    // A batch can cancel requests, too, even its own.
    stream.send(say("3", "slow", "x")).await;
    fixture.probe.gate.holds(1).await;
    stream
        .send(batch(&[&cancel("3"), &say("4", "slow", "x"), &cancel("4")]))
        .await;
    fixture.probe.gate.holds(0).await;
    assert_eq!(stream.end().await, [] as [String; 0]);
}

#[tokio::test]
async fn a_batch_respects_the_ids_in_flight() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, BATCHING).await;
    stream.send(say("1", "slow", "first")).await;
    let replies = stream
        .ask(&batch(&[
            &say("1", "echo", "second"),
            &say("2", "echo", "y"),
        ]))
        .await;
    assert_eq!(summary(&replies)[0], json!([1, INVALID]));
    fixture.probe.gate.open(1);
    assert!(stream.next().await.contains("first"));
}

#[tokio::test]
async fn an_id_that_a_batch_found_taken_is_free_behind_its_cancellation() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, BATCHING).await;
    stream.send(say("1", "slow", "first")).await;
    fixture.probe.gate.holds(1).await;
    let parts = [
        say("1", "echo", "second"),
        cancel("1"),
        say("1", "echo", "third"),
    ];
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    let replies = summary(&stream.ask(&batch(&parts)).await);
    let third = json!({"content": [{"type": "text", "text": "third"}]});
    assert_eq!(replies, json!([[1, INVALID], {"id": 1, "result": third}]));
}

/// Returns how many replies of a batch are results. The others must be the error `reply_too_large`.
fn good_of(replies: &str, limit: usize) -> usize {
    let replies: Vec<Value> = serde_json::from_str(replies).unwrap();
    let (good, refused): (Vec<_>, Vec<_>) = replies
        .iter()
        .partition(|reply| reply.get("result").is_some());
    for reply in refused {
        let expected = json!({"kind": "reply_too_large", "limit": limit});
        assert_eq!(reply["error"]["data"], expected);
    }
    let ids: Vec<_> = replies.iter().map(|reply| reply["id"].clone()).collect();
    let all: Vec<_> = (0..replies.len()).collect();
    assert_eq!(json!(ids), json!(all), "in the order of the requests");
    good.len()
}

#[tokio::test]
async fn the_replies_of_a_batch_together_are_no_more_than_one_may_be() {
    const COUNT: usize = 50;
    let limit = 3 * LARGE + LARGE / 2;
    let fixture = Fixture::with_limits(|limits| limits.reply_bytes = limit);
    let http = Http::listen(&fixture.server).await;
    // Tests replies that are ready at once, and others that are not.
    let text = "x".repeat(LARGE);
    for slow in [false, true] {
        let one = |id: usize| match slow {
            false => call(&id.to_string(), "large", "{}"),
            true => say(&id.to_string(), "slow", &text),
        };
        let all: Vec<_> = (0..COUNT).map(one).collect();
        let all: Vec<_> = all.iter().map(String::as_str).collect();
        // All of the slow requests would be larger than one message may be.
        let some = if slow { 10 } else { COUNT };
        let sent = batch(&all[..some]);
        let mut stream = Stream::open(&fixture.server, BATCHING).await;
        let client = http.client(BATCHING).await;
        for over_http in [true, false] {
            if slow {
                fixture.probe.gate.open(some);
            }
            let replies = match over_http {
                true => client.send(&sent).await.body,
                false => stream.ask(&sent).await,
            };
            assert_eq!(good_of(&replies, limit), 3, "slow {slow}, http {over_http}");
            // An error is shorter than 200 bytes.
            assert!(replies.len() < limit + some * 200, "{}", replies.len());
        }
    }
}

#[tokio::test]
async fn batches_cannot_take_all_places_of_the_server() {
    let (fixture, http) = Fixture::listening().await;
    let slow: Vec<_> = (0..1_000)
        .map(|id| say(&id.to_string(), "slow", "x"))
        .collect();
    let slow: Vec<_> = slow.iter().map(String::as_str).collect();
    let greedy = http.client(BATCHING).await;
    let mut hanging = Vec::new();
    for first in [true, false, false, false, false] {
        hanging.push(greedy.begin(batch(&slow)).await);
        let other = http.client(BATCHING).await;
        hanging.push(other.begin(batch(&slow)).await);
        if first {
            fixture.probe.gate.holds(2 * 64).await;
        }
    }
    fixture.probe.gate.holds(6 * 64).await;
    for sender in Sender::all() {
        let client = http.client(sender).await;
        assert_eq!(client.send(call("1", "canary", "{}")).await.status, 200);
    }
    fixture.probe.gate.open(6 * 64);
    let mut served = 0;
    for response in hanging {
        let replies = response.response().await.body;
        let replies = summary(&replies);
        assert_eq!(replies.as_array().unwrap().len(), 1_000);
        let replies = replies.as_array().unwrap().iter();
        served += replies.filter(|reply| reply["result"].is_object()).count();
    }
    assert_eq!(served, 6 * 64);
    assert_eq!(fixture.probe.gate.came(), 6 * 64);
}

#[tokio::test]
async fn an_id_is_there_once_in_a_batch() {
    let (fixture, http) = Fixture::listening().await;
    let mut stream = Stream::open(&fixture.server, BATCHING).await;
    let client = http.client(BATCHING).await;
    for tool in ["echo", "slow"] {
        let sent = batch(&[
            &say("1", tool, "first"),
            &say("1", tool, "second"),
            &say("\"1\"", tool, "a string"),
            &call("1", "canary", "{}"),
        ]);
        for over_http in [false, true] {
            if tool == "slow" {
                fixture.probe.gate.open(2);
            }
            let replies = match over_http {
                true => client.send(&sent).await.body,
                false => stream.ask(&sent).await,
            };
            let replies = summary(&replies);
            assert_eq!(replies[0]["result"]["content"][0]["text"], "first");
            assert_eq!(replies[1], json!([1, INVALID]));
            assert_eq!(replies[2]["result"]["content"][0]["text"], "a string");
            assert_eq!(replies[3], json!([1, INVALID]));
        }
    }
    assert_eq!(fixture.probe.ran(), 0);
}
