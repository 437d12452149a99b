//! Each limit accepts a value at the limit and refuses one above it.

use std::time::Duration;

use plainly::limits::Limits;
use plainly::server::Resource;
use serde_json::json;

use crate::both::{both, json};
use crate::fixture::{Fixture, LARGE};
use crate::http::Http;
use crate::log::Log;
use crate::sender::{Sender, call, cancel, request, say};
use crate::stream::Stream;

#[tokio::test]
async fn a_message_has_a_greatest_length_over_both_transports() {
    for sender in Sender::all() {
        let base = sender.fill(say("1", "echo", "").as_bytes()).len();
        let fixture = Fixture::with_limits(|limits| limits.message_bytes = base + 1_000);
        let http = Http::listen(&fixture.server).await;
        let client = http.client(sender).await;
        for (padding, status) in [(1_000, 200), (1_001, 413)] {
            let sent = say("1", "echo", &"x".repeat(padding));
            let reply = client.send(&sent).await;
            assert_eq!(reply.status, status, "{sender:?} {padding}: {reply:?}");
            let mut stream = Stream::open(&fixture.server, sender).await;
            stream.send(&sent).await;
            let before = stream.before_a_good_reply("a long message").await;
            let is_served = before.iter().any(|line| line.contains("\"result\""));
            assert_eq!(is_served, status == 200, "{sender:?} {padding}: {before:?}");
        }
    }
}

