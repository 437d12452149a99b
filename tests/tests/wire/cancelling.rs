//! Cancellation: by notification on a stream and in a session, by closing the connection over HTTP.
//! A request that is cancelled in time is never answered, and no other request is affected.

use http::HeaderMap;
use plainly::errors::Revision;
use plainly::transport::{Exchange, Frame};

use crate::fixture::Fixture;
use crate::sender::{Sender, call, cancel, initialize, say};
use crate::stream::Stream;

const NOTHING: [String; 0] = [];

#[tokio::test]
async fn a_running_request_of_a_stream_is_dropped_and_not_answered() {
    let fixture = Fixture::new();
    for sender in Sender::all() {
        let mut stream = Stream::careless(&fixture.server, sender).await;
        stream.send(say("1", "slow", "x")).await;
        stream.send(say("\"1\"", "slow", "y")).await;
        fixture.probe.gate.holds(2).await;
        // The reason is informative, so the request is cancelled even if it is invalid.
        stream.send(cancel("1").replace("\"test\"", "{}")).await;
        fixture.probe.gate.holds(1).await;
        // The first id is cancelled again, and the others belong to no running request.
        for id in ["1", "2", "\"\"", "null", "1.0", "{}"] {
            stream.send(cancel(id)).await;
        }
        assert_eq!(stream.before_a_good_reply("cancellation").await, NOTHING);
        fixture.probe.gate.open(1);
        let rest = stream.end().await;
        assert!(
            rest.len() == 1 && rest[0].contains(r#""id":"1","result""#),
            "{rest:?}"
        );
    }
}

#[tokio::test]
async fn what_is_cancelled_before_or_after_is_answered_as_ever() {
    let fixture = Fixture::new();
    for sender in Sender::all() {
        let mut stream = Stream::open(&fixture.server, sender).await;
        stream.send(cancel("1")).await;
        stream.send(say("1", "slow", "late")).await;
        fixture.probe.gate.holds(1).await;
        fixture.probe.gate.open(1);
        assert!(stream.next().await.contains("late"));
        stream.send(cancel("1")).await;
        assert!(
            stream
                .ask(&call("1", "canary", "{}"))
                .await
                .contains(r#""id":1,"result""#)
        );
        assert_eq!(stream.before_a_good_reply("cancellation").await, NOTHING);
    }
}

#[tokio::test]
async fn the_id_of_a_cancelled_request_is_free_at_once() {
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    stream.send(say("1", "slow", "first")).await;
    fixture.probe.gate.holds(1).await;
    stream.send(cancel("1")).await;
    stream.send(say("1", "slow", "second")).await;
    fixture.probe.gate.saw(2).await;
    fixture.probe.gate.holds(1).await;
    fixture.probe.gate.open(1);
    assert!(stream.next().await.contains("second"));
    assert_eq!(stream.end().await, NOTHING);
}

#[tokio::test]
async fn of_a_thousand_requests_each_is_answered_once_or_cancelled() {
    let fixture = Fixture::with_limits(|limits| limits.requests_per_connection = 1_000);
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    for id in 0..1_000 {
        stream.send(say(&id.to_string(), "slow", "x")).await;
        if id % 2 == 1 {
            stream.send(cancel(&(id / 2 * 2 + 1).to_string())).await;
        }
    }
    fixture.probe.gate.saw(1_000).await;
    fixture.probe.gate.holds(500).await;
    fixture.probe.gate.open(500);
    let mut ids: Vec<u64> = stream
        .end()
        .await
        .iter()
        .map(|reply| {
            let reply: serde_json::Value = serde_json::from_str(reply).unwrap();
            reply["id"].as_u64().unwrap()
        })
        .collect();
    ids.sort_unstable();
    let even: Vec<u64> = (0..1_000).step_by(2).collect();
    assert_eq!(ids, even);
}

#[tokio::test]
async fn closing_its_connection_cancels_a_modern_request_over_http() {
    let (fixture, http) = Fixture::listening().await;
    let client = http.client(Sender::Modern).await;
    for _ in 0..5 {
        let going = client.begin(say("1", "slow", "x")).await;
        let staying = client.begin(say("2", "slow", "y")).await;
        fixture.probe.gate.holds(2).await;
        drop(going);
        fixture.probe.gate.holds(1).await;
        fixture.probe.gate.open(1);
        assert!(staying.response().await.body.contains("y"));
        let good = client.send(say("1", "echo", "z")).await;
        assert_eq!(good.status, 200, "{good:?}");
    }
}

/// The future of an exchange is dropped, as the HTTP service does when a connection is lost.
#[tokio::test]
async fn a_lost_connection_cancels_no_request_of_a_session() {
    let fixture = Fixture::new();
    let gate = &fixture.probe.gate;
    for sender in Sender::legacy() {
        let revision = sender.revision();
        // Streams that outlive a connection came with 2025-03-26.
        if revision == Revision::V2024_11_05 {
            continue;
        }
        let opening = Frame::new(HeaderMap::new(), initialize("0", revision.as_str()).into());
        let opened = fixture.server.exchange(&opening).await;
        let session = opened.headers["mcp-session-id"].clone();
        let frame = |message: String| {
            let mut headers = HeaderMap::new();
            headers.insert("mcp-session-id", session.clone());
            Frame::new(headers, sender.fill(message.as_bytes()).into())
        };
        let request = frame(say("1", "slow", "x"));
        for ends in [false, true] {
            tokio::select! {
                reply = fixture.server.exchange(&request) => panic!("{reply:?}"),
                () = gate.holds(1) => {}
            }
            assert_eq!(gate.waiting(), 1, "{revision}");
            if ends {
                gate.open(1);
            } else {
                fixture.server.exchange(&frame(cancel("1"))).await;
            }
            gate.holds(0).await;
        }
    }
}

#[tokio::test]
async fn a_session_cancels_by_notification_and_only_its_own() {
    let (fixture, http) = Fixture::listening().await;
    for sender in Sender::legacy() {
        let client = http.client(sender).await;
        let other = http.client(sender).await;
        let cancelled = client.begin(say("1", "slow", "mine")).await;
        let others = other.begin(say("1", "slow", "other's")).await;
        fixture.probe.gate.holds(2).await;
        for id in ["2", "\"1\""] {
            assert_eq!(client.send(cancel(id)).await.status, 202);
        }
        assert_eq!(client.send(cancel("1")).await.status, 202);
        let response = cancelled.response().await;
        assert!(
            response.status == 202 && response.body.is_empty(),
            "{response:?}"
        );
        fixture.probe.gate.holds(1).await;
        fixture.probe.gate.open(1);
        assert!(others.response().await.body.contains("other's"));
    }
}

#[tokio::test]
async fn an_id_in_flight_is_refused_in_a_session_and_free_again_once_it_is_cancelled() {
    let (fixture, http) = Fixture::listening().await;
    let client = http.client(Sender::Legacy("2025-11-25")).await;
    let first = client.begin(say("1", "slow", "first")).await;
    fixture.probe.gate.holds(1).await;
    let refused = client.send(say("1", "slow", "again")).await.json();
    assert_eq!(refused["error"]["data"]["kind"], "duplicate_id");
    client.send(cancel("1")).await;
    assert_eq!(first.response().await.status, 202);
    let second = client.begin(say("1", "slow", "second")).await;
    fixture.probe.gate.holds(1).await;
    fixture.probe.gate.open(1);
    assert!(second.response().await.body.contains("second"));
}

#[tokio::test]
async fn a_session_cancels_requests_of_batches_and_by_batches() {
    let (fixture, http) = Fixture::listening().await;
    let client = http.client(Sender::Legacy("2025-03-26")).await;
    for cancelling in [cancel("1"), format!("[{}]", cancel("1"))] {
        let batch = format!("[{},{}]", say("1", "slow", "x"), say("2", "echo", "y"));
        let batch = client.begin(batch).await;
        fixture.probe.gate.holds(1).await;
        assert_eq!(client.send(cancelling).await.status, 202);
        let replies = batch.response().await.json();
        assert_eq!(replies.as_array().unwrap().len(), 1);
        assert_eq!(replies[0]["id"], 2);
    }
}

#[tokio::test]
async fn without_a_session_a_notification_cancels_nothing() {
    let (fixture, http) = Fixture::listening().await;
    let client = http.client(Sender::Modern).await;
    let running = client.begin(say("1", "slow", "modern")).await;
    fixture.probe.gate.holds(1).await;
    assert_eq!(client.send(cancel("1")).await.status, 202);
    assert_eq!(client.post("", cancel("1").as_bytes()).await.status, 202);
    fixture.probe.gate.open(1);
    assert!(running.response().await.body.contains("modern"));
}
