//! Tools whose calls continue as tasks, for clients that support them: one takes a while, two fail,
//! and some ask the client.

use std::time::Duration;

use plainly::protocol::types::{BooleanField, ElicitFormParams};
use plainly::server::extract::{Ask, Task};
use plainly::server::{ServerBuilder, TaskSupport};
use plainly::{Args, Failure, ProtocolError, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;
use tokio::try_join;

use super::asking::name;

pub(crate) fn add(server: ServerBuilder) -> ServerBuilder {
    let slow = Tool::new("slow_compute", slow_compute)
        .description("Takes as long as it is told to")
        .task(TaskSupport::Optional);
    let failing = Tool::new("failing_job", failing_job)
        .description("Fails, for the model")
        .task(TaskSupport::Required);
    let broken = Tool::new("protocol_error_job", protocol_error_job)
        .description("Fails, for the host")
        .task(TaskSupport::Optional);
    let confirming = Tool::new("confirm_delete", confirm_delete)
        .description("Asks before it deletes nothing")
        .task(TaskSupport::Optional);
    let asking = Tool::new("multi_input", multi_input)
        .description("Asks two things at once")
        .task(TaskSupport::Optional);
    let asking_before = Tool::new("test_tool_with_task", ask_before)
        .description("Asks first, then becomes a task")
        .task(TaskSupport::Required);
    server
        .tool(Tool::new("greet", greet).description("Greets, and is never a task"))
        .tool(slow)
        .tool(failing)
        .tool(broken)
        .tool(confirming)
        .tool(asking)
        .tool(asking_before)
}

#[derive(Deserialize, JsonSchema)]
struct Whom {
    /// Whom to greet.
    name: String,
}

async fn greet(Args(Whom { name }): Args<Whom>) -> String {
    format!("Hello, {name}!")
}

#[derive(Deserialize, JsonSchema)]
struct Work {
    /// The duration, in seconds.
    seconds: u32,
    /// The label of the result.
    #[serde(default)]
    label: String,
}

/// Computes for some seconds. A call that ends at once needs no task, and a cancelled task is
/// dropped at its `await`.
async fn slow_compute(Args(Work { seconds, label }): Args<Work>) -> String {
    sleep(Duration::from_secs(seconds.into())).await;
    format!("Computed {label:?} in {seconds} s")
}

/// Completes its task with a failure that the model reads.
async fn failing_job() -> Result<String, Failure> {
    sleep(Duration::from_secs(1)).await;
    Err(Failure::text("The job has failed"))
}

/// Fails its task with an error that the host's code reads.
async fn protocol_error_job() -> Result<String, ProtocolError> {
    sleep(Duration::from_millis(100)).await;
    Err(ProtocolError::internal("The job could not be done"))
}

#[derive(Deserialize, JsonSchema)]
struct File {
    /// The file to delete.
    filename: String,
}

#[derive(Deserialize)]
struct Confirmed {
    confirm: bool,
}

/// Asks a question, for which the task waits.
async fn confirm_delete(
    task: Task,
    ask: Ask,
    Args(File { filename }): Args<File>,
) -> Result<String, Failure> {
    task.begin().await;
    let form =
        ElicitFormParams::new(format!("Delete {filename}?")).field("confirm", BooleanField::new());
    let answer = ask.elicit("confirm", form).await?.accepted()?;
    Ok(match answer {
        Some(Confirmed { confirm: true }) => format!("{filename} is deleted."),
        _ => format!("{filename} stays."),
    })
}

/// Asks two questions together, which the client can answer one after the other.
async fn multi_input(task: Task, ask: Ask) -> Result<String, Failure> {
    task.begin().await;
    let (one, other) = try_join!(name(&ask, "first"), name(&ask, "second"))?;
    Ok(format!("Hello, {one} and {other}!"))
}

/// Asks a question before the task starts, which the client answers as in any other call.
async fn ask_before(task: Task, ask: Ask) -> Result<String, Failure> {
    let name = name(&ask, "user_name").await?;
    task.begin().await;
    sleep(Duration::from_millis(100)).await;
    Ok(format!("Hello, {name}!"))
}
