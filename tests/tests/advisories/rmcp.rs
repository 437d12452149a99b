//! What the official Rust SDK had to mend, and what its source still shows: on the side of the server.

use std::collections::HashSet;

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::runtime::Handle;
use tower::ServiceExt;

use crate::http::{Attempt, Session, bare, initialize, modern, posted};
use crate::site::{KINDS, Kind, Site, server};
use crate::stream;
use crate::within;

fn code(reply: &Value) -> Option<i64> {
    reply["error"]["code"].as_i64()
}

fn call(id: impl Into<Value>, tool: &str, text: &str) -> Value {
    let params = json!({"name": tool, "arguments": {"text": text}});
    modern(id, "tools/call", params)
}

/// There a reader that was not safe to cancel lost requests while responses were written.
#[tokio::test]
async fn rmcp_947_requests_lost_under_concurrent_replies() {
    let (server, _) = server();
    let mut stream = stream::open(&server);
    let all = 1_000;
    let mut answered = HashSet::new();
    let mut sent = 0;
    while answered.len() < all {
        // Never more in flight than a connection may have.
        while sent < all && sent - answered.len() < 60 {
            let line = format!("{}\n", call(sent, "echo", &format!("text {sent}")));
            for part in line.as_bytes().chunks(97) {
                stream.write(part).await;
                tokio::task::yield_now().await;
            }
            sent += 1;
        }
        let reply = stream.next().await;
        let id = reply["id"].as_u64().unwrap();
        assert_eq!(reply["result"]["content"][0]["text"], format!("text {id}"));
        assert!(answered.insert(id), "twice: {reply}");
    }
}

/// There the tasks that had sent something were never taken away.
#[tokio::test]
async fn rmcp_1026_finished_tasks_never_reaped() {
    let (server, _) = server();
    let site = Site::start(Kind::Own).await;
    let mut stream = stream::open(&server);
    let alive = || Handle::current().metrics().num_alive_tasks();
    let session = Session::open(site.address, None).await;
    let mut before = None;
    for round in 0..3 {
        for number in 0..100 {
            stream.send(&call(number, "echo", "x")).await;
            stream.next().await;
            let echo = Attempt::call(site.address, "echo", json!({"text": "x"}));
            assert_eq!(echo.status().await, 200);
            let echo = bare(number, "tools/call", json!({"name": "touch"}));
            assert_eq!(session.post(&echo).status().await, 200);
        }
        let before = *before.get_or_insert_with(alive);
        within(async {
            while alive() > before {
                tokio::task::yield_now().await;
            }
        })
        .await;
        assert!(alive() < 30, "round {round}: {}", alive());
    }
}

#[tokio::test]
async fn rmcp_914_responses_to_nothing() {
    let (server, _) = server();
    for mut stream in [stream::open(&server), stream::legacy(&server).await] {
        for id in [json!(1), json!("x"), json!(0), json!(-1)] {
            stream
                .send(&json!({"jsonrpc": "2.0", "id": id, "result": {}}))
                .await;
            let error = json!({"code": -32603, "message": "x"});
            stream
                .send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
                .await;
        }
        assert!(stream::before_a_good_reply(&mut stream).await.is_empty());
    }
}

/// There each handshake that failed left a session behind. Here more of them than there may be sessions leave the first
/// good one alone, which would be the first to go.
#[tokio::test]
async fn rmcp_934_sessions_of_failed_handshakes() {
    let (server, _) = server();
    let service = server.http();
    let post = async |session: Option<&str>, body: &Value| {
        let mut request = posted(body.to_string());
        if let Some(session) = session {
            let headers = request.headers_mut();
            headers.insert("Mcp-Session-Id", session.parse().unwrap());
        }
        service.clone().oneshot(request).await.unwrap()
    };
    let opened = post(None, &initialize()).await;
    let name = opened.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let mut wrong = initialize();
    wrong["params"]["clientInfo"] = json!(5);
    for _ in 0..10_100 {
        let refused = post(None, &wrong).await;
        assert!(!refused.headers().contains_key("mcp-session-id"));
    }
    let ping = post(Some(&name), &bare(1, "ping", json!({}))).await;
    assert_eq!(ping.status(), 200);
}

