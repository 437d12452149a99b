//! Streams of a request that lost their connection, or that the server closed.

use std::collections::HashSet;
use std::time::Duration;

use plainly::limits::Limits;
use plainly::server::Keys;
use plainly_cluster::InProcess;
use serde_json::{Value, json};

use plainly_peer::message::{JSON, LEGACY, text};
use plainly_peer::{Event, Gate, Response, Site, within};

use super::support::{answer, builder, initialize, serve, server};

const RESUMABLE: [&str; 3] = ["2025-03-26", "2025-06-18", "2025-11-25"];

/// A client with a session.
struct Client<'a> {
    http: &'a Site,
    revision: &'static str,
    session: String,
}

impl<'a> Client<'a> {
    async fn open(http: &'a Site, revision: &'static str) -> Self {
        let opened = http.send("POST /mcp", "", initialize(revision)).await;
        Self {
            http,
            revision,
            session: format!("Mcp-Session-Id: {}\r\n", opened.session()),
        }
    }

    /// Returns the same client, which now uses another server.
    fn at<'b>(&self, http: &'b Site) -> Client<'b> {
        Client {
            http,
            revision: self.revision,
            session: self.session.clone(),
        }
    }

    async fn post(&self, message: &Value) -> Response {
        self.http.send("POST /mcp", &self.session, message).await
    }

    async fn get(&self, last_event_id: &str) -> Response {
        let session = &self.session;
        let headers =
            format!("Accept: text/event-stream\r\n{session}Last-Event-ID: {last_event_id}\r\n");
        self.http.bare("GET /mcp", &headers, "").await
    }

    /// Resumes after an event. Skips the event with only an id that may come first.
    async fn resume(&self, last: &Event) -> Response {
        let id = last.id.as_deref().unwrap();
        let mut resumed = self.get(id).await;
        assert_eq!(resumed.status, 200, "{id}: {resumed:?}");
        if self.has_primer() {
            let primer = resumed.event().await.unwrap();
            assert_eq!((primer.id.as_deref(), &*primer.data), (Some(id), ""));
        }
        resumed
    }

    fn has_primer(&self) -> bool {
        self.revision == "2025-11-25"
    }

    /// Returns the first event with a message, and skips the primer without one.
    async fn first(&self, response: &mut Response) -> Event {
        assert_eq!(response.status, 200, "{response:?}");
        if self.has_primer() {
            let primer = response.event().await.unwrap();
            assert!(primer.id.is_some() && primer.retry.is_some(), "{primer:?}");
            assert_eq!(primer.data, "");
        }
        response.event().await.unwrap()
    }
}

fn steps(id: u64, count: u32) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": "steps",
        "arguments": {"count": count},
        "_meta": {"progressToken": id},
    }})
}

fn call(id: u64, tool: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {
        "name": tool,
        "_meta": {"progressToken": id},
    }})
}

/// Returns the progress in a message.
fn step(event: &Event) -> u64 {
    let message = event.json();
    assert_eq!(message["method"], "notifications/progress");
    message["params"]["progress"].as_f64().unwrap() as u64
}

async fn listening(gate: &Gate, change: impl FnOnce(&mut Limits)) -> Site {
    serve(&server(gate, change)).await
}

#[tokio::test]
async fn events_are_numbered_within_their_stream_and_never_twice_in_a_session() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    gate.open(1_000);
    for revision in RESUMABLE {
        let client = Client::open(&http, revision).await;
        let mut seen = HashSet::new();
        for id in 1..=3 {
            let mut stream = client.post(&steps(id, 2)).await;
            let mut streams = HashSet::new();
            let mut count = 0;
            while let Some(event) = stream.event().await {
                let event_id = event.id.unwrap();
                streams.insert(event_id.split('-').next().unwrap().to_owned());
                assert!(seen.insert(event_id));
                count += 1;
            }
            assert_eq!(streams.len(), 1);
            assert_eq!(count, if client.has_primer() { 4 } else { 3 });
        }
    }
}

