//! The example of a long job: clients of every revision receive its progress, and the newest ones
//! can run it as a task.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::Revision;
use plainly_peer::Client;
use plainly_peer::message::TASKS;
use serde_json::{Value, json};

#[path = "../../examples/job.rs"]
#[expect(dead_code, reason = "the example's `main` serves standard input")]
mod example;

#[tokio::test(start_paused = true)]
async fn who_waits_hears_of_each_page() {
    for revision in Revision::ALL {
        let client = plainly::Client::in_memory(&example::server().unwrap());
        let client = client.revision(revision).connect().await.unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let told = Arc::clone(&heard);
        let scanning = client.call_tool("scan", json!({"pages": 20}));
        let result = scanning
            .on_progress(move |progress| told.lock().unwrap().push(progress.message.unwrap()))
            .await
            .unwrap();
        assert_eq!(result.content[0].as_text(), Some("20 pages are scanned."));
        let heard = heard.lock().unwrap();
        assert_eq!(heard.len(), 20, "{revision}");
        assert_eq!(heard[6], "page 7 of 20");
    }
}

/// Connects a client that supports tasks and sends raw messages.
async fn open() -> Client {
    let capabilities = json!({"extensions": {TASKS: {}}});
    Client::stream(&example::server().unwrap(), Revision::LATEST, capabilities).await
}

async fn result(client: &mut Client, method: &str, params: Value) -> Value {
    client.ask(method, params).await["result"].take()
}

async fn scan(client: &mut Client, pages: u32) -> Value {
    let params = json!({"name": "scan", "arguments": {"pages": pages}});
    let task = result(client, "tools/call", params).await;
    assert_eq!(task["resultType"], "task", "{task}");
    task["taskId"].clone()
}

#[tokio::test(start_paused = true)]
async fn who_knows_tasks_comes_again_for_the_result() {
    let mut client = open().await;
    let id = scan(&mut client, 20).await;
    tokio::time::sleep(Duration::from_millis(7_500)).await;
    let task = result(&mut client, "tasks/get", json!({"taskId": id})).await;
    assert_eq!(task["status"], "working");
    assert_eq!(task["statusMessage"], "page 7 of 20");
    tokio::time::sleep(Duration::from_secs(15)).await;
    let task = result(&mut client, "tasks/get", json!({"taskId": id})).await;
    assert_eq!(task["status"], "completed");
    let expected = "20 pages are scanned.";
    assert_eq!(task["result"]["content"][0]["text"], expected);
}

#[tokio::test(start_paused = true)]
async fn a_task_can_be_stopped() {
    let mut client = open().await;
    let id = scan(&mut client, 1000).await;
    let acknowledged = result(&mut client, "tasks/cancel", json!({"taskId": id})).await;
    assert_eq!(acknowledged["resultType"], "complete");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let task = result(&mut client, "tasks/get", json!({"taskId": id})).await;
    assert_eq!(task["status"], "cancelled");
}
