//! HTTP with SSE, the transport of 2024-11-05.

use std::collections::HashSet;

use plainly::server::Server;
use plainly_peer::message::{LEGACY, text};
use plainly_peer::{Gate, Response, Site};
use serde_json::{Value, json};

use super::support::{answer, call, initialize, request, serve, serve_as, serve_users, server};

const EVENTS: &str = "Accept: text/event-stream\r\n";
const JSON: &str = "Content-Type: application/json\r\n";

/// An event stream, and the endpoint of its messages.
struct Stream {
    events: Response,
    endpoint: String,
}

impl Stream {
    async fn open(http: &Site) -> Self {
        let mut events = http.bare("GET /sse", EVENTS, "").await;
        assert_eq!(events.status, 200, "{events:?}");
        assert_eq!(events.header("content-type"), Some("text/event-stream"));
        let first = events.event().await.unwrap();
        assert_eq!(first.name.as_deref(), Some("endpoint"));
        Self {
            events,
            endpoint: first.data,
        }
    }

    async fn post(&self, http: &Site, body: impl ToString) -> Response {
        http.bare(&format!("POST {}", self.endpoint), JSON, body)
            .await
    }

    /// Posts a message, which must be accepted.
    async fn say(&self, http: &Site, message: &Value) {
        let mut posted = self.post(http, message).await;
        assert_eq!(posted.status, 202, "{posted:?}");
        assert_eq!(posted.body().await, "");
    }

    async fn next(&mut self) -> Value {
        self.events.event().await.expect("the stream ended").json()
    }

    async fn ask(&mut self, http: &Site, message: &Value) -> Value {
        self.say(http, message).await;
        self.next().await
    }

    async fn initialize(&mut self, http: &Site, revision: &str) -> Value {
        let opened = self.ask(http, &initialize(revision)).await;
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.say(http, &initialized).await;
        opened
    }
}

fn plain() -> (Gate, Server) {
    let gate = Gate::new();
    let server = server(&gate, |_| {});
    (gate, server)
}

