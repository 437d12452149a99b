//! Sessions: their ids, their owners, and their ends.

use plainly_peer::table::cases;
use std::time::Duration;

use plainly::server::Server;
use plainly_peer::message::{JSON, LEGACY, text};
use plainly_peer::{Gate, Site};
use serde_json::{Value, json};

use super::support::{call, initialize, request, serve, serve_users, server};

const EVENTS: &str = "Accept: text/event-stream\r\n";

fn plain() -> Server {
    server(&Gate::new(), |_| {})
}

/// Opens a session as the user of these headers, and returns the headers of its requests.
async fn open(http: &Site, revision: &str, user: &str) -> String {
    let opened = http.send("POST /mcp", user, initialize(revision)).await;
    format!("Mcp-Session-Id: {}\r\n{user}", opened.session())
}

async fn post(http: &Site, headers: &str, message: &Value) -> (u16, Value) {
    let mut reply = http.send("POST /mcp", headers, message).await;
    let body = reply.body().await;
    (
        reply.status,
        serde_json::from_str(&body).unwrap_or_default(),
    )
}

fn notification(method: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": method})
}

/// Returns all requests that a session accepts, each with its status.
fn all(last: &str) -> Vec<(&'static str, String, String, u16)> {
    let get = format!("{EVENTS}Last-Event-ID: {last}\r\n");
    vec![
        (
            "POST /mcp",
            JSON.into(),
            request(1, "ping").to_string(),
            200,
        ),
        (
            "POST /mcp",
            JSON.into(),
            notification("notifications/initialized").to_string(),
            202,
        ),
        (
            "POST /mcp",
            JSON.into(),
            json!({"jsonrpc": "2.0", "id": 1, "result": {}}).to_string(),
            202,
        ),
        (
            "POST /mcp",
            JSON.into(),
            json!([request(1, "ping")]).to_string(),
            200,
        ),
        // The server has no notifications to send, but it knows the session.
        ("GET /mcp", EVENTS.into(), String::new(), 405),
        ("GET /mcp", get, String::new(), 200),
        ("DELETE /mcp", String::new(), String::new(), 204),
    ]
}

#[tokio::test]
async fn the_version_header_is_heeded_where_the_revision_has_it() {
    let http = serve(&plain()).await;
    // Each case has the header, whether a revision with this header accepts it, and whether a
    // revision without it does.
    let cells = cases::<(&str, bool, bool)>(include_str!("sessions.txt"), "version headers");
    for (revision, has_header) in [
        ("2024-11-05", false),
        ("2025-03-26", false),
        ("2025-06-18", true),
        ("2025-11-25", true),
    ] {
        for &(header, with, without) in &cells {
            let is_good = if has_header { with } else { without };
            let session = open(&http, revision, "").await;
            for (line, headers, body, status) in all("0-0") {
                let is_batch = body.starts_with('[') && revision != "2025-03-26";
                let is_resuming = headers.contains("Last-Event-ID");
                if is_batch || is_resuming {
                    continue;
                }
                let expected = if is_good { status } else { 400 };
                let headers = format!("{headers}{session}{header}");
                let reply = http.bare(line, &headers, &body).await;
                assert_eq!(
                    reply.status, expected,
                    "{revision} {line} {header:?} {body}"
                );
            }
        }
    }
}

#[tokio::test]
async fn an_unclear_name_is_wrong_and_not_that_of_an_unknown_session() {
    let http = serve(&plain()).await;
    let session = open(&http, "2025-03-26", "").await;
    for unclear in [session.repeat(2), "Mcp-Session-Id: é\r\n".to_owned()] {
        for (line, headers, body, _) in all("0-0") {
            let headers = format!("{headers}{unclear}");
            let reply = http.bare(line, &headers, &body).await;
            assert_eq!(reply.status, 400, "{line} {unclear} {body}");
        }
    }
}

#[tokio::test]
async fn without_a_session_no_version_is_assumed_that_needs_one() {
    let http = serve(&plain()).await;
    for header in [
        "",
        "MCP-Protocol-Version: 2025-03-26\r\n",
        "MCP-Protocol-Version: 2025-11-25\r\n",
    ] {
        let (status, reply) = post(&http, header, &request(1, "ping")).await;
        let expected = (400, &json!(-32600));
        assert_eq!((status, &reply["error"]["code"]), expected, "{header}");
        // The new session has the negotiated version, whatever the header contains.
        let opened = http
            .bare(
                "POST /mcp",
                &format!("{JSON}{header}"),
                initialize("2024-11-05"),
            )
            .await;
        assert_eq!(opened.status, 200);
    }
}

