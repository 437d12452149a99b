//! The life of a call as a task: its handle, its progress, and every way in which it ends.

use std::sync::{Arc, Mutex};

use axum::body::Body;
use http::Request;
use plainly::limits::Limits;
use plainly::server::{MemoryTasks, TaskRecord, TaskStore, TaskStoreError};
use serde_json::{Value, json};
use tower_service::Service;

use super::support::{Following, builder, capabilities, clients, http, limited, server, stream};
use plainly_peer::{Gate, within};

fn acknowledged(id: u64) -> Value {
    let meta = json!({"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1"}});
    json!({"jsonrpc": "2.0", "id": id, "result": {"resultType": "complete", "_meta": meta}})
}

fn is_iso_8601(text: &Value) -> bool {
    let text = text.as_str().unwrap_or_default();
    text.len() == "2026-07-28T10:00:00.000Z".len()
        && text.ends_with('Z')
        && text.get(10..11) == Some("T")
}

fn text(task: &Value) -> &str {
    task["result"]["content"][0]["text"].as_str().unwrap()
}

#[tokio::test]
async fn a_call_that_must_be_a_task_is_one_from_its_handle_to_its_result() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let mut created = client.run("must", "well").await["result"].take();
        let id = created["taskId"].as_str().unwrap().to_owned();
        assert_eq!(id.len(), 32);
        let mut told = client.get(&id).await;
        for task in [&mut created, &mut told] {
            assert!(is_iso_8601(&task["createdAt"].take()), "{task}");
            assert!(is_iso_8601(&task["lastUpdatedAt"].take()), "{task}");
        }
        let as_result = |result_type: &str| {
            let info = json!({"name": "test", "version": "1"});
            json!({
                "resultType": result_type, "taskId": id, "status": "working", "createdAt": null,
                "lastUpdatedAt": null, "ttlMs": 3_600_000, "pollIntervalMs": 1_000,
                "_meta": {"io.modelcontextprotocol/serverInfo": info},
            })
        };
        assert_eq!(created, as_result("task"));
        assert_eq!(told, as_result("complete"));
        gate.open(1);
        let task = client.wait(&id, "completed").await;
        assert_eq!(text(&task), "ended well");
        assert_eq!(task["result"]["resultType"], "complete");
        assert_eq!(task["error"], Value::Null);
        assert_eq!(client.get(&id).await, task);
    }
}

#[tokio::test]
async fn a_call_that_may_be_a_task_is_one_if_it_takes_time() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let reply = client.run("may", "at once").await;
        assert_eq!(text(&reply), "ended at once", "{reply}");
        assert_eq!(reply["result"]["resultType"], "complete");
        let id = client.begin_task("may", "late").await;
        gate.open(1);
        assert_eq!(text(&client.wait(&id, "completed").await), "ended late");
        // A tool that requires tasks returns one even if it completes at once.
        let id = client.begin_task("must", "at once").await;
        assert_eq!(text(&client.wait(&id, "completed").await), "ended at once");
    }
}

#[tokio::test]
async fn whoever_can_not_follow_waits_for_the_result() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        client.capabilities = capabilities(false);
        for (tool, waits) in [("may", 1), ("steps", 2)] {
            (0..waits).for_each(|_| gate.open(1));
            let reply = client.run(tool, "late").await;
            assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
        }
    }
}

#[tokio::test]
async fn each_end_of_a_handler_is_the_end_of_its_task() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        for (how, expected) in [("text", "no luck"), ("problem", "user not found: 7")] {
            let id = client.begin_task("must", how).await;
            gate.open(1);
            let task = client.wait(&id, "completed").await;
            assert_eq!(task["result"]["isError"], true, "{task}");
            assert!(
                text(&task).to_lowercase().contains(expected) || how == "problem",
                "{task}"
            );
        }
        for (how, code, message) in [
            ("protocol", -32603, "out of paper"),
            ("panic", -32603, "Internal error"),
        ] {
            let id = client.begin_task("must", how).await;
            gate.open(1);
            let task = client.wait(&id, "failed").await;
            assert_eq!(task["error"], json!({"code": code, "message": message}));
            assert_eq!(task["statusMessage"], message);
            assert_eq!(task.get("result"), None);
        }
    }
}

#[tokio::test]
async fn a_cancelled_task_has_no_handler_any_more() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_task("must", "never").await;
        gate.holds(1).await;
        for _ in 0..2 {
            let request = client.request("tasks/cancel", json!({"taskId": id}));
            let reply = client.exchange(&request).await;
            assert_eq!(reply, acknowledged(request["id"].as_u64().unwrap()));
            assert_eq!(client.get(&id).await["status"], "cancelled");
        }
        gate.holds(0).await;
        gate.open(1);
        let id = client.begin_task("must", "well").await;
        let before = client.wait(&id, "completed").await;
        let reply = client.ask("tasks/cancel", json!({"taskId": id})).await;
        assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
        assert_eq!(client.get(&id).await, before);
    }
}

