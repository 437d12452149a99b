//! Questions and messages that servers send over HTTP in addition to replies, in both eras, and
//! replies that arrive in several parts.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use plainly::client::{Builder, Client, Http, LocalError, ProgressUpdate};
use plainly::protocol::types::{ElicitFormParams, ElicitResult, LoggingLevel, Root};
use plainly_peer::{AnsweredRequest, Host, assert_local};
use serde_json::{Value, json};

use super::server;

const EVENTS: &str = "Content-Type: text/event-stream\r\n";

async fn accept(form: ElicitFormParams) -> ElicitResult {
    ElicitResult::accept([("said", json!(form.message))].into_iter().collect())
}

fn accepted(message: &str) -> Value {
    json!({"action": "accept", "content": {"said": message}})
}

fn form(message: &str) -> Value {
    let schema = json!({"type": "object", "properties": {}});
    json!({"message": message, "requestedSchema": schema})
}

fn event(message: &Value) -> String {
    format!("data: {message}\n\n")
}

fn notice(what: &str, params: Value) -> String {
    let method = format!("notifications/{what}");
    event(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
}

fn question(id: &str, message: &str) -> String {
    let method = "elicitation/create";
    event(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": form(message)}))
}

/// Connects to a legacy server in this session. Also returns the request for the server's own
/// stream.
async fn connect(
    builder: Builder<Http>,
    server: &Host,
    session: &str,
) -> (Client, AnsweredRequest) {
    let (client, stream) = tokio::join!(builder.connect(), async {
        shake_hands(server, session).await;
        stream(server, session).await
    });
    (client.expect("the server is legacy"), stream)
}

async fn shake_hands(server: &Host, session: &str) {
    server.refuse("server/discover", "400 Bad Request").await;
    server.initialize(Some(session), json!({})).await;
}

/// Returns the answer to a question, which the client posts separately.
async fn answer(server: &Host, session: &str) -> Value {
    let answer = server.next_in(session, "POST").await;
    let body = answer.body.clone();
    answer.answer("202 Accepted", "", "").await;
    body
}

/// Returns the request for the stream on which the server sends its own messages.
async fn stream(server: &Host, session: &str) -> AnsweredRequest {
    let mut stream = server.next_in(session, "GET").await;
    stream.events().await;
    stream
}

#[tokio::test]
async fn a_legacy_server_may_ask_on_the_stream_of_a_reply() {
    let (builder, server) = server::start().await;
    let (client, _stream) = connect(builder.on_elicitation(accept), &server, "s").await;
    let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
        let mut call = server.request("tools/call").await;
        call.events().await;
        call.write(&question("q", "a")).await;
        let result = json!({"jsonrpc": "2.0", "id": "q", "result": accepted("a")});
        assert_eq!(answer(&server, "s").await, result);
        let unknown = json!({"jsonrpc": "2.0", "id": 7, "method": "roots/list"});
        call.event(&unknown).await;
        let refused = answer(&server, "s").await;
        assert_eq!(
            (&refused["id"], &refused["error"]["code"]),
            (&json!(7), &json!(-32601))
        );
        let response = call.response(json!({"content": []}));
        // The client must not answer a question after the reply.
        call.write(&format!("data: {response}\n\n{}", question("late", "b")))
            .await;
    });
    called.unwrap();
    let (pinged, ()) = tokio::join!(client.ping(), server.answer("ping"));
    pinged.unwrap();
}

#[tokio::test]
async fn a_reply_behind_a_ping_is_not_held_up_by_the_answer() {
    let (builder, server) = server::start().await;
    let builder = builder.timeout(Duration::from_secs(2));
    let (client, ()) = tokio::join!(builder.connect(), shake_hands(&server, "s"));
    let client = client.unwrap();
    let (called, _call) = tokio::join!(client.call_tool("a", ()), async {
        let mut call = server.request("tools/call").await;
        call.events().await;
        let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
        let response = call.response(json!({"content": []}));
        call.write(&format!("{}data: {response}\n\n", event(&ping)))
            .await;
        call
    });
    called.unwrap();
    assert_eq!(answer(&server, "s").await["result"], json!({}));
}

