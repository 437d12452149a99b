//! The trace that a request belongs to (SEP-414), as the handler and the report of the request see
//! it.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::{Arc, Mutex};

use plainly::server::{Operation, TraceContext};
use plainly::{Client, Context, Server, Tool};
use plainly_peer::message::{modern, text};
use plainly_peer::{Peer, Site};
use serde_json::json;

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

/// Returns the members of a trace, or `none`.
fn members(trace: Option<&TraceContext>) -> String {
    let Some(trace) = trace else {
        return "none".to_owned();
    };
    let members = ["traceparent", "tracestate", "baggage"];
    members
        .map(|member| trace.get(member).unwrap_or("-"))
        .join(" ")
}

async fn traced(context: Context) -> String {
    members(context.trace_context())
}

/// Returns a server, and the traces of the requests that it reports.
fn server() -> (Arc<Mutex<Vec<String>>>, Server) {
    let reported: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&reported);
    let count = move |operation: &Operation<'_>| {
        let method = operation.method.unwrap_or("-");
        let line = format!("{method} {}", members(operation.trace));
        kept.lock().unwrap().push(line);
    };
    let builder = Server::builder("test", "1").tool(Tool::new("traced", traced));
    (reported, builder.on_operation(count).build().unwrap())
}

#[tokio::test]
async fn a_handler_has_the_trace_that_the_client_is_in() {
    let trace = || {
        let trace = TraceContext::new(PARENT)?.state("a=b").baggage("user=ada");
        Some(trace)
    };
    let whole = format!("{PARENT} a=b user=ada");
    for (revision, opening) in [
        ("2025-03-26", "initialize"),
        ("2025-11-25", "initialize"),
        ("2026-07-28", "server/discover"),
    ] {
        let (reported, server) = server();
        let site = Site::serve(server.http().path("/mcp")).await;
        let url = format!("http://{}/mcp", site.address);
        let revision = revision.parse().unwrap();
        let near = Client::in_memory(&server).revision(revision);
        let near = near.trace_context(trace).connect().await.unwrap();
        let far = Client::http(url).revision(revision);
        let far = far.trace_context(trace).connect().await.unwrap();
        for client in [near, far] {
            let called = client.call_tool("traced", ()).await.unwrap();
            assert_eq!(called.content[0].as_text(), Some(&*whole), "{revision}");
        }
        let lines = [opening, opening, "tools/call", "tools/call"];
        let expected = lines.map(|method| format!("{method} {whole}"));
        assert_eq!(*reported.lock().unwrap(), expected);
    }
}

#[tokio::test]
async fn malformed_traces_and_their_absence_are_no_trace() {
    let (reported, server) = server();
    let mut peer = Peer::connect(&server);
    for (meta, expected) in [
        (json!({}), "none"),
        (json!({"traceparent": 5}), "none"),
        (json!({"traceparent": "0af7651916cd43dd"}), "none"),
        (json!({"baggage": "user=ada"}), "none"),
        (
            json!({"traceparent": PARENT, "tracestate": "a", "baggage": []}),
            &format!("{PARENT} - -"),
        ),
    ] {
        let mut request = modern(1, "tools/call", json!({"name": "traced"}));
        let members = request["params"]["_meta"].as_object_mut().unwrap();
        members.extend(meta.as_object().unwrap().clone());
        let reply = peer.ask(&request).await;
        assert_eq!(text(&reply), expected, "{meta}");
    }
    reported.lock().unwrap().clear();

    // The request is rejected before its sender is known.
    let mut request = modern(1, "tools/list", json!({}));
    request["params"]["_meta"]["traceparent"] = json!(PARENT);
    request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("1999-01-01");
    peer.ask(&request).await;
    let expected = [format!("tools/list {PARENT} - -")];
    assert_eq!(*reported.lock().unwrap(), expected);
}