#[tokio::test]
async fn revisions_that_do_not_have_it_have_no_ids() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    gate.open(1_000);
    let client = Client::open(&http, "2024-11-05").await;
    let mut modern = call(1, "steps");
    modern["params"]["arguments"] = json!({"count": 2});
    modern["params"]["_meta"] = json!({
        "progressToken": 1,
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let headers = format!(
        "{JSON}MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: steps\r\n"
    );
    for mut stream in [
        client.post(&steps(1, 2)).await,
        http.bare("POST /mcp", &headers, modern).await,
    ] {
        let mut events = Vec::new();
        while let Some(event) = stream.event().await {
            assert_eq!((&event.id, event.retry), (&None, None));
            events.push(event);
        }
        assert_eq!(events.len(), 3);
    }
}

#[tokio::test]
async fn a_reply_without_a_word_before_it_needs_no_stream() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    gate.open(1);
    let client = Client::open(&http, "2025-11-25").await;
    let mut reply = client.post(&steps(1, 0)).await;
    assert_eq!(reply.header("content-type"), Some("application/json"));
    assert_eq!(text(&reply.json().await), "0 steps");
}

#[tokio::test]
async fn who_lost_the_connection_hears_what_followed_and_the_rest_as_it_comes() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    for revision in RESUMABLE {
        let client = Client::open(&http, revision).await;
        let mut stream = client.post(&steps(1, 4)).await;
        let first = client.first(&mut stream).await;
        assert_eq!(step(&first), 1);
        drop(stream);
        // The handler continues, although no client is connected.
        gate.open(2);
        gate.holds(1).await;
        let mut again = client.resume(&first).await;
        assert_eq!(step(&again.event().await.unwrap()), 2);
        let third = again.event().await.unwrap();
        assert_eq!(step(&third), 3);
        gate.open(1);
        assert_eq!(step(&again.event().await.unwrap()), 4);
        drop(again);
        gate.open(1);
        let mut last = client.resume(&third).await;
        assert_eq!(step(&last.event().await.unwrap()), 4);
        let reply = last.event().await.unwrap();
        assert_eq!(text(&reply.json()), "4 steps");
        assert_eq!(last.event().await, None);
        // All events can be read again for a while, but nothing follows the last event.
        let mut all = client.resume(&first).await;
        for expected in 2..=4 {
            assert_eq!(step(&all.event().await.unwrap()), expected);
        }
        assert_eq!(all.event().await.unwrap(), reply);
        assert_eq!(client.resume(&reply).await.event().await, None);
    }
}

#[tokio::test]
async fn who_comes_back_to_another_replica_hears_the_rest_there() {
    let (engine, gate) = (InProcess::new(), Gate::new());
    let replica = async || {
        let builder = builder(&gate, |_| {}).keys(Keys::new([1; 32]));
        serve(&builder.cluster(engine.replica()).build().unwrap()).await
    };
    let [one, other] = [replica().await, replica().await];
    for revision in RESUMABLE {
        let here = Client::open(&one, revision).await;
        let there = here.at(&other);
        let mut stream = here.post(&steps(1, 4)).await;
        let first = here.first(&mut stream).await;
        drop(stream);
        gate.open(2);
        gate.holds(1).await;
        let mut again = there.resume(&first).await;
        assert_eq!(step(&again.event().await.unwrap()), 2);
        let third = again.event().await.unwrap();
        assert_eq!(step(&third), 3);
        gate.open(1);
        assert_eq!(step(&again.event().await.unwrap()), 4);
        drop(again);
        let mut back = here.resume(&third).await;
        assert_eq!(step(&back.event().await.unwrap()), 4);
        drop(back);
        gate.open(1);
        let mut last = there.resume(&third).await;
        assert_eq!(step(&last.event().await.unwrap()), 4);
        let reply = last.event().await.unwrap();
        assert_eq!(text(&reply.json()), "4 steps");
        assert_eq!(last.event().await, None);
        assert_eq!(there.resume(&reply).await.event().await, None);
        let stranger = Client::open(&other, revision).await;
        let id = first.id.as_deref().unwrap();
        assert_eq!(stranger.get(id).await.status, 400);
    }
}

