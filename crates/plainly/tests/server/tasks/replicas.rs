//! Tasks of several servers that share their records.

use std::time::Duration;

use plainly::limits::Limits;
use plainly::server::extract::State;
use plainly::server::{Keys, Server, ServerBuilder, TaskSupport, Tool};
use plainly_cluster::InProcess;
use plainly_peer::Gate;
use serde_json::json;

use super::asking::{accept, asking};
use super::support::{Following, http, stream};

/// A server that shares the records of `engine`.
fn replica(engine: &InProcess, builder: ServerBuilder) -> Server {
    let mut limits = Limits::default();
    limits.tasks.poll_interval = Duration::from_millis(5);
    let builder = builder.limits(limits).keys(Keys::new([1; 32]));
    builder.records(engine.replica()).build().unwrap()
}

#[tokio::test]
async fn a_task_is_reported_answered_and_cancelled_by_any() {
    let (engine, gate) = (InProcess::new(), Gate::new());
    let [one, other] = [(); 2].map(|()| replica(&engine, asking(&gate)));
    let (mut here, mut there) = (stream(&one).await, http(&other).await);
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

async fn much(State(length): State<usize>) -> String {
    "0123456789abcde\n".repeat(length / 16)
}

#[tokio::test]
async fn huge() {
    for length in [768 << 10, 4 << 20] {
        let engine = InProcess::new();
        let [one, other] = [(); 2].map(|()| {
            let tool = Tool::new("much", much).task(TaskSupport::Required);
            replica(
                &engine,
                Server::builder("test", "1").state(length).tool(tool),
            )
        });
        let (mut here, mut there) = (http(&one).await, http(&other).await);
        let id = here.begin_asking("much").await;
        let text = there.text(&id).await;
        assert!(text == "0123456789abcde\n".repeat(length / 16), "{length}");
    }
}

#[tokio::test]
async fn a_server_that_ends_puts_its_tasks_as_failed() {
    let (engine, gate) = (InProcess::new(), Gate::new());
    let [one, other] = [(); 2].map(|()| replica(&engine, asking(&gate)));
    let (mut here, mut there) = (stream(&one).await, http(&other).await);
    let ended = here.begin_task("must", "well").await;
    gate.open(1);
    there.wait(&ended, "completed").await;
    let running = here.begin_task("must", "never").await;
    let elsewhere = there.begin_task("must", "never").await;
    gate.holds(2).await;
    one.end_tasks().await;
    gate.holds(1).await;
    let task = there.get(&running).await;
    assert_eq!(
        (&task["status"], &task["error"]["code"]),
        (&json!("failed"), &json!(-32603))
    );
    assert_eq!(there.get(&ended).await["status"], "completed");
    assert_eq!(there.get(&elsewhere).await["status"], "working");
}
