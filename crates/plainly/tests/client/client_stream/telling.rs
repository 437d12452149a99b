//! The reports of a client in addition to its calls: changes of its roots, traces of messages, and
//! the outcome of each call for its own program.

use std::sync::{Arc, Mutex};

use plainly::Client;
use plainly::client::{Operation, TraceContext, Traffic};
use plainly::protocol::method::Method;
use plainly::protocol::types::{ClientCapabilities, ListCapability, RawJson, Root};
use plainly_peer::message;
use serde_json::{Value, json};

use super::peer::{discovered, pair};

const PARENT: &str = "00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01";

#[tokio::test]
async fn changed_roots_are_announced_where_that_was_declared() {
    for (list_changed, is_announced) in [(None, false), (Some(true), true)] {
        let (builder, mut peer) = pair();
        let mut capability = ListCapability::new();
        capability.list_changed = list_changed;
        let builder = builder
            .capabilities(ClientCapabilities::new().roots(capability))
            .roots([Root::new("file:///a")]);
        let (client, ()) = tokio::join!(builder.connect(), async {
            peer.open_session("2025-11-25", json!({})).await;
        });
        let client = client.unwrap();
        client.set_roots([Root::new("file:///b")]).await.unwrap();
        if is_announced {
            let told = peer.message().await.unwrap();
            assert_eq!(told["method"], "notifications/roots/list_changed");
        }
        let answer = peer
            .ask(&message::request("r", "roots/list", json!({})))
            .await;
        assert_eq!(answer["result"], json!({"roots": [{"uri": "file:///b"}]}));
    }
}

#[tokio::test]
async fn a_modern_server_is_not_told_of_changed_roots() {
    let (builder, mut peer) = pair();
    let builder = builder
        .capabilities(ClientCapabilities::new().roots(ListCapability::new().list_changed(true)))
        .roots([Root::new("file:///a")]);
    let (client, ()) = tokio::join!(
        builder.connect(),
        peer.answer_with("server/discover", discovered(&["2026-07-28"]))
    );
    let client = client.unwrap();
    client.set_roots([]).await.unwrap();
    let (listed, ()) = tokio::join!(
        client.tools(),
        peer.answer_with("tools/list", json!({"tools": []}))
    );
    listed.unwrap();
}

/// All sent messages.
type Sent = Arc<Mutex<Vec<Value>>>;

#[tokio::test]
async fn each_message_is_part_of_the_trace_of_its_moment() {
    for revision in ["2025-11-25", "2026-07-28"] {
        let sent = Sent::default();
        let kept = Arc::clone(&sent);
        let (builder, mut peer) = pair();
        let builder = builder
            .trace_context(|| {
                Some(
                    TraceContext::new(PARENT)?
                        .state("a=b")
                        .baggage("not baggage"),
                )
            })
            .on_traffic(move |traffic| {
                if let Traffic::Sent(json) = traffic {
                    kept.lock()
                        .unwrap()
                        .push(serde_json::from_slice(json).unwrap());
                }
            })
            .revision(revision.parse().unwrap());
        let (client, ()) = tokio::join!(builder.connect(), async {
            match revision {
                "2026-07-28" => {
                    let answer = discovered(&[revision]);
                    peer.answer_with("server/discover", answer).await;
                }
                _ => {
                    let answer = message::initialized(revision, json!({"tools": {}}));
                    peer.answer_with("initialize", answer).await;
                    peer.message().await.unwrap();
                }
            }
        });
        let client: Client = client.unwrap();
        // A forwarded call has its own trace.
        let params = json!({"_meta": {"baggage": "a=b"}}).to_string();
        let params = RawJson::parse(params).unwrap();
        let calling = client.forward(Method::ListTools, &params).into_future();
        let (listed, ()) = tokio::join!(
            calling,
            peer.answer_with("tools/list", json!({"tools": []}))
        );
        listed.unwrap();
        let calling = tokio::time::timeout(std::time::Duration::from_millis(50), client.tools());
        calling.await.unwrap_err();
        peer.message().await.unwrap();
        assert_eq!(
            peer.message().await.unwrap()["method"],
            "notifications/cancelled"
        );

        let sent = std::mem::take(&mut *sent.lock().unwrap());
        sent.iter().for_each(is_traced_once);
    }
}

fn is_traced_once(message: &Value) {
    let meta = &message["params"]["_meta"];
    if meta["baggage"] == "a=b" {
        assert_eq!(meta.get("traceparent"), None, "{message}");
        return;
    }
    assert_eq!(meta["traceparent"], PARENT, "{message}");
    assert_eq!(meta["tracestate"], "a=b", "{message}");
    assert_eq!(meta.get("baggage"), None, "{message}");
}

#[tokio::test]
async fn each_call_is_reported_once_with_what_it_came_to() {
    let reported: Arc<Mutex<Vec<String>>> = Arc::default();
    let kept = Arc::clone(&reported);
    let count = move |operation: &Operation<'_>| {
        let code = operation.error.map(|error| error.is_tool_not_found());
        kept.lock().unwrap().push(format!(
            "{} {} {} {} {code:?}",
            operation.method, operation.revision, operation.transport, operation.tries
        ));
    };
    let (builder, mut peer) = pair();
    let (client, ()) = tokio::join!(
        builder.on_operation(count).connect(),
        peer.answer_with("server/discover", discovered(&["2026-07-28"]))
    );
    let client = client.unwrap();
    let (listed, ()) = tokio::join!(
        client.tools(),
        peer.answer_with("tools/list", json!({"tools": []}))
    );
    listed.unwrap();
    let (called, ()) = tokio::join!(client.call_tool("nope", ()), async {
        let request = peer.message().await.unwrap();
        let error = json!({"code": -32602, "message": "Unknown tool: nope"});
        peer.send(message::error(&request, error)).await;
    });
    called.unwrap_err();
    assert_eq!(
        *reported.lock().unwrap(),
        [
            "tools/list 2026-07-28 stream 1 None",
            "tools/call 2026-07-28 stream 1 Some(true)"
        ]
    );
}
