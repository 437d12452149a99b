//! Clients whose requests look alike: each receives only its own messages.

use std::collections::HashSet;

use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::http::{Attempt, Events, Session, bare, modern};
use crate::site::{Kind, Site, TOGETHER, server};
use crate::stream;

/// The transport and revision of a client.
#[derive(Clone, Copy, Debug)]
enum Way {
    Modern,
    Session,
    Events,
    Stream,
    LegacyStream,
}

const WAYS: [Way; 5] = [
    Way::Modern,
    Way::Session,
    Way::Events,
    Way::Stream,
    Way::LegacyStream,
];

/// Returns all messages that a client receives up to the reply to its call. All calls have the same
/// id and progress token.
async fn heard(site: &Site, way: Way, text: &str) -> Vec<Value> {
    let params = json!({
        "name": "whisper",
        "arguments": {"text": text},
        "_meta": {"progressToken": 0},
    });
    let call = bare(0, "tools/call", params.clone());
    let is_reply = |message: &Value| message.get("method").is_none();
    let mut all = Vec::new();
    match way {
        Way::Modern | Way::Session => {
            let attempt = if matches!(way, Way::Modern) {
                Attempt::modern(site.address, "tools/call", params)
            } else {
                Session::open(site.address, None).await.post(&call)
            };
            let mut response = attempt.send().await;
            assert_eq!(response.status, 200, "{response:?}");
            while !all.last().is_some_and(is_reply) {
                all.push(response.message().await);
            }
        }
        Way::Events => {
            let mut events = Events::open(site.address, None).await;
            let put = |message: &Value| Attempt::post(site.address, &events.endpoint, message);
            assert_eq!(put(&crate::http::initialize()).status().await, 202);
            assert_eq!(put(&call).status().await, 202);
            // The reply to `initialize` has the same id as the call's.
            events.stream.message().await;
            while !all.last().is_some_and(is_reply) {
                all.push(events.stream.message().await);
            }
        }
        Way::Stream | Way::LegacyStream => {
            let (mut stream, message) = if matches!(way, Way::Stream) {
                let message = modern(0, "tools/call", params);
                (stream::open(&site.server), message)
            } else {
                (stream::legacy(&site.server).await, call)
            };
            stream.send(&message).await;
            while !all.last().is_some_and(is_reply) {
                all.push(stream.next().await);
            }
        }
    }
    all
}

/// Runs 64 clients at once, all with the same ids and tokens, each with a secret of its own.
async fn each_gets_its_own(site: &Site, way_of: impl Fn(usize) -> Way) {
    let site = std::sync::Arc::new(site.clone());
    let mut clients = JoinSet::new();
    for number in 0..TOGETHER {
        let (site, way) = (std::sync::Arc::clone(&site), way_of(number));
        clients.spawn(async move {
            let nonce = format!("nonce-{number:04}-{:x}", number.wrapping_mul(0x9e37_79b9));
            let all = heard(&site, way, &nonce).await;
            assert_eq!(all.len(), 2, "{way:?}: {all:?}");
            let [told, reply] = &all[..] else {
                panic!("{all:?}");
            };
            assert_eq!(told["params"]["progressToken"], 0, "{told}");
            for message in &all {
                let text = message.to_string();
                assert_eq!(text.matches("nonce-").count(), 1, "{way:?}: {text}");
                assert!(text.contains(&nonce), "{way:?} {nonce}: {text}");
            }
            assert!(matches!(reply["id"].as_i64(), Some(0 | 1)), "{reply}");
        });
    }
    while let Some(client) = clients.join_next().await {
        client.unwrap();
    }
}

#[tokio::test]
async fn cve_2026_25536_replies_cross_between_clients_with_equal_ids() {
    for kind in crate::site::KINDS {
        let site = Site::start(kind).await;
        for way in WAYS {
            each_gets_its_own(&site, |_| way).await;
        }
    }
}

/// In the affected SDK, a second transport connected to the same server received the replies of the
/// first.
#[tokio::test]
async fn typescript_sdk_820_second_transport_takes_the_replies_of_the_first() {
    let site = Site::start(Kind::Own).await;
    for _ in 0..5 {
        each_gets_its_own(&site, |number| WAYS[number % WAYS.len()]).await;
    }
}

/// In the affected SDK, a second stream of a session displaced the first and received all its
/// messages.
#[tokio::test]
async fn cve_2026_33946_second_stream_displaces_the_first() {
    let site = Site::start(Kind::Own).await;
    let session = Session::open(site.address, None).await;
    let mut first = session.get().send().await;
    assert_eq!(first.status, 200);
    let second = session.get().send().await;
    assert!(matches!(second.status, 200 | 409), "{second:?}");
    let other = Session::open(site.address, None).await;
    let mut stranger = other.get().send().await;
    let touch = bare(1, "tools/call", json!({"name": "touch"}));
    assert_eq!(session.post(&touch).status().await, 200);
    let told = first.message().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
    // A client in another session is notified of the change, too, and of nothing else.
    let told = stranger.message().await;
    assert_eq!(told["method"], "notifications/tools/list_changed");
}

/// In the affected SDK, a second request with the id of a running one displaced it: cancellation
/// and reply went to the second.
#[tokio::test]
async fn ruby_sdk_hardening_duplicate_ids_in_flight() {
    let (server, probe) = server();
    let call = |text: &str| {
        let params = json!({"name": "wait", "arguments": {"text": text}});
        modern(7, "tools/call", params)
    };
    let mut stream = stream::open(&server);
    stream.send(&call("first")).await;
    probe.gate.holds(1).await;
    stream.send(&call("second")).await;
    let refused = stream.next().await;
    assert_eq!(refused["error"]["code"], -32600, "{refused}");
    assert_eq!(probe.gate.waiting(), 1);
    probe.gate.open(1);
    let reply = stream.next().await;
    assert_eq!(reply["result"]["content"][0]["text"], "first");
    assert!(stream::before_a_good_reply(&mut stream).await.is_empty());
}

/// The affected software used addresses in memory as session ids.
#[tokio::test]
async fn cve_2025_6515_predictable_session_ids() {
    let site = Site::start(Kind::Own).await;
    let mut seen = HashSet::new();
    let mut bits = [0_usize; 256];
    for _ in 0..200 {
        let session = Session::open(site.address, None).await.name;
        let endpoint = Events::open(site.address, None).await.endpoint;
        let (_, pipe) = endpoint.split_once("session=").unwrap();
        for name in [session, pipe.to_owned()] {
            assert!(name.bytes().all(|byte| byte.is_ascii_hexdigit()), "{name}");
            // An id has at least 122 bits.
            assert!(name.len() * 4 >= 122, "{name}");
            for (place, digit) in name.chars().enumerate().take(64) {
                let digit = digit.to_digit(16).unwrap();
                (0..4).for_each(|bit| bits[place * 4 + bit] += (digit as usize >> bit) & 1);
            }
            assert!(seen.insert(name));
        }
    }
    // Each of the first 122 bits is one about half of the time: 200 ± 80 of 400 is eight standard
    // deviations.
    for (place, ones) in bits.iter().take(122).enumerate() {
        assert!((120..=280).contains(ones), "bit {place}: {ones} of 400");
    }
}