/// There a notification that came while nobody was waiting yet was lost.
#[tokio::test]
async fn rmcp_611_lost_wake_up() {
    let (server, _) = server();
    let mut listeners = Vec::new();
    for _ in 0..32 {
        let mut stream = stream::open(&server);
        let filter = json!({"notifications": {"toolsListChanged": true}});
        stream
            .send(&modern(1, "subscriptions/listen", filter))
            .await;
        let first = stream.next().await;
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
        listeners.push(stream);
    }
    let mut caller = stream::open(&server);
    for _ in 0..20 {
        caller
            .send(&modern(1, "tools/call", json!({"name": "touch"})))
            .await;
        caller.next().await;
        for listener in &mut listeners {
            let told = listener.next().await;
            assert_eq!(told["method"], "notifications/tools/list_changed");
        }
    }
}

/// There what ran when standard input ended was dropped without an answer.
#[tokio::test]
async fn rmcp_759_requests_in_flight_at_the_end_of_input() {
    let (server, probe) = server();
    let mut stream = stream::open(&server);
    for id in 0..10 {
        stream.send(&call(id, "wait", "late")).await;
    }
    probe.gate.holds(10).await;
    stream.finish().await;
    probe.gate.open(10);
    let mut answered = HashSet::new();
    while let Some(line) = stream.line().await {
        let reply: Value = serde_json::from_str(&line).unwrap();
        assert_eq!(reply["result"]["content"][0]["text"], "late");
        answered.insert(reply["id"].as_u64().unwrap());
    }
    assert_eq!(answered, (0..10).collect());
}

#[tokio::test]
async fn rmcp_957_replies_to_cancelled_requests() {
    let (server, probe) = server();
    let mut stream = stream::open(&server);
    for id in 0..20 {
        stream.send(&call(id, "wait", "x")).await;
        probe.gate.holds(1).await;
        let params = json!({"requestId": id});
        let cancel =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        stream.send(&cancel).await;
        probe.gate.holds(0).await;
        assert!(stream::before_a_good_reply(&mut stream).await.is_empty());
    }
}

#[tokio::test]
async fn rmcp_967_work_goes_on_for_who_is_gone() {
    for kind in KINDS {
        let site = Site::start(kind).await;
        let attempt = Attempt::call(site.address, "wait", json!({"text": "x"}));
        let body = call(1, "wait", "x").to_string();
        let mut gone = TcpStream::connect(site.address).await.unwrap();
        let attempt = attempt.with("Content-Length", body.len().to_string());
        let text = attempt.head() + &body;
        gone.write_all(text.as_bytes()).await.unwrap();
        site.probe.gate.holds(1).await;
        drop(gone);
        site.probe.gate.holds(0).await;
    }
}

/// There two peers that answer each other's errors with errors went on for ever; before that, the first line that was no
/// JSON closed the connection.
#[tokio::test]
async fn rmcp_940_storm_of_parse_errors() {
    let (server, _) = server();
    let mut stream = stream::open(&server);
    let error = r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"Parse error"}}"#;
    for _ in 0..2_000 {
        stream.write(format!("{error}\n").as_bytes()).await;
    }
    let answers = stream::before_a_good_reply(&mut stream).await;
    assert!(answers.is_empty(), "{} answers to errors", answers.len());
    let mut noise = tokio::spawn(async move {
        for _ in 0..5_000 {
            stream.write(b"no JSON\n").await;
        }
        stream::before_a_good_reply(&mut stream).await.len()
    });
    // A hundred at once, and then no more than ten a second.
    let answers = within(&mut noise).await.unwrap();
    assert!((1..=250).contains(&answers), "{answers}");
}

