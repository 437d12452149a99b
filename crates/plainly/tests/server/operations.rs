//! The report of each request to the program: of requests that are served, and of those that never
//! reach a handler.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::protocol::method::Method;
use plainly::protocol::types::LoggingLevel;
use plainly::server::extract::Context;
use plainly::server::{Operation, OperationOutcome, ServerBuilder};
use plainly::{Client, Principal, Problem, Resource, Server, Tool};
use plainly_peer::message::{self, modern};
use plainly_peer::{Peer, Site, within};
use serde_json::{Value, json};
use tokio::sync::Notify;

async fn hello() -> &'static str {
    "Hello!"
}

async fn fails() -> Result<String, Problem> {
    Err(Problem::internal("The disk is full."))
}

/// The reports so far.
#[derive(Clone, Default)]
struct Reports(Arc<Mutex<Vec<String>>>);

impl Reports {
    fn of(builder: ServerBuilder) -> (Self, Server) {
        Self::written(builder, line)
    }

    fn written(builder: ServerBuilder, line: fn(&Operation<'_>) -> String) -> (Self, Server) {
        let reports = Self::default();
        let kept = reports.clone();
        let count = move |operation: &Operation<'_>| {
            kept.0.lock().unwrap().push(line(operation));
        };
        let builder = builder
            .tool(Tool::new("hello", hello))
            .tool(Tool::new("fails", fails))
            .resource(Resource::new("app://motd", hello))
            .on_operation(count);
        (reports, builder.build().unwrap())
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap())
    }
}

/// Returns the parts of a report that are the same in each run.
fn line(operation: &Operation<'_>) -> String {
    let outcome = match operation.outcome {
        OperationOutcome::Served => "served".to_owned(),
        OperationOutcome::ToolFailed => "tool failed".to_owned(),
        OperationOutcome::Refused { error, code, .. } => {
            assert!(!error.message().is_empty());
            format!("refused {}", code.get())
        }
        OperationOutcome::Cancelled => "cancelled".to_owned(),
        OperationOutcome::Accepted | _ => "other".to_owned(),
    };
    let is_cancelled = matches!(operation.outcome, OperationOutcome::Cancelled);
    assert_eq!(operation.reply_bytes.is_none(), is_cancelled);
    let is_read = operation.duration.is_some();
    assert_eq!(is_read, operation.request_bytes > 0, "{operation:?}");
    assert!(operation.duration.unwrap_or_default() < Duration::from_secs(60));
    let words = [
        operation.method.unwrap_or("-"),
        operation.name.unwrap_or("-"),
        operation.id.unwrap_or("-"),
        operation.revision.as_str(),
        operation.transport,
        operation.principal.map_or("-", |one| one.as_str()),
        &operation
            .http_status
            .map_or("-".to_owned(), |status| status.to_string()),
        &outcome,
    ];
    words.join(" ")
}

#[tokio::test]
async fn each_request_of_a_client_is_reported_once_with_its_outcome() {
    let (reports, server) = Reports::of(Server::builder("test", "1"));
    for (revision, opening) in [
        (
            "2025-11-25",
            "initialize - 1 2025-11-25 stream ann - served",
        ),
        (
            "2026-07-28",
            "server/discover - 1 2026-07-28 stream ann - served",
        ),
    ] {
        let client = Client::in_memory(&server).extension(Principal::new("ann"));
        let client = client
            .revision(revision.parse().unwrap())
            .connect()
            .await
            .unwrap();
        client.call_tool("hello", ()).await.unwrap();
        client.call_tool("fails", ()).await.unwrap();
        client.call_tool("nope", ()).await.unwrap_err();
        client.read("app://motd").await.unwrap();
        client.read("app://nope").await.unwrap_err();
        let found: Vec<_> = reports.take().into_iter().map(without_ids).collect();
        let about = format!("{revision} stream ann -");
        let expected = [
            without_ids(opening.to_owned()),
            format!("tools/call hello {about} served"),
            format!("tools/call fails {about} tool failed"),
            format!("tools/call nope {about} refused -32602"),
            format!("resources/read app://motd {about} served"),
            format!("resources/read app://nope {about} refused -32602"),
        ];
        assert_eq!(found, expected);
    }
}

fn without_ids(line: String) -> String {
    let words = line.split(' ').enumerate();
    let words: Vec<_> = words
        .filter(|(place, _)| *place != 2)
        .map(|(_, word)| word)
        .collect();
    words.join(" ")
}