#[tokio::test]
async fn a_legacy_server_may_ask_and_log_on_a_stream_of_its_own() {
    let log = Arc::<Mutex<Vec<_>>>::default();
    let told = Arc::clone(&log);
    let (builder, server) = server::start().await;
    let builder =
        builder
            .roots([Root::new("file:///work")])
            .on_log(LoggingLevel::Info, move |message| {
                told.lock().unwrap().push(message.data.get().to_owned());
            });
    let (client, mut news) = connect(builder, &server, "s").await;
    news.write(&notice("message", json!({"level": "info", "data": 1})))
        .await;
    let roots = json!({"jsonrpc": "2.0", "id": 0, "method": "roots/list"});
    news.event(&roots).await;
    let roots = answer(&server, "s").await;
    assert_eq!(roots["result"]["roots"][0]["uri"], "file:///work");
    assert_eq!(*log.lock().unwrap(), ["1"]);
    // If a session is lost, its stream ends too.
    let (pinged, ()) = tokio::join!(client.ping(), async {
        server.refuse("ping", "404 Not Found").await;
        server.initialize(Some("t"), json!({})).await;
        // The stream and the repeated call may arrive in any order.
        for _ in 0..2 {
            let mut next = server.next().await;
            next.is_of(Some("t"));
            match next.method.as_str() {
                "GET" => next.events().await,
                _ => next.result(json!({})).await,
            }
        }
    });
    pinged.unwrap();
}

#[tokio::test]
async fn a_client_that_is_dropped_hears_no_more() {
    let (builder, server) = server::start().await;
    let (client, mut news) = connect(builder.on_elicitation(accept), &server, "s").await;
    drop(client);
    news.hung_up().await;
}

#[tokio::test]
async fn a_server_that_opens_its_stream_with_the_first_word_holds_up_nobody() {
    let (builder, server) = server::start().await;
    let (client, mut news) = tokio::join!(builder.on_elicitation(accept).connect(), async {
        shake_hands(&server, "s").await;
        server.next().await
    });
    let client = client.unwrap();
    let (pinged, ()) = tokio::join!(client.ping(), server.answer("ping"));
    pinged.unwrap();
    news.events().await;
    news.write(&question("q", "a")).await;
    assert_eq!(answer(&server, "s").await["result"], accepted("a"));
}

#[tokio::test]
async fn a_legacy_server_without_a_stream_of_its_own_is_still_served() {
    let (builder, server) = server::start().await;
    let (client, ()) = tokio::join!(builder.on_elicitation(accept).connect(), async {
        shake_hands(&server, "s").await;
        let refused = server.next().await;
        refused.answer("405 Method Not Allowed", "", "").await;
    });
    let client = client.unwrap();
    let (pinged, ()) = tokio::join!(client.ping(), server.answer("ping"));
    pinged.unwrap();
}

#[tokio::test]
async fn a_modern_call_is_made_again_with_the_answers_and_the_same_headers() {
    let (builder, server) = server::start().await;
    let builder = builder.on_elicitation(accept);
    let (client, ()) = tokio::join!(builder.connect(), server.discover());
    let client = client.unwrap();
    let (called, ()) = tokio::join!(client.call_tool("déjà", json!({"x": 1})), async {
        let first = server.request("tools/call").await;
        let (headers, params) = (first.headers.clone(), first.body["params"].clone());
        let id = first.body["id"].clone();
        let asks = json!({"k": {"method": "elicitation/create", "params": form("a")}});
        first
            .result(
                json!({"resultType": "input_required", "inputRequests": asks, "requestState": "é"}),
            )
            .await;
        let mut again = server.request("tools/call").await;
        assert_ne!(again.body["id"], id);
        for name in ["mcp-method", "mcp-name", "mcp-protocol-version"] {
            assert_eq!(again.headers[name], headers[name]);
        }
        let mut expected = params;
        expected["requestState"] = json!("é");
        expected["inputResponses"] = json!({"k": accepted("a")});
        assert_eq!(again.body["params"], expected);
        // A modern server must not ask in this way, so the client does not answer.
        again.events().await;
        again.write(&question("q", "b")).await;
        again.last_event().await;
    });
    called.unwrap();
}