#[tokio::test]
async fn every_revision_has_its_session_on_a_stream_of_events() {
    let (gate, server) = plain();
    let http = serve(&server).await;
    for revision in LEGACY {
        let mut stream = Stream::open(&http).await;
        let opened = stream.initialize(&http, revision).await;
        assert_eq!(opened["result"]["protocolVersion"], revision);
        let reply = stream.ask(&http, &call(1, "echo", "hi")).await;
        assert_eq!((&reply["id"], text(&reply)), (&json!(1), "hi"));
        // Replies are sent when they are ready.
        stream.say(&http, &call(2, "wait", "later")).await;
        let reply = stream.ask(&http, &request(3, "ping")).await;
        assert_eq!(reply, json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
        gate.open(1);
        assert_eq!(text(&stream.next().await), "later");
    }
}

#[tokio::test]
async fn a_message_may_have_line_breaks() {
    let (_gate, server) = plain();
    let http = serve(&server).await;
    for line_break in ["\n", "\r\n", "\r", "\n\n"] {
        let mut stream = Stream::open(&http).await;
        stream.initialize(&http, "2024-11-05").await;
        let message = serde_json::to_string_pretty(&call(1, "echo", "a\nb")).unwrap();
        let posted = stream.post(&http, message.replace('\n', line_break)).await;
        assert_eq!(posted.status, 202, "{posted:?}");
        assert_eq!(text(&stream.next().await), "a\nb");
    }
}

#[tokio::test]
async fn it_is_there_only_where_it_was_asked_for() {
    let (_gate, server) = plain();
    let http = Site::serve(server.http().path("/mcp")).await;
    assert_eq!(http.bare("GET /sse", EVENTS, "").await.status, 404);
    assert_eq!(http.bare("GET /mcp", EVENTS, "").await.status, 405);
}

#[tokio::test]
async fn where_to_post_is_a_path_and_a_secret() {
    let (_gate, server) = plain();
    let http = serve(&server).await;
    let mut seen = HashSet::new();
    for _ in 0..20 {
        let endpoint = Stream::open(&http).await.endpoint;
        let name = endpoint.strip_prefix("/sse?session=").unwrap();
        assert!(name.len() >= 32 && name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        assert!(seen.insert(endpoint));
    }
}

#[tokio::test]
async fn what_is_no_message_for_a_stream_is_refused_and_the_stream_goes_on() {
    let (_gate, server) = plain();
    let http = serve(&server).await;
    let mut stream = Stream::open(&http).await;
    stream.initialize(&http, "2024-11-05").await;
    let to = format!("POST {}", stream.endpoint);
    let ping = request(1, "ping").to_string();
    let page = format!("{JSON}Origin: https://evil.example\r\n");
    let own_page = format!("{JSON}Origin: http://{}\r\n", http.address);
    for (line, headers, body, status) in [
        (&*to, JSON, "{", 400),
        (&to, JSON, "", 400),
        (&to, JSON, "[]", 400),
        (
            &to,
            JSON,
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\nb\"}",
            400,
        ),
        (&to, "Content-Type: text/plain\r\n", &ping, 415),
        (&to, "", &ping, 415),
        (&to, &page, &ping, 403),
        ("GET /sse", &format!("{EVENTS}Origin: null\r\n"), "", 403),
        ("GET /sse", "Accept: application/json\r\n", "", 405),
        ("DELETE /sse", "", "", 405),
        ("OPTIONS /sse", "", "", 405),
        ("POST /sse", JSON, &ping, 404),
        ("POST /sse?session=", JSON, &ping, 404),
        (
            "POST /sse?session=00000000000000000000000000000000",
            JSON,
            &ping,
            404,
        ),
        (&to.replace("/sse", "/mcp"), JSON, &ping, 406),
    ] {
        let refused = http.bare(line, headers, body).await;
        assert_eq!(
            refused.status, status,
            "{line} {headers} {body}: {refused:?}"
        );
        if status == 405 {
            assert_eq!(refused.header("allow"), Some("GET, POST"));
        }
    }
    let pretty = serde_json::to_string_pretty(&call(7, "echo", "a\nb")).unwrap();
    assert!(pretty.contains('\n'));
    let posted = http
        .bare(&to, &own_page, pretty.replace('\n', "\r\n"))
        .await;
    assert_eq!(posted.status, 202);
    assert_eq!(text(&stream.next().await), "a\nb");
}

#[tokio::test]
async fn what_has_an_id_is_answered_on_the_stream_whatever_it_is() {
    let (_gate, server) = plain();
    let http = serve(&server).await;
    let mut stream = Stream::open(&http).await;
    let early = stream.ask(&http, &request(1, "tools/list")).await;
    assert_eq!(early["error"]["code"], -32602);
    stream.initialize(&http, "2024-11-05").await;
    for (message, code) in [
        (json!({"jsonrpc": "1.0", "id": 2, "method": "ping"}), -32600),
        (
            json!({"jsonrpc": "2.0", "id": 2, "method": "ping", "params": []}),
            -32602,
        ),
        (request(2, "nope"), -32601),
        (call(2, "nope", ""), -32602),
    ] {
        let reply = stream.ask(&http, &message).await;
        assert_eq!(reply["error"]["code"], code, "{message}");
        assert_eq!(reply["id"], 2, "{message}");
    }
}

#[tokio::test]
async fn streams_do_not_hear_each_other() {
    let (_gate, server) = plain();
    let http = serve(&server).await;
    let mut streams = Vec::new();
    for _ in 0..10 {
        let mut stream = Stream::open(&http).await;
        stream.initialize(&http, "2025-03-26").await;
        streams.push(stream);
    }
    for (number, stream) in streams.iter().enumerate() {
        let secret = call(1, "echo", &number.to_string());
        stream.say(&http, &secret).await;
    }
    for (number, stream) in streams.iter_mut().enumerate() {
        assert_eq!(text(&stream.next().await), number.to_string());
    }
}

#[tokio::test]
async fn the_end_of_the_stream_is_the_end_of_the_session_and_of_what_runs() {
    let (gate, server) = plain();
    let http = serve(&server).await;
    let mut stream = Stream::open(&http).await;
    stream.initialize(&http, "2024-11-05").await;
    stream.say(&http, &call(1, "wait", "")).await;
    gate.holds(1).await;
    let Stream { events, endpoint } = stream;
    drop(events);
    gate.holds(0).await;
    let late = http
        .bare(&format!("POST {endpoint}"), JSON, request(2, "ping"))
        .await;
    assert_eq!(late.status, 404);
}

#[tokio::test]
async fn beyond_the_most_sessions_there_is_room_again_once_one_ends() {
    let gate = Gate::new();
    let http = serve(&server(&gate, |limits| limits.sessions.open = 16)).await;
    let mut first = Stream::open(&http).await;
    first.initialize(&http, "2024-11-05").await;
    first.say(&http, &call(1, "wait", "")).await;
    gate.holds(1).await;
    let second = Stream::open(&http).await;
    let refused = http.bare("GET /sse", EVENTS, "").await;
    assert_eq!(refused.status, 503, "{refused:?}");
    drop(first);
    gate.holds(0).await;
    Stream::open(&http).await;
    drop(second);
}

#[tokio::test]
async fn a_client_is_told_and_asked_on_its_stream() {
    let (gate, server) = plain();
    let http = serve(&server).await;
    for revision in LEGACY {
        let mut stream = Stream::open(&http).await;
        stream.initialize(&http, revision).await;
        let mut roots = call(1, "roots", "");
        roots["params"]["arguments"] = json!({});
        let question = stream.ask(&http, &roots).await;
        let reply = stream.ask(&http, &answer(&question)).await;
        assert_eq!(text(&reply), "file:///home/ada", "{revision}: {reply}");
        gate.open(2);
        let mut steps = call(2, "steps", "");
        steps["params"]["arguments"] = json!({"count": 2});
        steps["params"]["_meta"] = json!({"progressToken": "x"});
        stream.say(&http, &steps).await;
        for step in 1..=2 {
            let told = stream.next().await;
            let found = told["params"]["progress"].as_f64();
            assert_eq!(found, Some(step.into()), "{told}");
        }
        assert_eq!(text(&stream.next().await), "2 steps");
    }
}

#[tokio::test]
async fn only_the_own_names_are_answered_to() {
    let (_gate, server) = plain();
    let http = serve(&server).await;
    for (line, headers) in [("GET /sse", EVENTS), ("POST /sse?session=x", JSON)] {
        let headers = format!("{headers}Host: evil.example\r\n");
        let refused = http.bare(line, &headers, "").await;
        assert_eq!(refused.status, 403, "{line}: {refused:?}");
    }
}

#[tokio::test]
async fn a_request_can_be_cancelled() {
    let (gate, server) = plain();
    let http = serve(&server).await;
    let mut stream = Stream::open(&http).await;
    stream.initialize(&http, "2024-11-05").await;
    stream.say(&http, &call(1, "wait", "")).await;
    gate.holds(1).await;
    let cancel =
        json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}});
    stream.say(&http, &cancel).await;
    gate.holds(0).await;
    assert_eq!(stream.ask(&http, &request(2, "ping")).await["id"], 2);
}

