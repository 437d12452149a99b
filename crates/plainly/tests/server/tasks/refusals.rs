//! The requests that are rejected, and those that are ignored.

use plainly::Revision;
use plainly::protocol::types::RawJson;
use plainly::server::extract::Task;
use plainly::server::{Server, TaskRecord, TaskStore, TaskStoreError, TaskSupport, Tool};
use serde_json::{Value, json};

use super::support::{Following, builder, capabilities, clients, http, server, stream};
use plainly_peer::message::{TASKS, text};
use plainly_peer::{Client, Gate};

fn unknown() -> Value {
    json!({
        "code": -32602,
        "message": "Unknown task: it does not exist or has expired",
        "data": {"kind": "unknown_task"},
    })
}

fn undeclared() -> Value {
    let required = json!({"extensions": {TASKS: {}}});
    json!({"code": -32021, "data": {"requiredCapabilities": required}})
}

/// Returns the error without its message.
fn error(mut reply: Value) -> Value {
    let mut error = reply["error"].take();
    error.as_object_mut().unwrap().remove("message");
    error
}

const METHODS: [&str; 3] = ["tasks/get", "tasks/update", "tasks/cancel"];

fn params(id: &str) -> Value {
    json!({"taskId": id, "inputResponses": {}})
}

#[tokio::test]
async fn who_does_not_say_so_can_not_deal_with_tasks() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_task("must", "never").await;
        client.capabilities = capabilities(false);
        for method in METHODS {
            let refused = client.ask(method, params(&id)).await;
            assert_eq!(error(refused), undeclared(), "{method}");
            // The missing capability is reported first, whatever else is wrong.
            let refused = client.ask(method, json!({"taskId": 1})).await;
            assert_eq!(error(refused), undeclared(), "{method}");
        }
        let refused = client.run("must", "well").await;
        assert_eq!(error(refused), undeclared());
        client.capabilities = capabilities(true);
        client.ask("tasks/cancel", params(&id)).await;
    }
}

#[tokio::test]
async fn there_is_no_such_task() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        for id in ["", "x", &"f".repeat(32), &"f".repeat(1_000)] {
            for method in METHODS {
                let reply = client.ask(method, params(id)).await;
                assert_eq!(reply["error"], unknown(), "{method} {id}");
            }
        }
        for method in METHODS {
            for wrong in [json!({}), json!({"taskId": 7}), json!({"taskId": null})] {
                let reply = client.ask(method, wrong).await;
                let code = reply["error"]["code"].as_i64().unwrap();
                assert!(code == -32602 || code == -32020, "{reply}");
            }
        }
    }
}

#[tokio::test]
async fn a_task_is_its_principals_alone() {
    let gate = Gate::new();
    let nobody = http(&server(&gate)).await;
    let (mut alice, mut bob) = (nobody.known_as("alice"), nobody.known_as("bob"));
    let mut nobody = nobody;
    let id = alice.begin_task("must", "never").await;
    let open = nobody.begin_task("must", "never").await;
    for method in METHODS {
        let replies = [
            bob.ask(method, params(&id)).await,
            nobody.ask(method, params(&id)).await,
            bob.ask(method, params(&open)).await,
        ];
        for reply in replies {
            assert_eq!(reply["error"], unknown(), "{method}");
        }
    }
    assert_eq!(alice.get(&id).await["status"], "working");
    assert_eq!(nobody.get(&open).await["status"], "working");
    alice.ask("tasks/cancel", params(&id)).await;
    assert_eq!(alice.get(&id).await["status"], "cancelled");
}

#[tokio::test]
async fn answers_that_nobody_waits_for_are_acknowledged_and_change_nothing() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        let id = client.begin_task("must", "well").await;
        let before = client.get(&id).await;
        for answers in [
            json!({}),
            json!({"a": {"action": "accept"}}),
            json!({"b": 7}),
        ] {
            let told = json!({"taskId": id, "inputResponses": answers});
            let reply = client.ask("tasks/update", told).await;
            assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
            assert_eq!(client.get(&id).await, before);
        }
        for wrong in [
            json!({"taskId": id}),
            json!({"taskId": id, "inputResponses": [1]}),
        ] {
            let reply = client.ask("tasks/update", wrong).await;
            assert_eq!(reply["error"]["code"], -32602, "{reply}");
        }
        gate.open(1);
        let over = client.wait(&id, "completed").await;
        let told = json!({"taskId": id, "inputResponses": {"a": {"action": "accept"}}});
        let reply = client.ask("tasks/update", told).await;
        assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
        assert_eq!(client.get(&id).await, over);
    }
}

#[tokio::test]
async fn a_handle_stands_in_the_header_too() {
    let gate = Gate::new();
    let mut client = http(&server(&gate)).await;
    let id = client.begin_task("must", "never").await;
    for method in METHODS {
        let request = client.request(method, params(&id));
        let rest = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
        for headers in [rest.clone(), format!("{rest}Mcp-Name: other\r\n")] {
            let mut response = client.post_with(&headers, &request).await;
            assert_eq!(response.status, 400, "{method}");
            assert_eq!(response.json().await["error"]["code"], -32020, "{method}");
        }
    }
    assert_eq!(client.get(&id).await["status"], "working");
}

#[tokio::test]
async fn what_the_extension_gave_up_does_not_exist() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        for method in ["tasks/list", "tasks/result", "notifications/tasks"] {
            let reply = client.ask(method, json!({})).await;
            assert_eq!(reply["error"]["code"], -32601, "{method} {reply}");
        }
        let params = json!({"name": "hello", "arguments": {}, "task": {"ttl": 60_000}});
        let reply = client.ask("tools/call", params).await;
        assert_eq!(reply["result"]["content"][0]["text"], "Hello!", "{reply}");
    }
}