#[tokio::test]
async fn requests_that_reach_no_handler_are_reported_too() {
    let (reports, server) = Reports::of(Server::builder("test", "1"));
    let mut peer = Peer::connect(&server);
    let mut unknown = modern("a", "no/such", json!({}));
    peer.ask(&unknown).await;
    unknown["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
    unknown["method"] = json!("tools/list");
    peer.ask(&unknown).await;
    peer.say("this is not a message").await;
    peer.next().await;
    let expected = [
        "no/such - \"a\" 2026-07-28 stream - - refused -32601",
        "tools/list - \"a\" 2026-07-28 stream - - refused -32022",
        "- - - 2026-07-28 stream - - refused -32700",
    ];
    assert_eq!(reports.take(), expected);
    assert_eq!(Method::named("no/such"), None);
    assert_eq!(Method::named("tools/list"), Some(Method::ListTools));

    let site = Site::serve(server.http().path("/mcp")).await;
    let message = modern(1, "tools/list", json!({}));
    let posted = message::posted("/mcp", "evil.example", None, &message);
    site.write(posted).await;
    let wrong = message::posted("/mcp", &site.address.to_string(), None, &message);
    site.write(wrong.replace("Mcp-Method: tools/list", "Mcp-Method: tools/call"))
        .await;
    let expected = [
        "- - - 2026-07-28 http - 403 refused -32600",
        "tools/list - 1 2026-07-28 http - 400 refused -32020",
    ];
    assert_eq!(reports.take(), expected);
}

#[tokio::test]
async fn a_message_that_is_no_request_is_reported_as_read_when_it_is_refused() {
    let line_if_read = |operation: &Operation<'_>| match operation.request_bytes {
        0 => "unread".to_owned(),
        _ => line(operation),
    };
    let (reports, server) = Reports::written(Server::builder("test", "1"), line_if_read);
    let service = server.http().path("/mcp").sse_endpoint("/sse");
    let site = Site::serve(service).await;
    let session = "Mcp-Session-Id: unknown\r\n";
    let notification = message::notification("cancelled", json!({"requestId": 1}));
    let response = json!({"jsonrpc": "2.0", "id": 1, "result": {}});
    for (line, headers, message) in [
        ("POST /mcp", session, notification.clone()),
        ("POST /mcp", session, response.clone()),
        ("POST /mcp", "", response),
        ("POST /mcp", session, json!([notification])),
        ("POST /mcp", "", json!([notification])),
        ("POST /sse?session=unknown", "", notification),
    ] {
        site.send(line, headers, message).await;
    }
    let expected = [
        "notifications/cancelled - - 2026-07-28 http - 404 refused -32600",
        "- - - 2026-07-28 http - 404 refused -32600",
        "- - - 2026-07-28 http - 400 refused -32600",
        "- - - 2026-07-28 http - 404 refused -32600",
        "- - - 2026-07-28 http - 400 refused -32600",
        "- - - 2026-07-28 http - 404 refused -32600",
    ];
    assert_eq!(reports.take(), expected);
}

#[tokio::test]
async fn an_accepted_notification_is_reported_apart_from_requests() {
    let notices = Reports::default();
    let kept = notices.clone();
    let notice = move |operation: &Operation<'_>| {
        assert!(operation.duration.is_some() && operation.request_bytes > 0);
        let method = operation.method.unwrap_or("-");
        let (revision, outcome) = (operation.revision, operation.outcome);
        let line = format!("{method} {revision} {} {outcome}", operation.transport);
        kept.0.lock().unwrap().push(line);
    };
    let builder = Server::builder("test", "1").on_notification(notice);
    let (requests, server) = Reports::of(builder);
    let site = Site::serve(server.http().path("/mcp")).await;
    let session = site.session("/mcp", "2025-03-26").await;
    let cancelled = message::notification("cancelled", json!({"requestId": 1}));
    let other = message::notification("made/up", json!({}));
    for message in [&cancelled, &json!([other])] {
        let reply = site.send("POST /mcp", &session, message).await;
        assert_eq!(reply.status, 202);
    }
    let mut peer = Peer::connect(&server);
    peer.send(&cancelled).await;
    peer.finish().await;
    peer.served().await.unwrap();
    let expected = [
        "notifications/cancelled 2025-03-26 http accepted",
        "notifications/made/up 2025-03-26 http accepted",
        "notifications/cancelled 2026-07-28 stream accepted",
    ];
    assert_eq!(notices.take(), expected);
    let opening = "initialize - \"opens\" 2025-03-26 http - 200 served";
    assert_eq!(requests.take(), [opening]);
}

#[tokio::test]
async fn requests_that_the_client_gives_up_are_reported() {
    let begun = Arc::new(Notify::new());
    let begins = Arc::clone(&begun);
    let never = move || {
        let begins = Arc::clone(&begins);
        async move {
            begins.notify_one();
            std::future::pending::<&'static str>().await
        }
    };
    let builder = Server::builder("test", "1").tool(Tool::new("never", never));
    let (reports, server) = Reports::of(builder);
    let client = Client::in_memory(&server).connect().await.unwrap();
    let call = client.call_tool("never", ());
    tokio::select! {
        _ = call => unreachable!("it never ends"),
        () = begun.notified() => {}
    }
    within(async {
        while !reports
            .0
            .lock()
            .unwrap()
            .iter()
            .any(|line| line.contains("never"))
        {
            tokio::task::yield_now().await;
        }
    })
    .await;
    let found = without_ids(reports.take().pop().unwrap());
    assert_eq!(found, "tools/call never 2026-07-28 stream - - cancelled");
}

async fn chatty(context: Context) -> &'static str {
    context
        .log(LoggingLevel::Info, "a message before the reply")
        .await;
    "done"
}

#[tokio::test]
async fn a_request_that_is_cancelled_while_its_reply_waits_is_reported_once() {
    let builder = Server::builder("test", "1").tool(Tool::new("chatty", chatty));
    let (reports, server) = Reports::of(builder);
    let mut peer = Peer::connect(&server);
    let log = json!({"io.modelcontextprotocol/logLevel": "info"});
    let call = modern(1, "tools/call", json!({"name": "chatty", "_meta": log}));
    let cancelled = message::notification("cancelled", json!({"requestId": 1}));
    // Both messages arrive before the server sends anything.
    peer.send_all([&call, &cancelled]).await;
    peer.finish().await;
    assert_eq!(peer.rest().await, Vec::<Value>::new());
    let expected = ["tools/call chatty 1 2026-07-28 stream - - served"];
    assert_eq!(reports.take(), expected);
}

#[tokio::test]
async fn an_observer_that_panics_costs_no_reply() {
    let server = Server::builder("test", "1")
        .tool(Tool::new("hello", hello))
        .on_operation(|_| panic!("counted too far"))
        .build()
        .unwrap();
    let client = Client::in_memory(&server).connect().await.unwrap();
    let called = client.call_tool("hello", ()).await.unwrap();
    assert_eq!(called.content[0].as_text(), Some("Hello!"));
}
