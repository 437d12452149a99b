//! A server whose handlers wait for the test, and a client's requests about its tasks.

use plainly::Revision;
use plainly::limits::Limits;
use plainly::server::extract::{Args, Context, Progress, State, Task};
use plainly::server::{Failure, Server, ServerBuilder, TaskSupport, Tool};
use plainly_errors::{Problem, ProtocolError};
use plainly_peer::message::TASKS;
use plainly_peer::{Client, Gate, within};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize, JsonSchema)]
struct How {
    how: String,
}

/// Ends in the chosen way.
async fn end(State(gate): State<Gate>, Args(How { how }): Args<How>) -> Result<String, Failure> {
    if how != "at once" {
        gate.pass().await;
    }
    match how.as_str() {
        "text" => Err(Failure::text("no luck")),
        "problem" => Err(Problem::not_found("user", "7").into()),
        "protocol" => Err(ProtocolError::internal("out of paper").into()),
        "panic" => panic!("the handler's secret"),
        "large" => Ok("x".repeat(4 << 20)),
        how => Ok(format!("ended {how}")),
    }
}

/// Begins its task, unless it is told to fail before.
async fn steps(
    State(gate): State<Gate>,
    context: Context,
    task: Task,
    Args(How { how }): Args<How>,
) -> Result<&'static str, ProtocolError> {
    task.say("said to nobody").await;
    if how == "refuse" {
        return Err(ProtocolError::internal("not begun"));
    }
    task.begin().await;
    task.begin().await;
    task.say("first").await;
    gate.pass().await;
    context
        .progress(Progress::new(1).of(2).message("second"))
        .await;
    gate.pass().await;
    Ok("third")
}

/// Begins its task in another task of the runtime.
async fn elsewhere(State(gate): State<Gate>, task: Task) -> Result<&'static str, Failure> {
    let beginning = task.clone();
    tokio::spawn(async move { beginning.begin().await }).await?;
    gate.pass().await;
    Ok("done")
}

pub(crate) fn builder(gate: &Gate) -> ServerBuilder {
    Server::builder("test", "1")
        .state(gate.clone())
        .tool(Tool::new("hello", async || "Hello!"))
        .tool(Tool::new("may", end).task(TaskSupport::Optional))
        .tool(Tool::new("must", end).task(TaskSupport::Required))
        .tool(Tool::new("steps", steps).task(TaskSupport::Optional))
        .tool(Tool::new("elsewhere", elsewhere).task(TaskSupport::Required))
}

pub(crate) fn server(gate: &Gate) -> Server {
    builder(gate).build().unwrap()
}

pub(crate) fn limited(gate: &Gate, change: impl FnOnce(&mut Limits)) -> Server {
    let mut limits = Limits::default();
    change(&mut limits);
    builder(gate).limits(limits).build().unwrap()
}

/// Returns the capabilities of a client that can be asked, with or without support for tasks.
pub(crate) fn capabilities(can_follow: bool) -> Value {
    let mut capabilities = json!({"elicitation": {"form": {}, "url": {}}});
    if can_follow {
        capabilities["extensions"] = json!({TASKS: {}});
    }
    capabilities
}

/// Connects clients that support tasks, over each transport.
pub(crate) async fn clients(server: &Server) -> [Client; 2] {
    Client::both(server, Revision::LATEST, capabilities(true)).await
}

pub(crate) async fn stream(server: &Server) -> Client {
    Client::stream(server, Revision::LATEST, capabilities(true)).await
}

pub(crate) async fn http(server: &Server) -> Client {
    Client::http(server, Revision::LATEST, capabilities(true)).await
}

/// A client's requests about tasks.
pub(crate) trait Following {
    fn client(&mut self) -> &mut Client;

    /// Calls `tool`, and chooses its end.
    async fn run(&mut self, tool: &str, how: &str) -> Value {
        let params = json!({"name": tool, "arguments": {"how": how}});
        self.client().ask("tools/call", params).await
    }

    /// Starts a task, and returns its id.
    async fn begin_task(&mut self, tool: &str, how: &str) -> String {
        let reply = self.run(tool, how).await;
        assert_eq!(reply["result"]["resultType"], "task", "{reply}");
        reply["result"]["taskId"].as_str().unwrap().to_owned()
    }

    /// Returns the server's report of a task.
    async fn get(&mut self, id: &str) -> Value {
        let params = json!({"taskId": id});
        let mut reply = self.client().ask("tasks/get", params).await;
        assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
        reply["result"].take()
    }

    /// Waits until the task has this status, and returns the report.
    async fn wait(&mut self, id: &str, status: &str) -> Value {
        within(async {
            loop {
                let task = self.get(id).await;
                if task["status"] == status {
                    return task;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }

    async fn begin_asking(&mut self, tool: &str) -> String {
        let reply = self.client().ask("tools/call", json!({"name": tool})).await;
        assert_eq!(reply["result"]["resultType"], "task", "{reply}");
        assert_eq!(reply["result"].get("inputRequests"), None);
        reply["result"]["taskId"].as_str().unwrap().to_owned()
    }

    async fn answer(&mut self, id: &str, answers: Value) {
        let params = json!({"taskId": id, "inputResponses": answers});
        let reply = self.client().ask("tasks/update", params).await;
        assert_eq!(reply["result"]["resultType"], "complete", "{reply}");
    }

    /// Waits until the task asks something, and returns the keys of its questions.
    async fn asked(&mut self, id: &str) -> Vec<String> {
        let task = self.wait(id, "input_required").await;
        let asked = task["inputRequests"].as_object().unwrap();
        asked.keys().cloned().collect()
    }

    async fn text(&mut self, id: &str) -> String {
        let task = self.wait(id, "completed").await;
        task["result"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .to_owned()
    }
}

impl Following for Client {
    fn client(&mut self) -> &mut Client {
        self
    }
}
