//! Sources that report changes by themselves, and sources with tasks.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::{Arc, Mutex};

use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use plainly::protocol::peer::Peer as Sender;
use plainly::protocol::types::{
    JsonObject, ListCapability, RawJson, ResourcesCapability, ServerCapabilities,
};
use plainly::server::{Source, SourceRequest, SubscribedResources, Topic};
use plainly::{Failure, ProtocolError, Revision, Server};
use plainly_peer::message::{modern, notification};
use plainly_peer::{Client, Peer, within};
use serde_json::{Value, json};
use tokio::sync::mpsc;

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The sender of a watcher's changes, and the subscribed resources.
type Watcher = (mpsc::UnboundedSender<Topic>, SubscribedResources);

/// A source that reports the changes that a test sends, and stores the subscribed resources.
#[derive(Clone, Default)]
struct Upstream {
    can_watch: bool,
    watchers: Arc<Mutex<Vec<Watcher>>>,
}

impl Upstream {
    fn report(&self, topic: &Topic) {
        for (watcher, _) in self.watchers.lock().unwrap().iter() {
            watcher.send(topic.clone()).ok();
        }
    }

    /// Returns the subscribed resources as the last watcher sees them.
    fn subscribed(&self) -> SubscribedResources {
        self.watchers.lock().unwrap().last().unwrap().1.clone()
    }

    fn watchers(&self) -> usize {
        let mut watchers = self.watchers.lock().unwrap();
        watchers.retain(|(watcher, _)| !watcher.is_closed());
        watchers.len()
    }
}

impl Source for Upstream {
    fn capabilities(&self, _: &Sender) -> ServerCapabilities {
        let resources = ResourcesCapability::new()
            .subscribe(true)
            .list_changed(true);
        ServerCapabilities::new()
            .tools(ListCapability::new().list_changed(true))
            .resources(resources)
    }

