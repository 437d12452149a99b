//! The messages that bypass layers, and the behaviour that layers do not change: streaming replies,
//! subscriptions, cancellation.

use std::sync::{Arc, Mutex};

use plainly::client::{Change, Client};
use plainly::protocol::method::Method;
use plainly::protocol::types::{Root, SubscriptionFilter};
use plainly::server::extract::Ask;
use plainly::server::layer::{Next, Outcome, Request, from_fn};
use plainly::server::{Changes, TaskSupport};
use plainly::transport::http::HttpServer;
use plainly::{Failure, ProtocolError, Revision, Server, State, Tool};
use plainly_peer::Peer;
use serde_json::{Value, json};
use tokio::sync::Notify;

use super::support::{builder, changing, clients, in_memory, over_http, text};

/// Returns the `_meta` of a modern request.
pub(crate) fn meta() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": Revision::LATEST.as_str(),
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// Returns the first message that `server` sends after `request`, over a byte stream.
pub(crate) async fn raw(server: &Server, request: &Value) -> Value {
    Peer::connect(server).ask(request).await
}

/// A layer that is never ready at once.
async fn slow(request: Request, next: Next) -> Outcome {
    for _ in 0..3 {
        tokio::task::yield_now().await;
    }
    let outcome = next.run(request).await;
    tokio::task::yield_now().await;
    outcome
}

async fn quick(request: Request, next: Next) -> Outcome {
    next.run(request).await
}

#[tokio::test]
async fn progress_comes_before_the_result() {
    let quick = builder().layer(from_fn(quick)).build().unwrap();
    let slow = builder().layer(from_fn(slow)).build().unwrap();
    for server in [quick, slow] {
        for client in clients(&server).await {
            let told = Arc::<Mutex<Vec<f64>>>::default();
            let teller = Arc::clone(&told);
            let call = client.call_tool("works", ());
            let call = call.on_progress(move |progress| {
                teller.lock().unwrap().push(progress.done);
            });
            assert_eq!(text(&call.await.unwrap()), "worked");
            let expected: Vec<_> = (1..=20).map(f64::from).collect();
            assert_eq!(*told.lock().unwrap(), expected);
        }
    }
}

#[tokio::test]
async fn who_listens_hears_of_changes() {
    let changes = Changes::new();
    let quick = changing(&changes).layer(from_fn(quick)).build().unwrap();
    let slow = changing(&changes).layer(from_fn(slow)).build().unwrap();
    for server in [quick, slow] {
        for revision in Revision::ALL {
            for client in [
                in_memory(&server, revision).await,
                over_http(&server, revision).await,
            ] {
                let filter = SubscriptionFilter::new().tools_list_changed(true);
                let mut subscription = client.listen(filter).await.unwrap();
                changes.tools_changed();
                let change = subscription.next().await.unwrap().unwrap();
                assert_eq!(change, Change::Tools, "{revision}");
                drop(subscription);
                client.tools().await.unwrap();
            }
        }
    }
}

async fn where_are_you(ask: Ask) -> Result<String, Failure> {
    let roots = ask.roots("where").await?;
    Ok(roots.into_iter().map(|root| root.uri).collect())
}

#[tokio::test]
async fn what_a_handler_asks_is_answered() {
    let asking = || builder().tool(Tool::new("where", where_are_you));
    let quick = asking().layer(from_fn(quick)).build().unwrap();
    let slow = asking().layer(from_fn(slow)).build().unwrap();
    for server in [quick, slow] {
        let listener = HttpServer::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr());
        tokio::spawn(listener.serve(server.http(), std::future::pending()));
        for revision in Revision::ALL {
            let nearby = Client::in_memory(&server).revision(revision);
            let over_http = Client::http(&url).revision(revision);
            for client in [
                nearby.roots([Root::new("file:///home")]).connect().await,
                over_http.roots([Root::new("file:///home")]).connect().await,
            ] {
                let called = client.unwrap().call_tool("where", ()).await.unwrap();
                assert_eq!(text(&called), "file:///home", "{revision}");
            }
        }
    }
}

#[tokio::test]
async fn a_call_becomes_a_task_behind_a_layer() {
    let told = Told::default();
    let server = builder()
        .state(told.clone())
        .tool(Tool::new("never", never).task(TaskSupport::Required))
        .layer(from_fn(slow))
        .build()
        .unwrap();
    let mut meta = meta();
    meta["io.modelcontextprotocol/clientCapabilities"] =
        json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "never", "_meta": meta,
    }});
    let reply = raw(&server, &call).await;
    assert!(reply["result"]["taskId"].is_string(), "{reply}");
    told.begun.notified().await;
}

#[tokio::test]
async fn a_layer_may_refuse_who_wants_to_listen() {
    async fn refuses(request: Request, next: Next) -> Result<Outcome, ProtocolError> {
        tokio::task::yield_now().await;
        if request.method() == Method::Listen {
            return Err(ProtocolError::invalid_params("nobody may listen"));
        }
        Ok(next.run(request).await)
    }
    let changes = Changes::new();
    let server = changing(&changes).layer(from_fn(refuses)).build().unwrap();
    for client in [
        in_memory(&server, Revision::LATEST).await,
        over_http(&server, Revision::LATEST).await,
    ] {
        let filter = SubscriptionFilter::new().tools_list_changed(true);
        let error = client.listen(filter).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "nobody may listen (InvalidParams -32602)"
        );
        client.tools().await.unwrap();
    }
}

#[tokio::test]
async fn a_stream_that_ends_ends_those_who_listen_behind_a_slow_layer() {
    let changes = Changes::new();
    let server = changing(&changes).layer(from_fn(slow)).build().unwrap();
    let mut peer = Peer::connect(&server);
    let request = json!({"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {
        "notifications": {"toolsListChanged": true}, "_meta": meta(),
    }});
    peer.send(request).await;
    peer.finish().await;
    let last = peer.rest().await.pop().unwrap();
    assert_eq!(last["id"], 1, "{last}");
    peer.served().await.unwrap();
}

/// The signals of a handler.
#[derive(Clone, Default)]
struct Told {
    begun: Arc<Notify>,
    dropped: Arc<Notify>,
}

struct Telling(Told);

impl Drop for Telling {
    fn drop(&mut self) {
        self.0.dropped.notify_one();
    }
}

async fn never(State(told): State<Told>) -> &'static str {
    told.begun.notify_one();
    let _telling = Telling(told);
    std::future::pending().await
}

#[tokio::test]
async fn a_call_that_is_cancelled_ends_its_handler() {
    let told = Told::default();
    let server = builder()
        .state(told.clone())
        .tool(Tool::new("never", never))
        .layer(from_fn(slow))
        .build()
        .unwrap();
    for client in clients(&server).await {
        let calling = tokio::spawn({
            let client = client.clone();
            async move { client.call_tool("never", ()).await }
        });
        told.begun.notified().await;
        calling.abort();
        told.dropped.notified().await;
        client.tools().await.unwrap();
    }
}