/// There a request without the header was taken for one of an older revision, and so escaped the rules of its own.
#[tokio::test]
async fn rmcp_1083_request_without_its_version_header() {
    for kind in KINDS {
        let site = Site::start(kind).await;
        for attempt in [
            Attempt::call(site.address, "canary", json!({})).without("MCP-Protocol-Version"),
            Attempt::call(site.address, "canary", json!({})).without("Mcp-Method"),
            Attempt::call(site.address, "canary", json!({})).without("Mcp-Name"),
            Attempt::call(site.address, "canary", json!({})).with("Mcp-Name", "echo"),
            Attempt::call(site.address, "canary", json!({})).with("Mcp-Method", "tools/list"),
            Attempt::call(site.address, "canary", json!({})).and("Mcp-Name", "canary"),
            Attempt::call(site.address, "canary", json!({}))
                .with("MCP-Protocol-Version", "2025-06-18"),
        ] {
            let answer = attempt.send().await;
            assert_eq!(answer.status, 400, "{attempt:?}");
            let reply: Value = serde_json::from_str(&answer.rest().await).unwrap();
            assert_eq!(code(&reply), Some(-32020), "{attempt:?}: {reply}");
        }
        assert_eq!(site.probe.ran(), 0);
    }
}

/// What its source shows: invalid JSON is answered with 415 and text.
#[tokio::test]
async fn rmcp_invalid_json_is_no_wrong_media_type() {
    for kind in KINDS {
        let site = Site::start(kind).await;
        let attempt = Attempt::post(site.address, "/mcp", "{\"jsonrpc\":");
        let answer = attempt.send().await;
        assert_eq!(answer.status, 400);
        assert_eq!(answer.header("content-type"), Some("application/json"));
        let reply: Value = serde_json::from_str(&answer.rest().await).unwrap();
        assert_eq!(code(&reply), Some(-32700));
        assert!(reply.get("id").is_none_or(Value::is_null));
    }
}

/// What its source shows: media types are compared by how they begin, and by whether they are somewhere in it.
#[tokio::test]
async fn rmcp_media_types_compared_by_their_beginning() {
    for kind in KINDS {
        let site = Site::start(kind).await;
        let good = Attempt::call(site.address, "canary", json!({}));
        for content_type in [
            "application/jsonfoo",
            "application/json5",
            "application/json/x",
        ] {
            let status = good
                .clone()
                .with("Content-Type", content_type)
                .status()
                .await;
            assert_eq!(status, 415, "{content_type}");
        }
        for accept in [
            "application/jsonfoo, text/event-streams",
            "x-application/json",
            "text/html",
        ] {
            let status = good.clone().with("Accept", accept).status().await;
            assert_eq!(status, 406, "{accept}");
        }
        assert_eq!(site.probe.ran(), 0);
        let loud = good.with("Content-Type", "Application/JSON");
        assert_eq!((loud.status().await, site.probe.ran()), (200, 1));
    }
}

/// What escapes to a terminal in a log is written out, whoever said it.
#[tokio::test]
async fn rustsec_2025_0055_escapes_of_peers_in_the_log() {
    let (log, _guard) = crate::log::Log::capture();
    let site = Site::start(Kind::Own).await;
    let mut stream = stream::open(&site.server);
    let escape = "\u{1b}]0;pwned\u{7}\u{1b}[2J\r\n\u{202e}";
    stream
        .send(&modern(escape, escape, json!({"name": escape})))
        .await;
    stream.send(&call(1, escape, escape)).await;
    stream
        .send(&modern(2, "resources/read", json!({"uri": escape})))
        .await;
    stream::before_a_good_reply(&mut stream).await;
    Attempt::post(site.address, "/mcp", modern(escape, escape, json!({})))
        .with("Origin", "http://evil.example")
        .send()
        .await;
    let text = log.text();
    let raw = |sign: char| sign.is_control() && sign != '\n';
    assert!(!text.contains(raw), "{text:?}");
}