    async fn answer(&self, _: SourceRequest) -> Result<RawJson, Failure> {
        Ok(RawJson::parse(r#"{"tools":[],"resources":[]}"#)?)
    }

    fn watch(&self, subscribed: SubscribedResources) -> Option<BoxStream<'static, Topic>> {
        if !self.can_watch {
            return None;
        }
        let (sender, mut receiver) = mpsc::unbounded_channel();
        self.watchers.lock().unwrap().push((sender, subscribed));
        Some(futures_util::stream::poll_fn(move |context| receiver.poll_recv(context)).boxed())
    }
}

fn server(can_watch: bool) -> (Upstream, Server) {
    let upstream = Upstream {
        can_watch,
        ..Upstream::default()
    };
    let builder = Server::builder("gateway", "1").source(upstream.clone());
    (upstream, builder.build().unwrap())
}

fn uris(subscribed: &SubscribedResources) -> Vec<String> {
    subscribed
        .uris()
        .iter()
        .map(|uri| uri.to_string())
        .collect()
}

#[tokio::test]
async fn changes_in_a_source_reach_those_who_listen() {
    let (upstream, server) = server(true);
    assert_eq!(upstream.watchers(), 0);
    let mut peer = Peer::connect(&server);
    let asked = json!({
        "toolsListChanged": true,
        "resourceSubscriptions": ["up://1", "up://2"],
    });
    let listen = modern(1, "subscriptions/listen", json!({"notifications": asked}));
    let acknowledged = peer.ask(&listen).await;
    assert_eq!(acknowledged["params"]["notifications"], asked);
    assert_eq!(upstream.watchers(), 1);
    let mut subscribed = upstream.subscribed();
    assert_eq!(uris(&subscribed), ["up://1", "up://2"]);

    let meta = json!({"io.modelcontextprotocol/subscriptionId": 1});
    upstream.report(&Topic::Resource("up://2".into()));
    let params = json!({"_meta": meta, "uri": "up://2"});
    assert_eq!(peer.next().await, notification("resources/updated", params));
    upstream.report(&Topic::Prompts);
    upstream.report(&Topic::Tools);
    let params = json!({"_meta": meta});
    assert_eq!(
        peer.next().await,
        notification("tools/list_changed", params)
    );

    let mut other = Peer::connect(&server);
    let asked = json!({"resourceSubscriptions": ["up://3", "up://1"]});
    let listen = modern(1, "subscriptions/listen", json!({"notifications": asked}));
    other.ask(&listen).await;
    within(subscribed.changed()).await;
    assert_eq!(uris(&subscribed), ["up://1", "up://2", "up://3"]);
    assert_eq!(upstream.watchers(), 1, "one watch is for all who listen");
    drop(peer);
    within(async {
        while uris(&subscribed).len() == 3 {
            subscribed.changed().await;
        }
    })
    .await;
    assert_eq!(uris(&subscribed), ["up://1", "up://3"]);
    drop(other);
    within(async {
        while upstream.watchers() > 0 {
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test]
async fn a_listener_to_nothing_that_sources_report_starts_no_watch() {
    let (upstream, server) = server(true);
    let mut peer = Peer::connect(&server);
    let listen = modern(1, "subscriptions/listen", json!({"notifications": {}}));
    peer.ask(&listen).await;
    assert_eq!(upstream.watchers(), 0);
}

/// A source that panics when its changes are first polled.
struct Faulty;

impl Source for Faulty {
    fn capabilities(&self, _: &Sender) -> ServerCapabilities {
        ServerCapabilities::new()
    }

    async fn answer(&self, request: SourceRequest) -> Result<RawJson, Failure> {
        Err(ProtocolError::method_not_found(request.method().name()).into())
    }

    fn watch(&self, _: SubscribedResources) -> Option<BoxStream<'static, Topic>> {
        Some(futures_util::stream::poll_fn(|_| panic!("looked too closely")).boxed())
    }
}

#[tokio::test]
async fn a_source_that_panics_silences_no_other() {
    let upstream = Upstream {
        can_watch: true,
        ..Upstream::default()
    };
    let builder = Server::builder("gateway", "1").source(Faulty);
    let server = builder.source(upstream.clone()).build().unwrap();
    let mut peer = Peer::connect(&server);
    let asked = json!({"notifications": {"toolsListChanged": true}});
    peer.ask(&modern(1, "subscriptions/listen", asked)).await;
    for _ in 0..2 {
        upstream.report(&Topic::Tools);
        let told = peer.next().await;
        assert_eq!(told["method"], "notifications/tools/list_changed");
    }
}

#[tokio::test]
async fn only_a_source_that_reports_changes_is_declared_to() {
    for can_watch in [true, false] {
        let (_, server) = server(can_watch);
        for revision in Revision::ALL {
            for mut client in Client::both(&server, revision, json!({})).await {
                let capabilities = match revision.traits().sessions {
                    true => client.opened["capabilities"].take(),
                    false => {
                        let mut reply = client.ask("server/discover", json!({})).await;
                        reply["result"]["capabilities"].take()
                    }
                };
                let expected = match can_watch {
                    true => json!({"subscribe": true, "listChanged": true}),
                    false => json!({}),
                };
                assert_eq!(capabilities["resources"], expected, "{revision}");
            }
        }
    }
}

/// A source that answers each call with its own task.
struct Working;

impl Source for Working {
    fn capabilities(&self, _: &Sender) -> ServerCapabilities {
        let extensions = JsonObject::from([(TASKS, json!({}))]);
        ServerCapabilities::new()
            .tools(ListCapability::new())
            .extensions(extensions)
    }

    async fn answer(&self, request: SourceRequest) -> Result<RawJson, Failure> {
        let mut task = json!({
            "taskId": "up-1",
            "status": "working",
            "createdAt": "2026-07-28T09:00:00Z",
            "lastUpdatedAt": "2026-07-28T09:00:00Z",
            "ttlMs": null,
        });
        let params: Value = request.params().decode()?;
        let is_own = params["taskId"] == "up-1";
        let answer = match request.method().name() {
            "tools/call" => {
                task["resultType"] = json!("task");
                task
            }
            "tasks/get" if is_own => task,
            "tasks/cancel" if is_own => json!({}),
            "tools/list" => json!({"tools": []}),
            other => return Err(ProtocolError::method_not_found(other).into()),
        };
        Ok(RawJson::encode(&answer)?)
    }
}

#[tokio::test]
async fn tasks_of_a_source_are_asked_for_there() {
    let server = Server::builder("gateway", "1")
        .source(Working)
        .build()
        .unwrap();
    let able = json!({"extensions": {TASKS: {}}});
    for mut client in Client::both(&server, Revision::LATEST, able).await {
        let handle = client.ask("tools/call", json!({"name": "any"})).await;
        let handle = &handle["result"];
        assert_eq!(handle["resultType"], "task");
        assert_eq!(
            (&handle["taskId"], &handle["ttlMs"]),
            (&json!("up-1"), &Value::Null)
        );
        assert_eq!(handle.get("cacheScope"), None, "a task is no cached result");
        let task = client.ask("tasks/get", json!({"taskId": "up-1"})).await;
        assert_eq!(task["result"]["status"], "working", "{task}");
        let cancelled = client.ask("tasks/cancel", json!({"taskId": "up-1"})).await;
        assert!(cancelled["result"].is_object(), "{cancelled}");
        let unknown = client.ask("tasks/get", json!({"taskId": "other"})).await;
        assert!(unknown["error"].is_object(), "{unknown}");
    }
    // A client without support for tasks is rejected before any source is asked.
    let mut client = Client::stream(&server, Revision::LATEST, json!({})).await;
    let refused = client.ask("tasks/get", json!({"taskId": "up-1"})).await;
    assert_eq!(refused["error"]["code"], -32021, "{refused}");
}