#[tokio::test]
async fn a_stream_is_resumed_alone() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    let client = Client::open(&http, "2025-11-25").await;
    let mut firsts = Vec::new();
    for id in 1..=5 {
        let mut stream = client.post(&steps(id, 1)).await;
        firsts.push((id, client.first(&mut stream).await));
    }
    gate.open(5);
    for (id, first) in firsts.into_iter().rev() {
        let mut stream = client.resume(&first).await;
        assert_eq!(stream.event().await.unwrap().json()["id"], id);
        assert_eq!(stream.event().await, None);
    }
}

#[tokio::test]
async fn who_comes_again_takes_the_place_of_who_is_still_there() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    let client = Client::open(&http, "2025-11-25").await;
    let mut stream = client.post(&steps(1, 2)).await;
    let first = client.first(&mut stream).await;
    let mut again = client.resume(&first).await;
    assert_eq!(stream.event().await, None);
    gate.open(1);
    let second = again.event().await.unwrap();
    assert_eq!(step(&second), 2);
    drop(stream);
    gate.open(1);
    assert_eq!(text(&again.event().await.unwrap().json()), "2 steps");
}

#[tokio::test]
async fn a_handler_lets_its_client_poll() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    let client = Client::open(&http, "2025-11-25").await;
    let mut stream = client.post(&call(1, "polled")).await;
    assert_eq!(stream.header("content-type"), Some("text/event-stream"));
    let primer = stream.event().await.unwrap();
    assert!(primer.retry.is_some_and(|retry| retry > 0), "{primer:?}");
    assert_eq!(primer.data, "");
    assert_eq!(stream.event().await, None, "it closes");
    // The client polls before the next message is there, and after.
    let mut polled = client.resume(&primer).await;
    gate.open(1);
    let progress = polled.event().await.unwrap();
    assert_eq!(step(&progress), 1);
    assert_eq!(polled.event().await, None, "it closes again");
    gate.open(1);
    gate.holds(0).await;
    let mut polled = client.resume(&progress).await;
    assert_eq!(text(&polled.event().await.unwrap().json()), "polled");
    assert_eq!(polled.event().await, None);
}

#[tokio::test]
async fn our_own_client_polls() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    let url = format!("http://{}/mcp", http.address);
    let client = plainly::Client::http(url).revision(plainly::Revision::V2025_11_25);
    let client = client.connect().await.unwrap();
    gate.open(2);
    let result = within(async { client.call_tool("polled", ()).await }).await;
    let content = serde_json::to_value(&result.unwrap().content).unwrap();
    assert_eq!(content[0]["text"], "polled");
}

#[tokio::test]
async fn the_replies_to_a_batch_are_heard_again_as_one() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    let client = Client::open(&http, "2025-03-26").await;
    let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
    let mut stream = client.post(&json!([steps(1, 2), ping])).await;
    let first = client.first(&mut stream).await;
    drop(stream);
    gate.open(2);
    let mut again = client.resume(&first).await;
    assert_eq!(step(&again.event().await.unwrap()), 2);
    let replies = again.event().await.unwrap().json();
    let expected = (&json!(1), &json!(2));
    assert_eq!((&replies[0]["id"], &replies[1]["id"]), expected);
    assert_eq!(again.event().await, None);
}

#[tokio::test]
async fn who_can_not_poll_is_kept_waiting_as_ever() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    for revision in LEGACY {
        if revision == "2025-11-25" {
            continue;
        }
        gate.open(2);
        let client = Client::open(&http, revision).await;
        let mut stream = client.post(&call(1, "polled")).await;
        let progress = stream.event().await.unwrap();
        assert_eq!((step(&progress), progress.retry), (1, None));
        assert_eq!(text(&stream.event().await.unwrap().json()), "polled");
        assert_eq!(stream.event().await, None);
    }
}

#[tokio::test]
async fn a_question_is_heard_again_and_answered_on_another_connection() {
    let http = listening(&Gate::new(), |_| {}).await;
    for revision in RESUMABLE {
        let client = Client::open(&http, revision).await;
        let mut stream = client.post(&call(1, "roots")).await;
        let asked = client.first(&mut stream).await;
        drop(stream);
        let stream = asked.id.as_deref().unwrap().split('-').next().unwrap();
        let before = Event {
            id: Some(format!("{stream}-0")),
            ..Event::default()
        };
        let mut again = client.resume(&before).await;
        let question = again.event().await.unwrap();
        assert_eq!(question.data, asked.data);
        assert_eq!(client.post(&answer(&question.json())).await.status, 202);
        let reply = again.event().await.unwrap();
        assert_eq!(text(&reply.json()), "file:///home/ada");
        assert_eq!(again.event().await, None);
    }
}