#[tokio::test]
async fn the_extension_is_declared_where_a_tool_may_become_a_task() {
    let gate = Gate::new();
    let without = Server::builder("test", "1").tool(Tool::new("hello", async || "Hello!"));
    let without = without.build().unwrap();
    for (server, declared) in [(&server(&gate), Some(json!({}))), (&without, None)] {
        for mut client in clients(server).await {
            let reply = client.ask("server/discover", json!({})).await;
            let capabilities = &reply["result"]["capabilities"];
            assert_eq!(capabilities["extensions"].get(TASKS), declared.as_ref());
            assert_eq!(capabilities.get("tasks"), None);
            if declared.is_none() {
                let reply = client.ask("tasks/get", params("x")).await;
                assert_eq!(reply["error"]["code"], -32601, "{reply}");
            }
        }
    }
}

#[tokio::test]
async fn older_revisions_have_no_tasks() {
    let gate = Gate::new();
    for revision in Revision::ALL {
        if !revision.traits().sessions {
            continue;
        }
        let declared = json!({"extensions": {TASKS: {}}, "tasks": {"cancel": {}}});
        let mut client = Client::stream(&server(&gate), revision, declared).await;
        let capabilities = client.opened["capabilities"].to_string();
        assert!(!capabilities.contains("tasks"), "{capabilities}");
        let call =
            |tool: &str| json!({"name": tool, "arguments": {"how": "well"}, "task": {"ttl": 1}});
        // No capability would help.
        let refused = client.ask("tools/call", call("must")).await;
        let expected = json!({
            "code": -32602,
            "message": "Invalid params: this tool runs as a task: use revision 2026-07-28",
            "data": {"kind": "malformed"},
        });
        assert_eq!(refused["error"], expected, "{revision}");
        gate.open(1);
        let reply = client.ask("tools/call", call("may")).await;
        assert_eq!(text(&reply), "ended well");
        for method in METHODS {
            let reply = client.ask(method, params("x")).await;
            assert_eq!(reply["error"]["code"], -32601, "{revision} {method}");
        }
    }
}

#[tokio::test]
async fn arguments_that_are_wrong_make_no_task() {
    let gate = Gate::new();
    for mut client in clients(&server(&gate)).await {
        for tool in ["may", "must", "steps"] {
            let params = json!({"name": tool, "arguments": {"how": 7}});
            let reply = client.ask("tools/call", params).await;
            assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
            assert_eq!(reply["result"]["isError"], true, "{reply}");
        }
    }
}

#[test]
fn a_handler_can_not_begin_a_task_that_its_tool_does_not_allow() {
    let tool = Tool::new("steps", async |task: Task| task.begin().await);
    let error = Server::builder("test", "1").tool(tool).build().unwrap_err();
    let expected = "tool steps takes Task";
    assert!(error.to_string().contains(expected), "{error}");
}

/// A store that fails, or rejects completed tasks because it is full.
#[derive(Clone, Debug, Default)]
struct Broken {
    fails: bool,
    kept: std::sync::Arc<std::sync::Mutex<Option<TaskRecord>>>,
}

impl TaskStore for Broken {
    async fn insert(&self, record: TaskRecord) -> Result<(), TaskStoreError> {
        if self.fails {
            return Err(TaskStoreError::Failed("the disk's secret".into()));
        }
        *self.kept.lock().unwrap() = Some(record);
        Ok(())
    }

    async fn get(&self, _id: &str) -> Result<Option<TaskRecord>, TaskStoreError> {
        Ok(self.kept.lock().unwrap().clone())
    }

    async fn replace(&self, record: TaskRecord) -> Result<bool, TaskStoreError> {
        use plainly::protocol::types::TaskState;
        if let TaskState::Completed { result } = &record.task.state {
            assert!(RawJson::get(result).contains("ended well"));
            return Err(TaskStoreError::Full);
        }
        *self.kept.lock().unwrap() = Some(record);
        Ok(true)
    }
}

#[tokio::test]
async fn a_store_that_fails_fails_the_call_and_the_next_is_served() {
    let gate = Gate::new();
    let fails = Broken {
        fails: true,
        ..Broken::default()
    };
    let server = builder(&gate).task_store(fails).build().unwrap();
    for mut client in clients(&server).await {
        let reply = client.run("must", "well").await;
        let expected =
            json!({"code": -32603, "message": "Internal error: the task store can't be reached"});
        assert_eq!(reply["error"], expected);
        gate.holds(0).await;
        let reply = client.ask("tools/call", json!({"name": "hello"})).await;
        assert_eq!(reply["result"]["content"][0]["text"], "Hello!");
    }
}

#[tokio::test]
async fn a_result_without_room_fails_its_task() {
    let gate = Gate::new();
    let server = builder(&gate)
        .task_store(Broken::default())
        .build()
        .unwrap();
    let mut client = stream(&server).await;
    let id = client.begin_task("must", "well").await;
    gate.open(1);
    let task = client.wait(&id, "failed").await;
    let expected = "Internal error: there is no room for the result";
    assert_eq!(task["error"]["message"], expected);
}

#[test]
fn a_tool_says_how_it_becomes_a_task() {
    let tool = |support| Tool::new("a", async || "x").task(support);
    for support in [TaskSupport::Optional, TaskSupport::Required] {
        assert!(
            Server::builder("test", "1")
                .tool(tool(support))
                .build()
                .is_ok()
        );
    }
}
