//! The limits on the number of tasks, their size, and their lifetime.

use std::time::Duration;

use plainly::server::{MemoryTasks, TaskRecord, TaskStore, TaskStoreError};
use serde_json::{Value, json};

use super::asking::{accept, asking};
use super::support::{Following, builder, capabilities, clients, http, limited, stream};
use plainly_peer::{Gate, Site, message, within};

const OVERLOADED: &str = "overloaded";

fn is_overloaded(reply: &Value) -> bool {
    reply["error"]["data"]["kind"] == OVERLOADED
}

#[tokio::test]
async fn ten_thousand_tasks_that_nobody_asks_for_are_bounded_and_the_next_request_succeeds() {
    let gate = Gate::new();
    let server = limited(&gate, |limits| limits.tasks.stored = 100);
    let mut client = stream(&server).await;
    let (mut made, mut refused) = (Vec::new(), 0);
    for _ in 0..10_000 {
        let reply = client.run("must", "never").await;
        match reply["result"]["taskId"].as_str() {
            Some(id) => made.push(id.to_owned()),
            None => {
                assert!(is_overloaded(&reply), "{reply}");
                refused += 1;
            }
        }
    }
    assert_eq!((made.len(), refused), (100, 9_900));
    gate.holds(100).await;
    let reply = client.ask("tools/call", json!({"name": "hello"})).await;
    assert_eq!(reply["result"]["content"][0]["text"], "Hello!");
    // All accepted tasks are still stored.
    for id in &made {
        assert_eq!(client.get(id).await["status"], "working");
        client.ask("tasks/cancel", json!({"taskId": id})).await;
    }
    gate.holds(0).await;
    // One that is over makes room, and no other.
    client.begin_task("must", "never").await;
    let mut gone = 0;
    for id in &made {
        let reply = client.ask("tasks/get", json!({"taskId": id})).await;
        gone += usize::from(reply["error"]["data"]["kind"] == "unknown_task");
    }
    assert_eq!(gone, 1);
}

#[tokio::test]
async fn what_has_expired_is_unknown_and_makes_room() {
    let gate = Gate::new();
    let server = limited(&gate, |limits| {
        limits.tasks.stored = 1;
        limits.tasks.ttl = Duration::from_millis(30);
    });
    for mut client in clients(&server).await {
        // A task can be stored as soon as the previous one has expired.
        let id = within(async {
            loop {
                let reply = client.run("must", "never").await;
                match reply["result"]["taskId"].as_str() {
                    Some(id) => return id.to_owned(),
                    None => assert!(is_overloaded(&reply), "{reply}"),
                }
            }
        })
        .await;
        within(async {
            loop {
                let reply = client.ask("tasks/get", json!({"taskId": id})).await;
                if reply["error"]["data"]["kind"] == "unknown_task" {
                    return;
                }
            }
        })
        .await;
        // The handler ends with the expired task.
        gate.holds(0).await;
    }
}

#[tokio::test]
async fn one_principal_leaves_room_for_others() {
    let gate = Gate::new();
    let server = limited(&gate, |limits| limits.tasks.stored = 16);
    let client = http(&server).await;
    let (mut alice, mut bob) = (client.known_as("alice"), client.known_as("bob"));
    for _ in 0..2 {
        alice.begin_task("must", "never").await;
    }
    assert!(is_overloaded(&alice.run("must", "never").await));
    bob.begin_task("must", "never").await;
    // A caller without a principal is known by its network.
    let site = Site::serve(server.http()).await;
    let call = json!({"name": "must", "arguments": {"how": "never"}});
    let call = message::capable(1, "tools/call", call, capabilities(true));
    for has_room in [true, true, false] {
        let reply = site.post("/", None, &call).await.message().await;
        assert_eq!(!is_overloaded(&reply), has_room, "{reply}");
        if !has_room {
            let message = "There is no room for another task: try again later";
            assert_eq!(reply["error"]["message"], message);
        }
    }
}

#[tokio::test]
async fn a_result_that_is_too_large_is_told_in_its_place() {
    let gate = Gate::new();
    // A result that exceeds the limit becomes a tool error for the model, as it would without a
    // task.
    let server = limited(&gate, |limits| limits.reply_bytes = 1 << 20);
    let mut client = stream(&server).await;
    let id = client.begin_task("must", "large").await;
    gate.open(1);
    let task = client.wait(&id, "completed").await;
    assert_eq!(task["result"]["isError"], true, "{task}");
    // The result does not fit into the memory for all tasks.
    let server = limited(&gate, |limits| limits.tasks.bytes = 1 << 20);
    let mut client = stream(&server).await;
    let id = client.begin_task("must", "large").await;
    gate.open(1);
    let task = client.wait(&id, "failed").await;
    assert_eq!(task["error"]["code"], -32603, "{task}");
}

#[tokio::test]
async fn servers_that_share_a_store_tell_of_each_others_tasks() {
    let gate = Gate::new();
    let tasks = MemoryTasks::new(&plainly::limits::Limits::default());
    let [one, other] = [(); 2].map(|()| builder(&gate).task_store(tasks.clone()).build().unwrap());
    let (mut here, mut there) = (stream(&one).await, stream(&other).await);
    assert!(tasks.is_empty());
    let id = here.begin_task("must", "well").await;
    assert_eq!(tasks.len(), 1);
    assert_eq!(there.get(&id).await["status"], "working");
    gate.open(1);
    there.wait(&id, "completed").await;
}

/// A store that other processes change too.
#[derive(Clone, Debug)]
struct Shared(MemoryTasks);

impl TaskStore for Shared {
    async fn insert(&self, record: TaskRecord) -> Result<(), TaskStoreError> {
        self.0.insert(record).await
    }

    async fn get(&self, id: &str) -> Result<Option<TaskRecord>, TaskStoreError> {
        self.0.get(id).await
    }

    async fn replace(&self, record: TaskRecord) -> Result<bool, TaskStoreError> {
        self.0.replace(record).await
    }

    fn is_shared(&self) -> bool {
        true
    }
}

#[tokio::test]
async fn a_task_is_answered_and_stopped_by_any_server_that_shares_its_store() {
    let gate = Gate::new();
    let mut limits = plainly::limits::Limits::default();
    limits.tasks.poll_interval = Duration::from_millis(5);
    let tasks = Shared(MemoryTasks::new(&limits));
    let [one, other] = [(); 2].map(|()| {
        let builder = asking(&gate).limits(limits.clone());
        builder.task_store(tasks.clone()).build().unwrap()
    });
    let (mut here, mut there) = (stream(&one).await, stream(&other).await);
    let id = here.begin_asking("one").await;
    there.asked(&id).await;
    there.answer(&id, json!({"who": accept("Ada")})).await;
    assert_eq!(there.text(&id).await, "Ada");
    let id = here.begin_task("must", "never").await;
    gate.holds(1).await;
    there.ask("tasks/cancel", json!({"taskId": id})).await;
    gate.holds(0).await;
    assert_eq!(here.get(&id).await["status"], "cancelled");
}
