//! The example of a long job: every revision hears of its progress, and the newest may have it as a task.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::{Client, Revision};
use plainly_peer::Peer;
use plainly_peer::message::{TASKS, capable};
use serde_json::{Value, json};

#[path = "../examples/job.rs"]
#[expect(dead_code, reason = "the example's `main` serves standard input")]
mod job;

#[tokio::test(start_paused = true)]
async fn who_waits_hears_of_each_page() {
    for revision in Revision::ALL {
        let client = Client::in_memory(&job::server().unwrap());
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

/// A client that knows tasks, in raw messages.
struct Raw(Peer);

impl Raw {
    fn open() -> Self {
        Self(Peer::connect(&job::server().unwrap()))
    }

    async fn result(&mut self, method: &str, params: Value) -> Value {
        let capabilities = json!({"extensions": {TASKS: {}}});
        let request = capable(1, method, params, capabilities);
        self.0.ask(request).await["result"].take()
    }

    async fn scan(&mut self, pages: u32) -> Value {
        let params = json!({"name": "scan", "arguments": {"pages": pages}});
        let task = self.result("tools/call", params).await;
        assert_eq!(task["resultType"], "task", "{task}");
        task["taskId"].clone()
    }
}

#[tokio::test(start_paused = true)]
async fn who_knows_tasks_comes_again_for_the_result() {
    let mut client = Raw::open();
    let id = client.scan(20).await;
    tokio::time::sleep(Duration::from_millis(7_500)).await;
    let task = client.result("tasks/get", json!({"taskId": id})).await;
    assert_eq!(task["status"], "working");
    assert_eq!(task["statusMessage"], "page 7 of 20");
    tokio::time::sleep(Duration::from_secs(15)).await;
    let task = client.result("tasks/get", json!({"taskId": id})).await;
    assert_eq!(task["status"], "completed");
    let expected = "20 pages are scanned.";
    assert_eq!(task["result"]["content"][0]["text"], expected);
}

#[tokio::test(start_paused = true)]
async fn a_task_can_be_stopped() {
    let mut client = Raw::open();
    let id = client.scan(1000).await;
    let acknowledged = client.result("tasks/cancel", json!({"taskId": id})).await;
    assert_eq!(acknowledged["resultType"], "complete");
    tokio::time::sleep(Duration::from_secs(1)).await;
    let task = client.result("tasks/get", json!({"taskId": id})).await;
    assert_eq!(task["status"], "cancelled");
}