#[tokio::test]
async fn a_session_is_its_openers_and_nobody_elses() {
    let gate = Gate::new();
    let http = serve_users(&server(&gate, |_| {})).await;
    let users = ["", "User: alice\r\n", "User: bob\r\n"];
    for opener in users {
        let session = open(&http, "2025-03-26", opener).await;
        let name = session.split_inclusive("\r\n").next().unwrap();
        gate.open(2);
        let steps = json!({"jsonrpc": "2.0", "id": 9, "method": "tools/call", "params": {
            "name": "steps", "arguments": {"count": 2}, "_meta": {"progressToken": 1}}});
        let mut stream = http
            .bare("POST /mcp", &format!("{JSON}{session}"), steps)
            .await;
        let first = stream.event().await.unwrap().id.unwrap();
        for other in users.into_iter().filter(|other| *other != opener) {
            for (line, headers, body, _) in all(&first) {
                let headers = format!("{headers}{name}{other}");
                let reply = http.bare(line, &headers, &body).await;
                assert_eq!(reply.status, 404, "{opener:?} {other:?} {line} {body}");
            }
        }
        for (line, headers, body, status) in all(&first) {
            let reply = http.bare(line, &format!("{headers}{session}"), &body).await;
            assert_eq!(reply.status, status, "{opener:?} {line} {body}");
        }
    }
}

#[tokio::test]
async fn a_stream_of_events_is_its_openers_and_nobody_elses() {
    let http = serve_users(&plain()).await;
    let users = ["", "User: alice\r\n", "User: bob\r\n"];
    for opener in users {
        let mut events = http
            .bare("GET /sse", &format!("{EVENTS}{opener}"), "")
            .await;
        let to = format!("POST {}", events.event().await.unwrap().data);
        let ping = request(1, "ping");
        for user in users {
            let reply = http.bare(&to, &format!("{JSON}{user}"), &ping).await;
            let expected = if user == opener { 202 } else { 404 };
            assert_eq!(reply.status, expected, "{opener:?} {user:?}");
        }
        assert_eq!(events.event().await.unwrap().json()["id"], 1);
    }
}

#[tokio::test]
async fn a_session_that_was_idle_too_long_is_gone_for_everything() {
    let http = serve(&server(&Gate::new(), |limits| {
        limits.sessions.idle = Duration::ZERO;
    }))
    .await;
    for revision in LEGACY {
        let count = all("1-1").len();
        for number in 0..count {
            let session = open(&http, revision, "").await;
            tokio::time::sleep(Duration::from_millis(2)).await;
            let (line, headers, body, _) = all("1-1").swap_remove(number);
            let reply = http.bare(line, &format!("{headers}{session}"), &body).await;
            assert_eq!(reply.status, 404, "{revision} {line} {body}");
        }
    }
}

#[tokio::test]
async fn requests_are_served_before_the_client_says_that_it_is_initialized_and_after_it_says_so_twice()
 {
    let http = serve(&plain()).await;
    for revision in LEGACY {
        let session = open(&http, revision, "").await;
        let (_, early) = post(&http, &session, &call(1, "echo", "early")).await;
        assert_eq!(text(&early), "early", "{revision}");
        for _ in 0..2 {
            let initialized = notification("notifications/initialized");
            let (status, nothing) = post(&http, &session, &initialized).await;
            assert_eq!((status, nothing), (202, Value::Null));
        }
        let (_, late) = post(&http, &session, &call(2, "echo", "late")).await;
        assert_eq!(text(&late), "late", "{revision}");
    }
}

#[tokio::test]
async fn who_initializes_again_has_two_sessions() {
    let http = serve(&plain()).await;
    let first = open(&http, "2025-11-25", "").await;
    let second = open(&http, "2024-11-05", &first).await;
    let second = second.split_inclusive("\r\n").next().unwrap();
    assert_ne!(first, second);
    for session in [first.as_str(), second] {
        assert_eq!(post(&http, session, &request(1, "ping")).await.0, 200);
    }
    let ended = http.bare("DELETE /mcp", second, "").await;
    assert_eq!(ended.status, 204);
    assert_eq!(post(&http, second, &request(1, "ping")).await.0, 404);
    assert_eq!(post(&http, &first, &request(1, "ping")).await.0, 200);
}
