//! Changes that come from outside of the process, and changes that are sent there: two replicas of
//! a server, each with its subscribers.

use std::sync::{Arc, Mutex};

use plainly::server::{Changes, Server, Topic, Upstream};
use plainly_peer::Peer;
use serde_json::{Value, json};

use super::support::{Source, acknowledged, changed, listen, telling, updated};

/// The way to another replica, if there is one, and the forwarded topics.
#[derive(Clone, Debug, Default)]
struct Way {
    to: Option<Changes>,
    passed: Arc<Mutex<Vec<Topic>>>,
}

impl Upstream for Way {
    fn publish(&self, topic: &Topic) {
        self.passed.lock().unwrap().push(topic.clone());
        self.to.iter().for_each(|to| to.receive(topic));
    }
}

impl Way {
    fn to(changes: &Changes) -> Self {
        Self {
            to: Some(changes.clone()),
            ..Self::default()
        }
    }

    fn take(&self) -> Vec<Topic> {
        std::mem::take(&mut *self.passed.lock().unwrap())
    }
}

/// Connects a client that subscribes to a list and to resources.
async fn listener(server: &Server) -> Peer {
    let mut peer = Peer::connect(server);
    let asked = json!({"toolsListChanged": true, "resourceSubscriptions": ["db://1", "db://2"]});
    assert_eq!(peer.ask(&listen(1, &asked)).await, acknowledged(1, &asked));
    peer
}

#[tokio::test(start_paused = true)]
async fn published_changes_reach_listeners_here_and_elsewhere() {
    let elsewhere = Way::default();
    let there = Changes::with_upstream(elsewhere.clone());
    let way = Way::to(&there);
    let here = Changes::with_upstream(way.clone());
    let (mut near, mut far) = (
        listener(&telling(&here)).await,
        listener(&telling(&there)).await,
    );
    here.resource_updated("db://1");
    here.resource_updated("db://3");
    here.tools_changed();
    for peer in [&mut near, &mut far] {
        assert_eq!(peer.next().await, updated(1, "db://1"));
        assert_eq!(peer.next().await, changed(1, "tools"));
    }
    let expected = [
        Topic::Resource("db://1".into()),
        Topic::Resource("db://3".into()),
        Topic::Tools,
    ];
    assert_eq!(way.take(), expected);
    assert_eq!(elsewhere.take(), [], "a received change goes no further");

    there.everything_changed();
    let mut all = [far.next().await, far.next().await, far.next().await];
    all.sort_by_key(Value::to_string);
    let mut expected = [
        updated(1, "db://1"),
        updated(1, "db://2"),
        changed(1, "tools"),
    ];
    expected.sort_by_key(Value::to_string);
    assert_eq!(all, expected);
    far.silent().await;
    near.silent().await;
    assert_eq!(elsewhere.take(), []);
}

#[tokio::test]
async fn changes_in_stores_and_at_run_time_go_where_they_belong() {
    let way = Way::default();
    let changes = Changes::with_upstream(way.clone());
    let store = Source::new();
    let builder = Server::builder("test", "1").store(store.clone());
    let server = builder.dynamic_tools().changes(changes).build().unwrap();
    let mut peer = listener(&server).await;
    store.watched_by(1).await;
    store.updated("db://2");
    assert_eq!(peer.next().await, updated(1, "db://2"));
    assert_eq!(way.take(), [], "each process watches its own store");
    let tool = plainly::Tool::new("hello", async || "Hello!");
    server.add_tool(tool).unwrap();
    assert_eq!(peer.next().await, changed(1, "tools"));
    assert_eq!(way.take(), [Topic::Tools]);
}
