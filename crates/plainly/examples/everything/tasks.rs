//! Tools whose calls go on as tasks, for clients that can deal with them: one that takes its time, two that fail.

use std::time::Duration;

use plainly::server::{ServerBuilder, TaskSupport};
use plainly::{Args, Failure, ProtocolError, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::time::sleep;

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
    server
        .tool(Tool::new("greet", greet).description("Greets, and is never a task"))
        .tool(slow)
        .tool(failing)
        .tool(broken)
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
    /// How long to take.
    seconds: u32,
    /// What to call it.
    #[serde(default)]
    label: String,
}

/// What takes no time at all needs no task. A task that is cancelled is dropped where it waits.
async fn slow_compute(Args(Work { seconds, label }): Args<Work>) -> String {
    sleep(Duration::from_secs(seconds.into())).await;
    format!("Computed {label:?} in {seconds} s")
}

/// The task is completed, with a result that the model reads.
async fn failing_job() -> Result<String, Failure> {
    sleep(Duration::from_secs(1)).await;
    Err(Failure::text("The job has failed"))
}

/// The task has failed, with an error that the host's code reads.
async fn protocol_error_job() -> Result<String, ProtocolError> {
    sleep(Duration::from_millis(100)).await;
    Err(ProtocolError::internal("The job could not be done"))
}