#[tokio::test]
async fn the_bounds_of_the_envelope_are_the_server_s() {
    let fixture = Fixture::with_limits(|limits| {
        limits.envelope.depth = 4;
        limits.envelope.members_per_object = 6;
        limits.envelope.method_bytes = 14;
        limits.envelope.id_bytes = 4;
    });
    #[rustfmt::skip]
    let rows = [
        (call("1", "canary", r#"{"a":{}}"#), 0),
        (call("1", "canary", r#"{"a":{"b":[]}}"#), -32600),
        (call("1", "canary", r#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1}"#), 0),
        (call("1", "canary", r#"{"a":1,"b":1,"c":1,"d":1,"e":1,"f":1,"g":1}"#), -32600),
        (request("1", "resources/list", ""), 0),
        (request("1", "resources/lists", ""), -32600),
        (call(r#""abcd""#, "canary", "{}"), 0),
        (call(r#""abcde""#, "canary", "{}"), -32600),
    ];
    for (sent, code) in rows {
        for reply in both(&fixture, Sender::Modern, &sent).await {
            let got = reply["error"]["code"].as_i64().unwrap_or_default();
            assert_eq!(got, code, "{sent}: {reply}");
        }
    }
}

/// Returns the number of entries on each page of a listing, and checks that no name repeats.
async fn pages(fixture: &Fixture, method: &str, list: &str) -> Vec<usize> {
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    let mut lengths = Vec::new();
    let mut seen = std::collections::HashSet::new();
    let mut cursor = String::new();
    loop {
        let reply = json(&stream.ask(&request("1", method, &cursor)).await);
        let page = reply["result"][list].as_array().unwrap();
        lengths.push(page.len());
        assert!(
            page.iter()
                .all(|entry| seen.insert(entry["name"].to_string()))
        );
        match reply["result"].get("nextCursor") {
            Some(next) => cursor = format!("\"cursor\":{next}"),
            None => return lengths,
        }
    }
}

#[tokio::test]
async fn a_page_holds_no_more_than_it_may() {
    for (limit, tools, resources) in [
        (1_000, vec![8], vec![5]),
        (8, vec![8], vec![5]),
        (5, vec![5, 3], vec![5]),
        (4, vec![4, 4], vec![4, 1]),
        (3, vec![3, 3, 2], vec![3, 2]),
    ] {
        let fixture = Fixture::with_limits(|limits| limits.page_entries = limit);
        assert_eq!(pages(&fixture, "tools/list", "tools").await, tools);
        let found = pages(&fixture, "resources/list", "resources").await;
        assert_eq!(found, resources);
    }
}

#[tokio::test]
async fn one_session_above_the_limit_ends_the_idlest_and_an_idle_one_ends_by_itself() {
    const PING: &str = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let fixture = Fixture::with_limits(|limits| limits.sessions.open = 16);
    let http = Http::listen(&fixture.server).await;
    let sender = Sender::Legacy("2025-11-25");
    let first = http.client(sender).await;
    let second = http.client(sender).await;
    assert_eq!(first.send(PING).await.status, 200);
    let third = http.client(sender).await;
    let statuses = [
        first.send(PING).await.status,
        second.send(PING).await.status,
        third.send(PING).await.status,
    ];
    assert_eq!(statuses, [200, 404, 200]);

    let fixture = Fixture::with_limits(|limits| limits.sessions.idle = Duration::ZERO);
    let http = Http::listen(&fixture.server).await;
    let client = http.client(sender).await;
    assert_eq!(client.send(PING).await.status, 404);
}

#[tokio::test]
async fn a_reply_beyond_the_limit_is_an_error_instead_and_logged() {
    async fn large() -> String {
        "x".repeat(LARGE)
    }
    let fixture = |limit| {
        let mut limits = Limits::default();
        limits.reply_bytes = limit;
        let resource = Resource::new("app://large", large);
        Fixture::build(|builder| builder.limits(limits).resource(resource))
    };
    let (within, over) = (fixture(LARGE + 500), fixture(LARGE));
    let (tool, read) = (
        call("1", "large", "{}"),
        request("1", "resources/read", r#""uri":"app://large""#),
    );
    for sender in [Sender::Modern, Sender::Legacy("2024-11-05")] {
        for reply in both(&within, sender, &tool).await {
            let text = reply["result"]["content"][0]["text"].as_str().unwrap();
            assert_eq!(text.len(), LARGE);
        }
        for reply in both(&within, sender, &read).await {
            assert!(reply["result"].is_object(), "{reply}");
        }
        let (log, _guard) = Log::capture();
        for reply in both(&over, sender, &tool).await {
            assert_eq!(reply["result"]["isError"], true, "{reply}");
            let text = reply["result"]["content"][0]["text"].as_str().unwrap();
            assert!(text.contains("larger than 200000 bytes"), "{text}");
        }
        for reply in both(&over, sender, &read).await {
            assert_eq!(reply["error"]["code"], -32603);
            let expected = json!({"kind": "reply_too_large", "limit": LARGE});
            assert_eq!(reply["error"]["data"], expected);
        }
        let text = log.text();
        let is_told =
            |line: &&str| line.contains(" ERROR ") && line.contains("larger than 200000 bytes");
        assert_eq!(text.lines().filter(is_told).count(), 4, "{text}");
    }
}

#[tokio::test]
async fn uris_names_and_cursors_have_a_greatest_length() {
    let uri = "app://motd";
    for (limit, is_read) in [(uri.len(), true), (uri.len() - 1, false)] {
        let fixture = Fixture::with_limits(|limits| limits.uri_bytes = limit);
        for method in ["resources/read", "resources/metadata"] {
            let sent = request("1", method, &format!(r#""uri":"{uri}""#));
            for reply in both(&fixture, Sender::Modern, &sent).await {
                assert_eq!(reply["result"].is_object(), is_read, "{limit}: {reply}");
                assert!(is_read || reply["error"]["code"] == -32602, "{reply}");
            }
        }
    }
    for length in [128, 129, 1 << 20] {
        let sent = call("1", &"x".repeat(length), "{}");
        let mut stream = Stream::open(&Fixture::new().server, Sender::Modern).await;
        let reply = stream.ask(&sent).await;
        assert_eq!(json(&reply)["error"]["code"], -32602);
        assert!(reply.len() < 1_000, "{length}");
    }
    for method in ["resources/list", "tools/list", "resources/templates/list"] {
        let long = "x".repeat(1 << 20);
        let sent = request("1", method, &format!(r#""cursor":"{long}""#));
        for reply in both(&Fixture::new(), Sender::Modern, &sent).await {
            assert_eq!(reply["error"]["data"]["kind"], "invalid_cursor", "{reply}");
            assert!(reply.to_string().len() < 1_000, "{reply}");
        }
    }
}

#[tokio::test]
async fn a_place_is_free_again_however_its_request_ended() {
    let fixture = Fixture::with_limits(|limits| {
        limits.requests = 1;
        limits.requests_per_connection = 1;
        limits.deadline = Duration::from_millis(250);
    });
    let http = Http::listen(&fixture.server).await;
    for sender in [Sender::Modern, Sender::Legacy("2025-03-26")] {
        let mut stream = Stream::open(&fixture.server, sender).await;
        let client = http.client(sender).await;
        for _ in 0..3 {
            stream.send(say("1", "slow", "x")).await;
            fixture.probe.gate.holds(1).await;
            stream.send(cancel("1")).await;
            fixture.probe.gate.holds(0).await;
            stream.before_a_good_reply("a cancellation").await;

            if sender == Sender::Modern {
                let closing = client.begin(say("1", "slow", "x")).await;
                fixture.probe.gate.holds(1).await;
                drop(closing);
                fixture.probe.gate.holds(0).await;
                stream.before_a_good_reply("a closed connection").await;
            }
            for ending in [
                call("1", "panics", "{}"),
                call("1", "nope", "{}"),
                request("1", "nope", ""),
            ] {
                stream.ask(&ending).await;
                client.send(&ending).await;
            }
            stream.before_a_good_reply("a panic").await;
        }
        stream.ask(&say("1", "slow", "until the deadline")).await;
        stream.before_a_good_reply("a deadline").await;
        assert_eq!(client.send(say("1", "echo", "x")).await.status, 200);
    }
}