#[tokio::test]
async fn a_handler_says_from_where_on_it_is_a_task_and_what_it_does() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let reply = client.run("steps", "refuse").await;
        assert_eq!(reply["result"]["isError"], true, "{reply}");
        assert_eq!(text(&reply), "not begun");
        let id = client.begin_task("steps", "").await;
        gate.holds(1).await;
        assert_eq!(client.get(&id).await["statusMessage"], "first");
        gate.open(1);
        within(async { while client.get(&id).await["statusMessage"] != "second" {} }).await;
        gate.open(1);
        assert_eq!(text(&client.wait(&id, "completed").await), "third");
    }
}

#[tokio::test]
async fn whatever_part_of_a_handler_says_so_it_becomes_a_task() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let reply = client.ask("tools/call", json!({"name": "elsewhere"})).await;
        let id = reply["result"]["taskId"].as_str().unwrap().to_owned();
        gate.open(1);
        assert_eq!(text(&client.wait(&id, "completed").await), "done");
    }
}

#[tokio::test]
async fn a_task_outlives_the_connection_that_it_came_over() {
    let gate = Gate::new();
    let server = server(&gate);
    let mut first = stream(&server).await;
    let id = first.begin_task("may", "late").await;
    drop(first);
    gate.holds(1).await;
    for mut client in clients(&server).await {
        assert_eq!(client.get(&id).await["status"], "working");
    }
    gate.open(1);
    for mut client in clients(&server).await {
        assert_eq!(text(&client.wait(&id, "completed").await), "ended late");
    }
}

/// A store that signals each new task, and returns when its gate opens.
#[derive(Clone, Debug)]
struct Slow {
    kept: MemoryTasks,
    gate: Gate,
    last: Arc<Mutex<String>>,
}

impl TaskStore for Slow {
    async fn insert(&self, record: TaskRecord) -> Result<(), TaskStoreError> {
        record.id().clone_into(&mut self.last.lock().unwrap());
        self.kept.insert(record).await?;
        self.gate.pass().await;
        Ok(())
    }

    async fn get(&self, id: &str) -> Result<Option<TaskRecord>, TaskStoreError> {
        self.kept.get(id).await
    }

    async fn replace(&self, record: TaskRecord) -> Result<bool, TaskStoreError> {
        self.kept.replace(record).await
    }
}

#[tokio::test]
async fn a_task_whose_client_is_gone_before_it_knows_its_name_is_cancelled() {
    let (gate, stored) = (Gate::new(), Gate::new());
    let store = Slow {
        kept: MemoryTasks::new(&Limits::default()),
        gate: stored.clone(),
        last: Arc::default(),
    };
    let server = builder(&gate).task_store(store.clone()).build().unwrap();
    let mut client = http(&server).await;
    let params = json!({"name": "must", "arguments": {"how": "well"}});
    let message = client.request("tools/call", params);
    let request = Request::post("/")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .header("mcp-protocol-version", "2026-07-28")
        .header("mcp-method", "tools/call")
        .header("mcp-name", "must")
        .body(Body::from(message.to_string()))
        .unwrap();
    {
        let mut service = server.http();
        tokio::select! {
            _ = service.call(request) => panic!("it is not kept yet"),
            () = stored.holds(1) => {}
        }
    }
    stored.open(1);
    let id = store.last.lock().unwrap().clone();
    client.wait(&id, "cancelled").await;
    gate.holds(0).await;
    stored.open(1);
    let id = client.begin_task("must", "well").await;
    gate.open(1);
    assert_eq!(text(&client.wait(&id, "completed").await), "ended well");
}

#[tokio::test]
async fn what_takes_too_long_fails() {
    let gate = Gate::new();
    let server = limited(&gate, |limits| {
        limits.tasks.deadline = std::time::Duration::from_millis(20)
    });
    for mut client in clients(&server).await {
        let id = client.begin_task("must", "never").await;
        let task = client.wait(&id, "failed").await;
        assert_eq!(task["error"]["code"], -32603);
        let expected = json!({"kind": "deadline_exceeded", "limitMs": 20});
        assert_eq!(task["error"]["data"], expected);
        gate.holds(0).await;
    }
}

#[tokio::test]
async fn progress_and_log_messages_of_a_task_are_sent_to_nobody() {
    let gate = Gate::new();
    let server = server(&gate);
    let mut client = stream(&server).await;
    let params = json!({"name": "steps", "arguments": {"how": ""}});
    let mut request = client.request("tools/call", params);
    request["params"]["_meta"]["progressToken"] = json!("p");
    let reply = client.exchange(&request).await;
    assert_eq!(reply["result"]["resultType"], "task", "{reply}");
    let id = reply["result"]["taskId"].as_str().unwrap();
    gate.open(1);
    gate.open(1);
    // Any other message would be the next one, and fail the wait.
    client.wait(id, "completed").await;
}