#[tokio::test]
async fn progress_and_logs_come_before_the_reply() {
    for is_modern in [true, false] {
        let told = Arc::<Mutex<Vec<String>>>::default();
        let (log, progress) = (Arc::clone(&told), Arc::clone(&told));
        let (builder, server) = server::start().await;
        let builder = builder.on_log(LoggingLevel::Debug, move |message| {
            log.lock().unwrap().push(message.data.get().to_owned());
        });
        let mut held = None;
        let client = if is_modern {
            let (client, ()) = tokio::join!(builder.connect(), server.discover());
            client.unwrap()
        } else {
            let (client, stream) = connect(builder, &server, "s").await;
            held = Some(stream);
            client
        };
        let call = client
            .call_tool("a", ())
            .on_progress(move |one: ProgressUpdate| {
                progress.lock().unwrap().push(format!("{}", one.done));
            });
        let (called, ()) = tokio::join!(call, async {
            let mut call = server.request("tools/call").await;
            let token = call.body["params"]["_meta"]["progressToken"].clone();
            call.events().await;
            for done in 1..=2 {
                let progress = json!({"progressToken": token, "progress": done});
                call.write(&notice("progress", progress)).await;
                call.write(&notice("message", json!({"level": "debug", "data": "x"})))
                    .await;
            }
            call.last_event().await;
        });
        called.unwrap();
        assert_eq!(*told.lock().unwrap(), ["1", r#""x""#, "2", r#""x""#]);
        drop(held);
    }
}

#[tokio::test]
async fn a_legacy_reply_whose_stream_ends_is_asked_for_the_rest() {
    let (client, server) = server::legacy(Some("s")).await;
    let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
        let call = server.request("tools/call").await;
        let response = call.response(json!({"content": []}));
        call.answer("200 OK", EVENTS, "id: 1\nretry: 300\ndata:\n\n")
            .await;
        let ended = Instant::now();
        let mut parts = vec![
            ("1", ": nothing\n\n".to_owned()),
            ("1", "id: \u{e9}\ndata:\n\n".to_owned()),
        ];
        parts.push(("\u{e9}", format!("data: {response}\n\n")));
        for (last, part) in parts {
            let rest = server.next_in("s", "GET").await;
            assert_eq!(rest.headers["accept"], "text/event-stream");
            assert_eq!(rest.headers["last-event-id"], last);
            rest.answer("200 OK", EVENTS, &part).await;
        }
        assert!(ended.elapsed() >= Duration::from_millis(900));
    });
    called.unwrap();
}

#[tokio::test]
async fn a_question_outlives_the_stream_that_it_came_on() {
    let (builder, server) = server::start().await;
    let gate = Arc::new(tokio::sync::Notify::new());
    let open = Arc::clone(&gate);
    let builder = builder.on_elicitation(move |form| {
        let gate = Arc::clone(&gate);
        async move {
            gate.notified().await;
            accept(form).await
        }
    });
    let (client, _stream) = connect(builder, &server, "s").await;
    let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
        let call = server.request("tools/call").await;
        let response = call.response(json!({"content": []}));
        let asked = format!("retry: 0\nid: 1\n{}", question("q", "a"));
        call.answer("200 OK", EVENTS, &asked).await;
        let mut rest = server.next().await;
        assert_eq!(rest.headers["last-event-id"], "1");
        open.notify_one();
        assert_eq!(answer(&server, "s").await["result"], accepted("a"));
        rest.events().await;
        rest.write(&format!("data: {response}\n\n")).await;
    });
    called.unwrap();
}

