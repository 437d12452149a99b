//! Each request id has exactly one reply, and never another client's: through panics, failures,
//! deadlines, overload and shutdown.

use std::collections::HashMap;
use std::time::Duration;

use plainly::errors::Dialect;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::task::JoinSet;

use crate::both::{both, both_wrong, json};
use crate::fixture::{Fixture, LARGE, SECRET};
use crate::http::Http;
use crate::sender::{Sender, call, cancel, initialize, request, say};
use crate::stream::Stream;
use crate::within;

#[tokio::test]
async fn a_panic_is_answered_and_its_payload_is_not() {
    let fixture = Fixture::new();
    for sender in Sender::all() {
        for reply in both(&fixture, sender, &call("1", "panics", "{}")).await {
            assert_eq!(reply["id"], 1);
            assert_eq!(reply["result"]["isError"], true, "{reply}");
            assert!(!reply.to_string().contains(SECRET), "{reply}");
        }
        let read = request("1", "resources/read", r#""uri":"app://broken""#);
        for reply in both(&fixture, sender, &read).await {
            assert_eq!(
                reply,
                json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32603, "message": "Internal error"}})
            );
        }
    }
}

#[tokio::test]
async fn what_a_tool_fails_with_is_for_the_model() {
    let fixture = Fixture::new();
    for sender in Sender::all() {
        for reply in both(&fixture, sender, &call("1", "fails", "{}")).await {
            assert_eq!(reply["result"]["isError"], true);
            let expected = json!([{"type": "text", "text": "the disk is on fire"}]);
            assert_eq!(reply["result"]["content"], expected);
        }
        for reply in both(&fixture, sender, &call("1", "echo", r#"{"text":1}"#)).await {
            let text = reply["result"]["content"][0]["text"].as_str().unwrap();
            assert!(text.contains("/text"), "{text}");
        }
    }
}

#[tokio::test]
async fn params_and_requests_that_are_malformed_say_so_to_programs() {
    let fixture = Fixture::new();
    let no_name = request("1", "tools/call", r#""name":1"#);
    for sender in Sender::all() {
        for (sent, code) in [
            (no_name.as_str(), -32602),
            (r#"{"jsonrpc":"1.0","id":1,"method":"x"}"#, -32600),
        ] {
            for reply in both_wrong(&fixture, sender, sent).await {
                assert_eq!(reply["error"]["code"], code, "{reply}");
                assert_eq!(reply["error"]["data"]["kind"], "malformed");
            }
        }
    }
}

#[tokio::test]
async fn a_missing_resource_has_the_code_that_the_dialect_gives_its_revision() {
    let read = request("1", "resources/read", r#""uri":"app://nowhere""#);
    for sender in Sender::all() {
        let legacy = match sender {
            Sender::Modern => -32602,
            Sender::Legacy(_) => -32002,
        };
        for (dialect, code) in [(Dialect::Uniform, -32602), (Dialect::PerRevision, legacy)] {
            let fixture = Fixture::build(|builder| builder.dialect(dialect));
            for reply in both(&fixture, sender, &read).await {
                assert_eq!(reply["error"]["code"], code, "{sender:?} {dialect:?}");
                assert_eq!(reply["error"]["data"], json!({"uri": "app://nowhere"}));
            }
        }
    }
}

#[tokio::test]
async fn a_deadline_ends_the_handler_and_answers() {
    let fixture = Fixture::with_limits(|limits| limits.deadline = Duration::from_millis(20));
    for sender in [Sender::Modern, Sender::Legacy("2025-06-18")] {
        for reply in both(&fixture, sender, &say("1", "slow", "x")).await {
            assert_eq!(reply["result"]["isError"], true, "{reply}");
        }
        let read = request("1", "resources/read", r#""uri":"app://slow""#);
        for reply in both(&fixture, sender, &read).await {
            assert_eq!(reply["error"]["code"], -32603, "{reply}");
            let expected = json!({"kind": "deadline_exceeded", "limitMs": 20});
            assert_eq!(reply["error"]["data"], expected);
        }
        fixture.probe.gate.holds(0).await;
    }
    assert_eq!(fixture.probe.gate.came(), 8);
}

#[tokio::test]
async fn an_id_in_flight_is_taken_on_its_stream_and_free_elsewhere() {
    let fixture = Fixture::new();
    for sender in Sender::all() {
        let mut stream = Stream::open(&fixture.server, sender).await;
        let mut other = Stream::open(&fixture.server, sender).await;
        let started = fixture.probe.gate.came();
        stream.send(say("1", "slow", "first")).await;
        fixture.probe.gate.holds(1).await;
        for second in [
            say("1", "slow", "second"),
            call("1", "canary", "{}"),
            request("1", "tools/list", ""),
            initialize("1", "2025-11-25"),
            say(r#""\u0031""#, "slow", "a string"),
        ] {
            stream.send(second).await;
        }
        // A string is a different id than a number.
        fixture.probe.gate.holds(2).await;
        let refused = stream.before_a_good_reply("the second").await;
        assert_eq!(refused.len(), 4, "{refused:?}");
        for reply in refused {
            let reply = json(&reply);
            assert_eq!(reply["id"], 1);
            assert_eq!(reply["error"]["code"], -32600);
            assert_eq!(reply["error"]["data"], json!({"kind": "duplicate_id"}));
        }
        assert!(
            other
                .ask(&say("1", "echo", "other"))
                .await
                .contains("other")
        );
        fixture.probe.gate.open(2);
        let last = [stream.next().await, stream.next().await];
        assert!(last.iter().any(|reply| reply.contains("first")), "{last:?}");
        assert_eq!(fixture.probe.gate.came() - started, 2);
        assert_eq!(stream.end().await, [] as [String; 0]);
    }
    assert_eq!(fixture.probe.ran(), 0);
}

#[tokio::test]
async fn over_http_equal_ids_are_independent_where_there_is_no_session() {
    let (fixture, http) = Fixture::listening().await;
    let client = http.client(Sender::Modern).await;
    let first = client.begin(say("1", "slow", "first")).await;
    let second = client.begin(say("1", "slow", "second")).await;
    fixture.probe.gate.holds(2).await;
    fixture.probe.gate.open(2);
    assert!(first.response().await.body.contains("first"));
    assert!(second.response().await.body.contains("second"));
}

#[tokio::test]
async fn each_of_many_mixed_requests_is_answered_once() {
    let fixture = Fixture::with_limits(|limits| limits.requests_per_connection = 1_000);
    let kinds = |id: usize| {
        let raw = id.to_string();
        match id % 7 {
            0 => say(&raw, "echo", "x"),
            1 => say(&raw, "slow", "x"),
            2 => call(&raw, "panics", "{}"),
            3 => call(&raw, "nope", "{}"),
            4 => request(&raw, "resources/read", r#""uri":"app://slow""#),
            5 => request(&raw, "nope", ""),
            _ => request(&raw, "resources/read", r#""uri":"app://nowhere""#),
        }
    };
    for sender in Sender::all() {
        let mut stream = Stream::open(&fixture.server, sender).await;
        for id in 0..350 {
            stream.send(kinds(id)).await;
        }
        fixture.probe.gate.holds(100).await;
        fixture.probe.gate.open(100);
        let mut answers: HashMap<u64, usize> = HashMap::new();
        for reply in stream.end().await {
            let id = json(&reply)["id"].as_u64().unwrap();
            *answers.entry(id).or_default() += 1;
        }
        assert_eq!(answers.len(), 350);
        assert!(answers.values().all(|count| *count == 1));
    }
}

#[tokio::test]
async fn beyond_its_limit_a_connection_is_told_to_wait_and_others_are_served() {
    let fixture = Fixture::with_limits(|limits| limits.requests_per_connection = 2);
    for sender in Sender::all() {
        let mut stream = Stream::open(&fixture.server, sender).await;
        let mut other = Stream::open(&fixture.server, sender).await;
        let started = fixture.probe.gate.came();
        for id in ["1", "2"] {
            stream.send(say(id, "slow", "x")).await;
        }
        fixture.probe.gate.holds(2).await;
        let refused = json(&stream.ask(&say("3", "slow", "x")).await);
        assert_eq!(refused["id"], 3);
        assert_eq!(refused["error"]["code"], 503);
        assert_eq!(refused["error"]["data"], json!({"kind": "overloaded"}));
        if sender != Sender::Modern {
            let alive = json(&stream.ask(&request("4", "ping", "")).await);
            assert_eq!(alive["result"], json!({}));
            let taken = json(&stream.ask(&request("1", "ping", "")).await);
            assert_eq!(taken["error"]["data"], json!({"kind": "duplicate_id"}));
        }
        other.before_a_good_reply("overload elsewhere").await;
        fixture.probe.gate.open(2);
        stream.next().await;
        stream.next().await;
        stream.before_a_good_reply("overload").await;
        assert_eq!(
            fixture.probe.gate.came() - started,
            2,
            "the third never began"
        );
    }
}

#[tokio::test]
async fn beyond_its_limit_a_server_is_unavailable_for_all() {
    let fixture = Fixture::with_limits(|limits| limits.requests = 2);
    let http = Http::listen(&fixture.server).await;
    for sender in Sender::all() {
        let client = http.client(sender).await;
        let mut stream = Stream::open(&fixture.server, sender).await;
        let first = client.begin(say("1", "slow", "x")).await;
        stream.send(say("2", "slow", "x")).await;
        fixture.probe.gate.holds(2).await;
        let refused = client.send(say("3", "echo", "x")).await;
        assert_eq!(refused.status, 503, "{refused:?}");
        assert_eq!(refused.json()["id"], 3);
        assert_eq!(refused.json()["error"]["code"], 503);
        assert!(refused.header("retry-after").is_some(), "{refused:?}");
        let refused = json(&stream.ask(&say("4", "echo", "x")).await);
        assert_eq!(refused["error"]["code"], 503);
        fixture.probe.gate.open(2);
        assert_eq!(first.response().await.status, 200);
        assert!(stream.next().await.contains(r#""id":2,"result""#));
        stream.before_a_good_reply("overload").await;
    }
}

#[tokio::test]
async fn what_runs_is_finished_when_the_stream_ends_or_the_server_stops() {
    let fixture = Fixture::new();
    for sender in Sender::all() {
        let mut stream = Stream::open(&fixture.server, sender).await;
        stream.send(say("1", "slow", "until the end")).await;
        fixture.probe.gate.holds(1).await;
        let rest = tokio::spawn(stream.end());
        fixture.probe.gate.open(1);
        let rest = within(rest).await.unwrap();
        assert!(
            rest.len() == 1 && rest[0].contains("until the end"),
            "{rest:?}"
        );

        let mut stream = Stream::open(&fixture.server, sender).await;
        stream.send(say("1", "slow", "until the stop")).await;
        fixture.probe.gate.holds(1).await;
        stream.peer.stop();
        let rest = tokio::spawn(stream.rest());
        fixture.probe.gate.open(1);
        let rest = within(rest).await.unwrap();
        assert!(
            rest.len() == 1 && rest[0].contains("until the stop"),
            "{rest:?}"
        );
    }
}

#[tokio::test]
async fn what_does_not_finish_in_time_is_dropped_and_answered() {
    let fixture = Fixture::with_limits(|limits| limits.shutdown = Duration::from_millis(20));
    for sender in Sender::all() {
        let mut stream = Stream::open(&fixture.server, sender).await;
        stream.send(say("1", "slow", "x")).await;
        stream.send(say("2", "slow", "cancelled")).await;
        stream
            .send(request("\"3\"", "resources/read", r#""uri":"app://slow""#))
            .await;
        fixture.probe.gate.holds(3).await;
        stream.send(cancel("2")).await;
        let mut replies = stream.end().await;
        replies.sort();
        let refused = |id: Value| {
            json!({"jsonrpc": "2.0", "id": id, "error": {
                "code": 503, "message": "The server is shutting down", "data": {"kind": "shutting_down"}}})
        };
        let replies: Vec<_> = replies.iter().map(|reply| json(reply)).collect();
        assert_eq!(replies, [refused(json!("3")), refused(json!(1))]);
        fixture.probe.gate.holds(0).await;
    }
}

#[tokio::test]
async fn a_batch_that_does_not_finish_in_time_is_answered_too() {
    let fixture = Fixture::with_limits(|limits| limits.shutdown = Duration::from_millis(20));
    let mut stream = Stream::open(&fixture.server, Sender::Legacy("2025-03-26")).await;
    let batch = format!("[{},{}]", say("1", "slow", "x"), say("2", "echo", "y"));
    stream.send(batch).await;
    fixture.probe.gate.holds(1).await;
    let replies = stream.end().await;
    assert_eq!(replies.len(), 1, "{replies:?}");
    let replies = json(&replies[0]);
    let expected = json!({"kind": "shutting_down"});
    assert_eq!(replies[0]["error"]["data"], expected);
    assert_eq!(replies[1]["result"]["content"][0]["text"], "y");
    fixture.probe.gate.holds(0).await;
}

#[tokio::test]
async fn what_runs_in_a_session_is_answered_after_it_has_ended() {
    let fixture = Fixture::with_limits(|limits| limits.sessions.open = 1);
    let http = Http::listen(&fixture.server).await;
    for sender in Sender::legacy() {
        let client = http.client(sender).await;
        let running = client.begin(say("1", "slow", "deleted")).await;
        fixture.probe.gate.holds(1).await;
        assert_eq!(client.delete().await.status, 204);
        fixture.probe.gate.open(1);
        let response = running.response().await;
        assert!(
            response.status == 200 && response.body.contains("deleted"),
            "{response:?}"
        );

        let client = http.client(sender).await;
        let running = client.begin(say("1", "slow", "displaced")).await;
        fixture.probe.gate.holds(1).await;
        http.client(sender).await;
        fixture.probe.gate.open(1);
        let response = running.response().await;
        assert!(
            response.status == 200 && response.body.contains("displaced"),
            "{response:?}"
        );
    }
}

/// The paused clock advances when all tasks wait.
#[tokio::test(start_paused = true)]
async fn a_reply_that_is_half_written_when_time_is_over_is_written_once() {
    let fixture = Fixture::new();
    let limit = fixture.server.limits().shutdown;
    let (near, far) = tokio::io::duplex(4 << 10);
    let (reader, writer) = tokio::io::split(far);
    let server = fixture.server.clone();
    let serving = tokio::spawn(async move { server.serve(reader, writer).await });
    let (reader, mut writer) = tokio::io::split(near);
    for sent in [say("1", "slow", &"x".repeat(LARGE)), say("2", "slow", "y")] {
        let sent = Sender::Modern.fill(format!("{sent}\n").as_bytes());
        writer.write_all(&sent).await.unwrap();
    }
    writer.shutdown().await.unwrap();
    fixture.probe.gate.saw(2).await;
    let moment = Duration::from_millis(500);
    tokio::time::sleep(limit - moment).await;
    fixture.probe.gate.open(1);
    tokio::time::sleep(2 * moment).await;
    let mut lines = BufReader::new(reader).lines();
    let first = json(&lines.next_line().await.unwrap().unwrap());
    assert_eq!(first["id"], 1);
    assert!(first["result"].is_object());
    let second = json(&lines.next_line().await.unwrap().unwrap());
    assert_eq!(second["id"], 2);
    assert_eq!(second["error"]["data"], json!({"kind": "shutting_down"}));
    assert_eq!(lines.next_line().await.unwrap(), None);
    serving.await.unwrap().unwrap();
}

/// The paused clock advances when all tasks wait.
#[tokio::test(start_paused = true)]
async fn a_peer_that_reads_none_of_its_replies_is_given_up() {
    let fixture = Fixture::new();
    let (near, far) = tokio::io::duplex(4 << 10);
    let (reader, writer) = tokio::io::split(far);
    let server = fixture.server.clone();
    let serving = tokio::spawn(async move { server.serve(reader, writer).await });
    let (_unread, mut writer) = tokio::io::split(near);
    let slow = Sender::Modern.fill(say("1", "slow", "x").as_bytes());
    let large = Sender::Modern.fill(call("2", "large", "{}").as_bytes());
    let both = [&slow[..], b"\n", &large[..], b"\n"].concat();
    writer.write_all(&both).await.unwrap();
    let error = serving.await.unwrap().unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    fixture.probe.gate.saw(1).await;
    fixture.probe.gate.holds(0).await;
}

#[tokio::test]
async fn a_stopping_http_server_answers_what_runs_and_takes_no_more() {
    let fixture = Fixture::new();
    for sender in Sender::all() {
        let http = Http::listen(&fixture.server).await;
        let address = http.address;
        let client = http.client(sender).await;
        let running = client.begin(say("1", "slow", "to the end")).await;
        fixture.probe.gate.holds(1).await;
        let stopped = http.stop();
        let refused = async {
            while tokio::net::TcpStream::connect(address).await.is_ok() {
                tokio::task::yield_now().await;
            }
        };
        within(refused).await;
        fixture.probe.gate.open(1);
        let response = running.response().await;
        assert!(response.status == 200 && response.body.contains("to the end"));
        within(stopped).await.unwrap().unwrap();
    }
}

/// The text that must be returned to request `id` of `client`.
fn nonce(client: usize, id: usize) -> String {
    format!("nonce of client {client}, request {id}")
}

#[tokio::test]
async fn streams_with_equal_ids_get_only_their_own() {
    let fixture = Fixture::new();
    let mut clients = JoinSet::new();
    for client in 0..64 {
        let fixture = fixture.clone();
        clients.spawn(async move {
            let senders = Sender::all();
            let sender = senders[client % senders.len()];
            let mut stream = Stream::open(&fixture.server, sender).await;
            for id in 0..10 {
                let tool = ["echo", "slow"][id % 2];
                stream
                    .send(say(&id.to_string(), tool, &nonce(client, id)))
                    .await;
            }
            fixture.probe.gate.open(5);
            let mut replies = stream.end().await;
            replies.sort();
            for (id, reply) in replies.iter().enumerate() {
                assert_eq!(json(reply)["id"], id);
                assert!(reply.contains(&nonce(client, id)), "{client}: {reply}");
            }
            assert_eq!(replies.len(), 10);
        });
    }
    within(clients.join_all()).await;
}

#[tokio::test]
async fn http_clients_with_equal_ids_get_only_their_own() {
    let (fixture, http) = Fixture::listening().await;
    let mut clients = JoinSet::new();
    for number in 0..64 {
        let senders = Sender::all();
        let client = http.client(senders[number % senders.len()]).await;
        for id in 0..3 {
            let client = client.clone();
            clients.spawn(async move {
                let tool = ["echo", "slow"][id % 2];
                let response = client
                    .send(say(&id.to_string(), tool, &nonce(number, id)))
                    .await;
                assert_eq!(response.json()["id"], id);
                assert!(response.body.contains(&nonce(number, id)), "{response:?}");
            });
        }
    }
    fixture.probe.gate.holds(64).await;
    fixture.probe.gate.open(64);
    within(clients.join_all()).await;
}