#[tokio::test]
async fn who_does_not_read_makes_those_who_post_wait_and_nobody_else() {
    let (_gate, server) = plain();
    let http = serve_as(&server, |service| {
        let mut limits = plainly::transport::http::HttpLimits::from(server.limits());
        limits.write_stall = std::time::Duration::from_millis(300);
        service.limits(limits)
    })
    .await;
    let mut stream = Stream::open(&http).await;
    stream.initialize(&http, "2024-11-05").await;
    // This is more than all buffers between the server and the client.
    let large = call(1, "echo", &"x".repeat(3 << 20));
    let mut statuses = Vec::new();
    for _ in 0..20 {
        statuses.push(stream.post(&http, &large).await.status);
        if statuses.ends_with(&[404]) {
            break;
        }
    }
    assert!(statuses.ends_with(&[404]), "{statuses:?}");
    assert!(statuses.len() < 20, "{statuses:?}");
    let mut other = Stream::open(&http).await;
    other.initialize(&http, "2024-11-05").await;
    assert_eq!(text(&other.ask(&http, &call(1, "echo", "hi")).await), "hi");
}

#[tokio::test]
async fn a_server_that_is_mounted_elsewhere_ends_its_streams_when_it_is_told_to() {
    let (gate, server) = plain();
    let http = serve_users(&server).await;
    let mut stream = Stream::open(&http).await;
    stream.initialize(&http, "2024-11-05").await;
    stream.say(&http, &call(1, "wait", "last words")).await;
    gate.holds(1).await;
    server.end_subscriptions();
    gate.open(1);
    assert_eq!(text(&stream.next().await), "last words");
    assert_eq!(stream.events.event().await, None);
    let refused = http.bare("GET /sse", EVENTS, "").await;
    assert_eq!(refused.status, 503);
}

#[tokio::test]
async fn at_the_end_what_runs_is_finished_and_then_the_stream_ends() {
    let (gate, server) = plain();
    let mut http = serve(&server).await;
    let mut stream = Stream::open(&http).await;
    stream.initialize(&http, "2024-11-05").await;
    stream.say(&http, &call(1, "wait", "last words")).await;
    gate.holds(1).await;
    http.stop();
    gate.open(1);
    assert_eq!(text(&stream.next().await), "last words");
    assert_eq!(stream.events.event().await, None);
    plainly_peer::within(http.serving).await.unwrap().unwrap();
}
