//! The log never contains a peer's text raw, such as an escape sequence or a line that looks like
//! another entry. It contains the causes of internal errors.

use std::io;

use plainly::errors::problem::{ProblemBag, Problems};
use plainly::errors::{Problem, ProblemCode, ProtocolError};
use plainly::protocol::types::LoggingLevel;
use plainly::server::reply::Text;
use plainly::server::{DeclaredFailure, DeclaredProblems, Resource, Tool};
use serde_json::{Value, json};

use crate::fixture::{Fixture, SECRET};
use crate::http::Http;
use crate::log::Log;
use crate::sender::{META, Sender, call, cancel, request, say};
use crate::stream::Stream;

/// Text that clears a screen and forges a log entry.
const HOSTILE: &str = "\u{1b}[2J\r\nERROR forged: all is well\u{7}";

async fn hostile_tool() -> &'static str {
    panic!("{HOSTILE}")
}

async fn hostile_failure() -> Result<Text, io::Error> {
    Err(io::Error::other(HOSTILE))
}

async fn hostile_protocol_error() -> Result<Text, ProtocolError> {
    Err(ProtocolError::internal(HOSTILE).with_source(HOSTILE))
}

fn read(id: &str, uri: &str) -> String {
    let uri = Value::from(uri);
    request(id, "resources/read", &format!("\"uri\":{uri}"))
}

#[tokio::test]
async fn nothing_raw_reaches_the_log() {
    let (log, _guard) = Log::capture();
    let fixture = Fixture::build(|builder| {
        builder
            .tool(Tool::new("hostile", hostile_tool))
            .resource(Resource::new("app://failing", hostile_failure))
            .resource(Resource::new("app://erring", hostile_protocol_error))
    });
    let http = Http::listen(&fixture.server).await;
    let hostile = Value::from(HOSTILE).to_string();
    let text = &hostile[1..hostile.len() - 1];
    for sender in Sender::all() {
        let mut stream = Stream::careless(&fixture.server, sender).await;
        let client = http.client(sender).await.saying_anything();
        for sent in [
            call(&hostile, "hostile", "{}"),
            call(&hostile, text, "{}"),
            say(&hostile, "echo", text),
            call(&hostile, "echo", &format!("{{{hostile}:1}}")),
            read(&hostile, "app://failing"),
            read(&hostile, "app://erring"),
            read(&hostile, HOSTILE),
            request(&hostile, text, ""),
            cancel(&hostile),
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{hostile},\"result\":{hostile}}}"),
            "\u{1b}[2J".to_owned(),
        ] {
            stream.send(&sent).await;
            stream.before_a_good_reply(&sent).await;
            client.send(&sent).await;
        }
    }
    let log = log.text();
    let expected = "forged: all is well";
    assert!(log.contains(expected), "the failures are told: {log}");
    let is_control = |c: char| c.is_control() && c != '\n';
    assert!(!log.contains(is_control), "{log:?}");
    assert!(!log.contains("\nERROR forged"), "{log}");
}

#[tokio::test]
async fn a_panic_is_told_to_the_log_alone() {
    let (log, _guard) = Log::capture();
    let fixture = Fixture::new();
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    let reply = stream.ask(&call("1", "panics", "{}")).await;
    assert!(!reply.contains(SECRET), "{reply}");
    assert!(log.text().contains(SECRET));
}

