//! The example of a long job: every revision hears of its progress, and the newest may have it as a task.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::{Client, Revision};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream};

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
struct Raw(BufReader<DuplexStream>);

impl Raw {
    fn open() -> Self {
        let (near, far) = tokio::io::duplex(1 << 16);
        let (reader, writer) = tokio::io::split(far);
        tokio::spawn(async move { job::server().unwrap().serve(reader, writer).await });
        Self(BufReader::new(near))
    }

    async fn result(&mut self, method: &str, mut params: Value) -> Value {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {
                "extensions": {"io.modelcontextprotocol/tasks": {}},
            },
        });
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let line = format!("{message}\n");
        self.0.write_all(line.as_bytes()).await.unwrap();
        let mut reply = String::new();
        self.0.read_line(&mut reply).await.unwrap();
        let reply: Value = serde_json::from_str(&reply).unwrap();
        reply["result"].clone()
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
    assert_eq!(
        task["result"]["content"][0]["text"],
        "20 pages are scanned."
    );
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