#[tokio::test]
async fn what_is_not_kept_is_said_at_once() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    let client = Client::open(&http, "2025-11-25").await;
    let other = Client::open(&http, "2025-11-25").await;
    let mut stream = client.post(&steps(1, 1)).await;
    let first = client.first(&mut stream).await.id.unwrap();
    let (number, event) = first.split_once('-').unwrap();
    let beyond = format!("{number}-{}", event.parse::<u64>().unwrap() + 1);
    for (client, id) in [
        (&client, beyond.as_str()),
        (&client, &format!("{number}-18446744073709551616")),
        (&client, &format!("{number}--1")),
        (&client, "9-0"),
        (&client, number),
        (&client, ""),
        (&client, "-"),
        (&client, "x"),
        (&client, "é"),
        (&client, &"1".repeat(10_000)),
        (&client, &format!("{first}\r\nLast-Event-ID: {first}")),
        (&other, &first),
    ] {
        let mut refused = client.get(id).await;
        assert_eq!(refused.status, 400, "{id}: {refused:?}");
        assert_eq!(refused.json().await["error"]["code"], -32600, "{id}");
    }
    gate.open(1);
    assert_eq!(text(&stream.event().await.unwrap().json()), "1 steps");
}

#[tokio::test]
async fn it_is_kept_for_so_long() {
    let gate = Gate::new();
    let http = listening(&gate, |limits| limits.resumption.ttl = Duration::ZERO).await;
    let client = Client::open(&http, "2025-11-25").await;
    let mut stream = client.post(&steps(1, 1)).await;
    let first = client.first(&mut stream).await;
    drop(stream);
    client.resume(&first).await;
    gate.open(1);
    let gone = async {
        while client.get(first.id.as_deref().unwrap()).await.status != 400 {
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    within(gone).await;
}

#[tokio::test]
async fn what_nobody_hears_is_kept_up_to_a_limit_and_no_handler_waits_for_it() {
    let gate = Gate::new();
    let http = listening(&gate, |limits| limits.resumption.bytes = 100 << 10).await;
    let client = Client::open(&http, "2025-11-25").await;
    let mut stream = client.post(&call(1, "flood")).await;
    let first = client.first(&mut stream).await.id.unwrap();
    drop(stream);
    // The handler has sent all messages.
    gate.holds(1).await;
    assert_eq!(client.get(&first).await.status, 400);
    let stream = first.split('-').next().unwrap();
    let mut late = client.get(&format!("{stream}-990")).await;
    late.event().await;
    for expected in 991..=1_000 {
        assert_eq!(step(&late.event().await.unwrap()), expected);
    }
    gate.open(1);
    assert_eq!(text(&late.event().await.unwrap().json()), "flooded");
}

#[tokio::test]
async fn who_hears_more_than_is_kept_loses_nothing() {
    let gate = Gate::new();
    let http = listening(&gate, |limits| limits.resumption.events = 20).await;
    let client = Client::open(&http, "2025-11-25").await;
    gate.open(1);
    let mut stream = client.post(&call(1, "flood")).await;
    for expected in 1..=1_000 {
        let event = match expected {
            1 => client.first(&mut stream).await,
            _ => stream.event().await.unwrap(),
        };
        assert_eq!(step(&event), expected);
    }
    assert_eq!(text(&stream.event().await.unwrap().json()), "flooded");
}

#[tokio::test]
async fn a_session_runs_no_more_requests_than_allowed_and_none_under_an_id_that_is_taken() {
    let gate = Gate::new();
    let http = listening(&gate, |limits| limits.requests_per_connection = 2).await;
    let client = Client::open(&http, "2025-11-25").await;
    let mut streams = Vec::new();
    for id in 1..=2 {
        let mut stream = client.post(&steps(id, 1)).await;
        client.first(&mut stream).await;
        streams.push(stream);
    }
    for (id, kind) in [(3, "overloaded"), (1, "duplicate_id")] {
        let refused = client.post(&steps(id, 1)).await.json().await;
        assert_eq!(refused["error"]["data"]["kind"], kind, "{refused}");
    }
    gate.holds(2).await;
    gate.open(2);
    gate.holds(0).await;
    drop(streams);
    let mut again = client.post(&steps(1, 1)).await;
    client.first(&mut again).await;
}

#[tokio::test]
async fn a_request_is_cancelled_by_a_notification_and_not_by_silence() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    for revision in RESUMABLE {
        let client = Client::open(&http, revision).await;
        let mut stream = client.post(&steps(1, 2)).await;
        let first = client.first(&mut stream).await;
        gate.holds(1).await;
        drop(stream);
        // Another request of the session is answered while this one still runs.
        let ping = json!({"jsonrpc": "2.0", "id": 2, "method": "ping"});
        assert_eq!(client.post(&ping).await.status, 200);
        gate.holds(1).await;
        let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": {"requestId": 1}});
        assert_eq!(client.post(&cancel).await.status, 202);
        gate.holds(0).await;
        let mut over = client.resume(&first).await;
        assert_eq!(over.event().await, None);
    }
}

#[tokio::test]
async fn the_end_of_the_session_is_the_end_of_its_streams() {
    let gate = Gate::new();
    let http = listening(&gate, |_| {}).await;
    let client = Client::open(&http, "2025-11-25").await;
    let mut heard = client.post(&steps(1, 2)).await;
    let first = client.first(&mut heard).await;
    let mut unheard = client.post(&steps(2, 2)).await;
    client.first(&mut unheard).await;
    drop(unheard);
    gate.holds(2).await;
    let ended = http.bare("DELETE /mcp", &client.session, "").await;
    assert_eq!(ended.status, 204);
    assert_eq!(heard.event().await, None);
    gate.holds(0).await;
    assert_eq!(client.get(first.id.as_deref().unwrap()).await.status, 404);
}

#[tokio::test]
async fn a_session_is_not_idle_while_something_runs() {
    let gate = Gate::new();
    let idle = Duration::from_secs(1);
    let http = listening(&gate, |limits| {
        limits.sessions.idle = idle;
        limits.resumption.ttl = Duration::ZERO;
    })
    .await;
    let client = Client::open(&http, "2025-11-25").await;
    let mut stream = client.post(&steps(1, 1)).await;
    let first = client.first(&mut stream).await;
    drop(stream);
    tokio::time::sleep(idle + idle / 4).await;
    let mut again = client.resume(&first).await;
    gate.open(1);
    assert_eq!(text(&again.event().await.unwrap().json()), "1 steps");
    drop(again);
    tokio::time::sleep(idle + idle / 4).await;
    assert_eq!(client.get(first.id.as_deref().unwrap()).await.status, 404);
}

#[tokio::test]
async fn at_the_end_of_the_server_what_is_heard_ends_with_a_reply() {
    let gate = Gate::new();
    let mut http = listening(&gate, |_| {}).await;
    let client = Client::open(&http, "2025-11-25").await;
    let mut stream = client.post(&steps(1, 2)).await;
    client.first(&mut stream).await;
    gate.holds(1).await;
    http.stop();
    let last = stream.event().await.unwrap().json();
    assert_eq!((&last["id"], last["error"].is_object()), (&json!(1), true));
    assert_eq!(stream.event().await, None);
    within(http.serving).await.unwrap().unwrap();
}

#[tokio::test]
async fn at_the_end_of_the_server_a_question_is_withdrawn_before_the_reply() {
    for revision in RESUMABLE {
        let mut http = listening(&Gate::new(), |_| {}).await;
        let client = Client::open(&http, revision).await;
        let mut stream = client.post(&call(1, "roots")).await;
        let question = client.first(&mut stream).await.json();
        http.stop();
        let withdrawn = stream.event().await.unwrap().json();
        assert_eq!(withdrawn["method"], "notifications/cancelled");
        assert_eq!(withdrawn["params"]["requestId"], question["id"]);
        let last = stream.event().await.unwrap().json();
        assert_eq!((&last["id"], last["error"].is_object()), (&json!(1), true));
        assert_eq!(stream.event().await, None);
    }
}