#[derive(Debug, thiserror::Error)]
#[error("cannot save the note: {0}")]
struct Save(#[from] io::Error);

async fn full() -> Result<String, Save> {
    Err(io::Error::other("disk full"))?
}

async fn broken() -> Result<String, Problem> {
    let problem = Problem::internal("The note can't be saved.").context("shard", "db-7");
    Err(problem.with_source(Save(io::Error::other("disk full"))))
}

async fn several() -> Result<String, Problems> {
    let full = |shard| Problem::internal("The disk is full.").context("shard", shard);
    let all = ProblemBag::from_iter([full("db-7"), full("db-8")]);
    all.into_result().map(|()| String::new())
}

async fn panics() -> String {
    panic!("{SECRET}")
}

async fn wrong() -> Result<String, Problem> {
    Err(Problem::validation("id", "Not a number."))
}

/// Sends a request, and returns the only line of its failure.
async fn line(log: &Log, stream: &mut Stream, sent: &str) -> String {
    let before = log.text().len();
    stream.ask(sent).await;
    let text = log.text();
    let mut lines = text[before..]
        .lines()
        .filter(|line| line.contains("a request failed"));
    let line = lines.next().unwrap_or_else(|| panic!("no line for {sent}"));
    assert_eq!(lines.next(), None, "{sent}: {line}");
    line.to_owned()
}

/// The failing tools, with the level of their log line and other text in it.
const FAILURES: [(&str, &str, &[&str]); 7] = [
    (
        "full",
        "ERROR",
        &["code=-32603", "error=\"cannot save the note: disk full\""],
    ),
    (
        "broken",
        "ERROR",
        &[
            "code=-32603 problem=\"INTERNAL_ERROR\"",
            "error=\"The note can't be saved: cannot save the note: disk full\"",
            "context=\"{\\\"shard\\\":\\\"db-7\\\"}\"",
        ],
    ),
    (
        "several",
        "ERROR",
        &["context=\"[{\\\"shard\\\":\\\"db-7\\\"},{\\\"shard\\\":\\\"db-8\\\"}]\""],
    ),
    (
        "wrong",
        "DEBUG",
        &["problem=\"VALIDATION_ERROR\"", "Not a number"],
    ),
    ("panics", "ERROR", &["code=-32603", SECRET]),
    ("nope", "DEBUG", &["code=-32602"]),
    (
        "masked",
        "ERROR",
        &["incident=", "error=\"cannot save the note: disk full\""],
    ),
];

#[tokio::test]
async fn each_failure_has_one_line_that_says_all_that_is_known() {
    let (log, _guard) = Log::capture();
    for (name, level, parts) in FAILURES {
        let fixture = Fixture::build(|builder| {
            let builder = builder
                .tool(Tool::new("full", full))
                .tool(Tool::new("broken", broken))
                .tool(Tool::new("several", several))
                .tool(Tool::new("wrong", wrong))
                .tool(Tool::new("masked", full))
                .resource(Resource::new("log://full", full))
                .resource(Resource::new("log://broken", broken))
                .resource(Resource::new("log://several", several))
                .resource(Resource::new("log://wrong", wrong))
                .resource(Resource::new("log://panics", panics))
                .resource(Resource::new("log://masked", full));
            match name {
                "masked" => builder.mask_internal_errors(),
                _ => builder,
            }
        });
        for sender in Sender::all() {
            let mut stream = Stream::careless(&fixture.server, sender).await;
            let uri = format!("log://{name}");
            for (method, subject, sent) in [
                ("tools/call", name, call("1", name, "{}")),
                ("resources/read", &uri, read("2", &uri)),
            ] {
                let line = line(&log, &mut stream, &sent).await;
                let about = [
                    format!("{level} "),
                    format!("method=\"{method}\""),
                    format!("name=\"{subject}\""),
                    "revision=20".to_owned(),
                ];
                for part in about
                    .iter()
                    .map(String::as_str)
                    .chain(parts.iter().copied())
                {
                    assert!(line.contains(part), "{part} is not in: {line}");
                }
            }
        }
    }
}

/// An error that declares `NotFound` and never occurs.
enum Missing {}

impl From<Missing> for Problem {
    fn from(missing: Missing) -> Self {
        match missing {}
    }
}

impl DeclaredProblems for Missing {
    const CODES: &'static [ProblemCode] = &[ProblemCode::NotFound];
}

async fn undeclared() -> Result<String, DeclaredFailure<Missing>> {
    Err(Problem::timeout("search"))?
}

async fn declared() -> Result<String, DeclaredFailure<Missing>> {
    Err(Problem::not_found("note", "7"))?
}

#[tokio::test]
async fn a_handler_that_fails_with_what_it_does_not_declare_is_named() {
    let (log, _guard) = Log::capture();
    let fixture = Fixture::build(|builder| {
        builder
            .tool(Tool::new("declared", declared))
            .tool(Tool::new("undeclared", undeclared))
            .resource(Resource::new("log://declared", declared))
            .resource(Resource::new("log://undeclared", undeclared))
    });
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    for (sent, is_named) in [
        (call("1", "declared", "{}"), false),
        (read("2", "log://declared"), false),
        (call("3", "undeclared", "{}"), true),
        (read("4", "log://undeclared"), true),
    ] {
        let before = log.text().len();
        stream.ask(&sent).await;
        let text = log.text();
        let mut lines = text[before..].lines();
        let line = lines.find(|line| line.contains("that it does not declare"));
        let is_whole =
            |line: &str| line.contains("undeclared\"") && line.contains("problem=\"TIMEOUT\"");
        assert_eq!(line.is_some_and(is_whole), is_named, "{sent}: {line:?}");
    }
}

#[tokio::test]
async fn the_line_names_the_trace_and_the_incident_that_the_peer_was_told() {
    let (log, _guard) = Log::capture();
    let fixture =
        Fixture::build(|builder| builder.tool(Tool::new("full", full)).mask_internal_errors());
    let mut stream = Stream::open(&fixture.server, Sender::Modern).await;
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let meta = format!(r#"{{"traceparent":"00-{trace}-00f067aa0ba902b7-01","#);
    let meta = META.replacen('{', &meta, 1);
    let sent = call("1", "full", "{}").replace("META", &meta);
    let before = log.text().len();
    let reply = stream.ask(&sent).await;
    let text = log.text();
    let line = text[before..]
        .lines()
        .find(|line| line.contains("a request failed"));
    let line = line.unwrap();
    assert!(line.contains(&format!("trace=\"{trace}\"")), "{line}");
    let (_, incident) = reply.split_once("incident ").unwrap();
    let incident = &incident[..16];
    assert!(line.contains(&format!("incident=\"{incident}\"")), "{line}");
    assert!(line.contains("cannot save the note: disk full"), "{line}");
}

/// Messages that the server can't serve, in a session or before one.
const UNSERVED: [&str; 6] = [
    r#"{"jsonrpc":"2.0","id":1,"method":"no/such\u001b","params":{"_meta":META}}"#,
    r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{}}}"#,
    r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
    r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"initialize"},5]"#,
    "<html>",
    r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#,
];

