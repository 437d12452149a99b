//! Conversations in which a client calls a tool that reports and asks, listens, and follows a task
//! if its revision has tasks.

use plainly::Revision;
use serde_json::{Value, json};

use super::wire::{Cut, Wire};

/// A client at its end of a wire.
pub(crate) struct Client {
    pub(crate) wire: Wire,
    revision: Revision,
    count: u64,
}

impl Client {
    pub(crate) fn new(wire: Wire, revision: Revision) -> Self {
        Self {
            wire,
            revision,
            count: 0,
        }
    }

    pub(crate) fn is_modern(&self) -> bool {
        self.revision == Revision::V2026_07_28
    }

    fn capabilities() -> Value {
        json!({
            "elicitation": {"form": {}},
            "sampling": {},
            "extensions": {"io.modelcontextprotocol/tasks": {}},
        })
    }

    pub(crate) async fn start(&mut self, method: &str, mut params: Value) -> Result<Value, Cut> {
        if self.is_modern() {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] =
                self.revision.as_str().into();
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = Self::capabilities();
        }
        self.count += 1;
        let id = json!(self.count);
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        self.wire.start(&request).await?;
        Ok(id)
    }

    /// Returns the reply to the request `id`. Questions before it are answered.
    pub(crate) async fn reply(&mut self, id: &Value) -> Result<Value, Cut> {
        loop {
            let message = self.wire.next(id).await?;
            if message.get("method").is_none() {
                assert_eq!(message["id"], *id, "{message}");
                return Ok(message["result"].clone());
            }
            if message.get("id").is_some() {
                let answer = answer(&message);
                let response = json!({"jsonrpc": "2.0", "id": message["id"], "result": answer});
                self.wire.tell(&response).await?;
            }
        }
    }

    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Result<Value, Cut> {
        let id = self.start(method, params).await?;
        self.reply(&id).await
    }

    /// Sends the handshake, if the revision has one.
    pub(crate) async fn begin(&mut self) -> Result<(), Cut> {
        if self.is_modern() {
            return Ok(());
        }
        let params = json!({
            "protocolVersion": self.revision.as_str(),
            "capabilities": Self::capabilities(),
            "clientInfo": {"name": "cut", "version": "1"},
        });
        self.ask("initialize", params).await?;
        let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
        self.wire.tell(&initialized).await
    }

    /// Calls a tool that alternates between reports and questions.
    pub(crate) async fn question(&mut self) -> Result<(), Cut> {
        let mut params = json!({"name": "talk", "_meta": {"progressToken": "p"}});
        let mut result = self.ask("tools/call", params.clone()).await?;
        while result["resultType"] == "input_required" {
            params["requestState"] = result["requestState"].clone();
            params["inputResponses"] = answers(&result["inputRequests"]);
            result = self.ask("tools/call", params.clone()).await?;
        }
        assert_eq!(result["content"][0]["text"], "Accept Hi", "{result}");
        Ok(())
    }

    /// Subscribes, and receives a change.
    pub(crate) async fn listen(&mut self) -> Result<(), Cut> {
        let params = json!({"notifications": {"toolsListChanged": true}});
        let listen = self.start("subscriptions/listen", params).await?;
        let first = self.wire.next(&listen).await?;
        let method = "notifications/subscriptions/acknowledged";
        assert_eq!(first["method"], method, "{first}");
        let touch = self.start("tools/call", json!({"name": "touch"})).await?;
        // On a stream, the reply and the change arrive in any order.
        let heard = [
            self.wire.next(&touch).await?,
            self.wire.next(&listen).await?,
        ];
        let changed = "notifications/tools/list_changed";
        assert!(heard.iter().any(|message| message["id"] == touch));
        assert!(heard.iter().any(|message| message["method"] == changed));
        Ok(())
    }

    /// Follows a task to its end.
    pub(crate) async fn follow(&mut self) -> Result<(), Cut> {
        let task = self.ask("tools/call", json!({"name": "work"})).await?;
        let id = task["taskId"].clone();
        let asked = self.task(&id, "input_required").await?;
        let answers = answers(&asked["inputRequests"]);
        let params = json!({"taskId": id, "inputResponses": answers});
        self.ask("tasks/update", params).await?;
        let done = self.task(&id, "completed").await?;
        assert_eq!(done["result"]["content"][0]["text"], "Accept", "{done}");
        Ok(())
    }

    async fn task(&mut self, id: &Value, status: &str) -> Result<Value, Cut> {
        loop {
            let task = self.ask("tasks/get", json!({"taskId": id})).await?;
            if task["status"] == status {
                return Ok(task);
            }
            tokio::task::yield_now().await;
        }
    }
}

fn answers(questions: &Value) -> Value {
    let questions = questions.as_object().unwrap().iter();
    questions
        .map(|(key, question)| (key.clone(), answer(question)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}

fn answer(question: &Value) -> Value {
    match question["method"].as_str().unwrap() {
        "elicitation/create" => json!({"action": "accept", "content": {"sure": true}}),
        "sampling/createMessage" => {
            json!({"role": "assistant", "model": "m", "content": {"type": "text", "text": "Hi"}})
        }
        other => panic!("asked for {other}"),
    }
}
