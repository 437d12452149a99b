//! Tools that run as tasks, with a client that writes its messages itself.

use serde_json::json;

use crate::cell::Cell;
use crate::raw::{Raw, Reply};

/// Calls a tool that may run as a task.
async fn begin(raw: &mut Raw, tool: &str) -> Reply {
    raw.ask("tools/call", json!({"name": tool})).await
}

async fn get(raw: &mut Raw, begun: &Reply) -> Reply {
    raw.ask("tasks/get", json!({"taskId": begun.result()["taskId"]}))
        .await
}

/// Polls the task until it has this status.
async fn wait(raw: &mut Raw, begun: &Reply, status: &str) -> Reply {
    loop {
        let task = get(raw, begun).await;
        if task.result()["status"] == status || task.message.get("error").is_some() {
            return task;
        }
        tokio::task::yield_now().await;
    }
}

/// Runs a task until its result. In a revision without tasks, the result comes at once.
pub(crate) async fn done(cell: &Cell, tool: &str) -> String {
    let mut raw = cell.raw().await;
    cell.world.gate.add_permits(1);
    let begun = begin(&mut raw, tool).await;
    if begun.message.get("error").is_some() {
        cell.world.gate.forget_permits(1);
        return begun.told();
    }
    if begun.result()["resultType"] != "task" {
        return format!("no task, {}", begun.result()["content"][0]["text"]);
    }
    let done = wait(&mut raw, &begun, "completed").await;
    format!("task, {}", done.result()["result"]["content"][0]["text"])
}

/// A task that asks the user.
pub(crate) async fn asks(cell: &Cell) -> String {
    let mut raw = cell.raw().await;
    let begun = begin(&mut raw, "task-form").await;
    if begun.result()["resultType"] != "task" {
        return begun.told();
    }
    let asked = wait(&mut raw, &begun, "input_required").await;
    let message = &asked.result()["inputRequests"]["who"]["params"]["message"];
    let answers = json!({"who": {"action": "accept", "content": {"name": "Ada"}}});
    let id = &begun.result()["taskId"];
    raw.ask(
        "tasks/update",
        json!({"taskId": id, "inputResponses": answers}),
    )
    .await;
    let done = wait(&mut raw, &begun, "completed").await;
    format!(
        "{message} {}",
        done.result()["result"]["content"][0]["text"]
    )
}

pub(crate) async fn cancelled(cell: &Cell) -> String {
    let mut raw = cell.raw().await;
    let begun = match cell.revision.era() {
        plainly::errors::Era::Modern => begin(&mut raw, "job").await,
        // Without a task, nothing would end the call.
        plainly::errors::Era::Legacy => Reply {
            status: None,
            message: json!({}),
        },
    };
    let id = begun.result()["taskId"].as_str().unwrap_or("none");
    let cancelled = raw.ask("tasks/cancel", json!({"taskId": id})).await;
    if cancelled.message.get("error").is_some() {
        return cancelled.told();
    }
    wait(&mut raw, &begun, "cancelled").await.result()["status"].to_string()
}

pub(crate) async fn unknown(cell: &Cell) -> String {
    cell.raw()
        .await
        .ask("tasks/get", json!({"taskId": "nope"}))
        .await
        .told()
}