#[tokio::test]
async fn every_line_says_by_which_way_it_came_and_which_method_was_asked_for() {
    let (log, _guard) = Log::capture();
    let fixture = Fixture::new();
    let http = Http::listen(&fixture.server).await;
    for sender in Sender::all() {
        let before = log.text().len();
        let mut stream = Stream::careless(&fixture.server, sender).await;
        for sent in UNSERVED {
            stream.send(sent).await;
            stream.before_a_good_reply(sent).await;
        }
        check_lines(&log.text()[before..], "stream", UNSERVED.len());
        let before = log.text().len();
        let client = http.client(sender).await.saying_anything();
        for sent in UNSERVED {
            client.send(sent).await;
        }
        client.delete().await;
        http.raw(b"PUT /mcp HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
            .await;
        check_lines(&log.text()[before..], "http", UNSERVED.len());
    }
}

/// Checks each line of the two logs in `text`.
fn check_lines(text: &str, transport: &str, least: usize) {
    let lines: Vec<_> = text
        .lines()
        .filter(|line| line.contains(" plainly::access: ") || line.contains(" plainly::failure: "))
        .collect();
    assert!(lines.len() >= least, "{text}");
    let transport = format!(" transport=\"{transport}\" ");
    for line in &lines {
        assert!(line.contains(&transport), "{line}");
        let has_status = line.contains(" plainly::access: ") && transport.contains("http");
        assert_eq!(line.contains(" status="), has_status, "{line}");
    }
    let unknown: Vec<_> = lines
        .iter()
        .filter(|line| line.contains("no/such"))
        .collect();
    assert_eq!(unknown.len(), 2, "{text}");
    for line in unknown {
        assert!(line.contains(r#" method="no/such\u{1b}" "#), "{line}");
    }
}

#[tokio::test]
async fn what_a_client_can_not_read_is_logged_with_what_is_wrong() {
    let (log, _guard) = Log::capture();
    let (mut peer, far) = plainly_peer::pair(1 << 16);
    let (reader, writer) = tokio::io::split(far);
    let builder = plainly::Client::over(reader, writer)
        .on_log(LoggingLevel::Debug, |_| {})
        .roots([]);
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.open_session("2025-11-25", json!({"tools": {}})).await;
    });
    let client = client.unwrap();
    let told = |method: &str, params: Value| json!({"jsonrpc": "2.0", "method": format!("notifications/{method}"), "params": params});
    for message in [
        told("message", json!({"level": "loud\u{1b}[2J", "data": 1})),
        told("progress", json!({"progress": "half"})),
        told("cancelled", json!({})),
        told("resources/updated", json!({"_meta": 5, "uri": "a:b"})),
        json!({"jsonrpc": "2.0", "id": "q", "method": "roots/list", "params": {"_meta": 5}}),
    ] {
        peer.send(message).await;
    }
    let refused = peer.message().await.unwrap();
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let bad = json!({"tools": [{"name": "bad"}, 7]});
    let (tools, ()) = tokio::join!(client.tools(), peer.answer_with("tools/list", bad));
    tools.unwrap();
    let log = log.text();
    for expected in [
        r#"method="notifications/message" why=/level: "loud\u001b[2J" is not one of "debug", "#,
        r#"method="notifications/progress" why="progressToken" is a required property; /progress: "half" is not of type "number""#,
        r#"method="notifications/cancelled" why="requestId" is a required property"#,
        r#"method="notifications/resources/updated" why=/_meta: 5 is not of type "object""#,
        r#"method="roots/list" why=/_meta: 5 is not of type "object""#,
        r#"method="tools/list" name=bad why="inputSchema" is a required property"#,
        r#"method="tools/list" name=item 2 of its page why=7 is not of type "object""#,
    ] {
        assert!(log.contains(expected), "{expected}\n{log}");
    }
}