#[tokio::test]
async fn a_question_stops_the_clock_of_the_call_that_it_belongs_to_alone() {
    let idle = Duration::from_millis(500);
    let (builder, server) = server::start().await;
    let gate = Arc::new(tokio::sync::Notify::new());
    let open = Arc::clone(&gate);
    let builder = builder.timeout(idle).longest(Duration::from_secs(5));
    let builder = builder.on_elicitation(move |form| {
        let gate = Arc::clone(&gate);
        async move {
            gate.notified().await;
            accept(form).await
        }
    });
    let (client, mut own) = connect(builder, &server, "s").await;
    let (asked, ()) = tokio::join!(client.call_tool("a", ()), async {
        let mut call = server.request("tools/call").await;
        call.events().await;
        call.write(&question("q", "a")).await;
        let (other, _unanswered) =
            tokio::join!(client.call_tool("b", ()), server.request("tools/call"));
        let error = other.unwrap_err();
        let after = match error.local() {
            Some(LocalError::Timeout { after, .. }) => Some(*after),
            _ => None,
        };
        assert_eq!(after, Some(idle), "{error}");
        let cancelled = server.request("notifications/cancelled").await;
        cancelled.answer("202 Accepted", "", "").await;
        open.notify_one();
        answer(&server, "s").await;
        let response = call.response(json!({"content": []}));
        call.write(&format!("data: {response}\n\n")).await;
    });
    asked.unwrap();

    // A question on the session's own stream may belong to any call.
    let (waited, ()) = tokio::join!(client.call_tool("c", ()), async {
        let call = server.request("tools/call").await;
        own.write(&question("r", "a")).await;
        tokio::time::sleep(2 * idle).await;
        open.notify_one();
        answer(&server, "s").await;
        call.result(json!({"content": []})).await;
    });
    waited.unwrap();
}

#[tokio::test]
async fn a_reply_that_can_not_be_gone_on_with_has_broken_off() {
    for (status, headers, is_interrupted) in [
        ("405 Method Not Allowed", "", true),
        ("404 Not Found", "", true),
        ("200 OK", "Content-Type: application/json\r\n", false),
        ("400 Bad Request", "", false),
    ] {
        let (client, server) = server::legacy(Some("s")).await;
        let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
            let call = server.request("tools/call").await;
            call.answer("200 OK", EVENTS, "id: 1\nretry: 0\ndata:\n\n")
                .await;
            server.next().await.answer(status, headers, "").await;
        });
        let error = called.unwrap_err();
        let found = matches!(error.local(), Some(LocalError::Interrupted { .. }));
        assert_eq!(found, is_interrupted, "{status}: {error}");
    }

    // The client stops although each resumption could bring the reply.
    let (client, server) = server::legacy(None).await;
    let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
        let call = server.request("tools/call").await;
        call.answer("200 OK", EVENTS, "id: 1\nretry: 0\ndata:\n\n")
            .await;
        for _ in 0..5 {
            let rest = server.next().await;
            rest.answer("200 OK", EVENTS, ": nothing\n\n").await;
        }
    });
    assert_local!(called.unwrap_err(), LocalError::Interrupted { .. });

    // A modern reply can't be resumed.
    let (client, server) = server::modern().await;
    let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
        let call = server.request("tools/call").await;
        call.answer("200 OK", EVENTS, "id: 1\nretry: 0\ndata:\n\n")
            .await;
    });
    assert_local!(called.unwrap_err(), LocalError::Interrupted { .. });
}

#[tokio::test]
async fn a_legacy_call_that_is_dropped_while_it_waits_for_the_rest_is_cancelled() {
    let (client, server) = server::legacy(Some("s")).await;
    let calling = tokio::spawn(client.call_tool("a", ()));
    let call = server.request("tools/call").await;
    let id = call.body["id"].clone();
    call.answer("200 OK", EVENTS, "id: 1\nretry: 0\ndata:\n\n")
        .await;
    let _rest = server.next().await;
    calling.abort();
    let cancelled = server.request("notifications/cancelled").await;
    cancelled.is_of(Some("s"));
    assert_eq!(cancelled.body["params"]["requestId"], id);
    cancelled.answer("202 Accepted", "", "").await;
}

#[tokio::test]
async fn a_stream_of_news_is_gone_on_with_from_the_last_event() {
    let (builder, server) = server::start().await;
    let (_client, rest) = tokio::join!(builder.on_elicitation(accept).connect(), async {
        shake_hands(&server, "s").await;
        let news = server.next().await;
        assert!(!news.headers.contains_key("last-event-id"));
        news.answer("200 OK", EVENTS, "id: 9\nretry: 10\ndata:\n\n")
            .await;
        server.next().await
    });
    assert_eq!(rest.method, "GET");
    assert_eq!(rest.headers["last-event-id"], "9");
}
