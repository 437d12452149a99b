//! Replicas of a server over any engine.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::server::extract::Ask;
use plainly::server::{AskError, Changes, Keys};
use plainly::transport::Reply;
use plainly::{Args, Resource, Server, TaskSupport, Tool};
use plainly_cluster::Engine;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use crate::clients::{Session, modern, whole};

pub(crate) const URI: &str = "test://news";

#[derive(Deserialize, JsonSchema)]
struct Words {
    text: String,
}

async fn echo(Args(Words { text }): Args<Words>) -> String {
    text
}

#[derive(Deserialize, JsonSchema)]
struct Size {
    kib: usize,
}

/// A text of this many KiB, each of which is different.
pub(crate) fn text_of(kib: usize) -> String {
    let same = "x".repeat(1_014);
    (0..kib)
        .map(|number| format!("{number:010}{same}"))
        .collect()
}

async fn much(Args(Size { kib }): Args<Size>) -> String {
    text_of(kib)
}

/// Returns a long text, once the client has answered.
async fn roots(ask: Ask, Args(Size { kib }): Args<Size>) -> Result<String, AskError> {
    ask.roots("roots").await?;
    Ok(text_of(kib))
}

pub(crate) struct Replica<E> {
    pub(crate) server: Server,
    pub(crate) changes: Changes,
    pub(crate) engine: E,
}

impl<E: Engine + Clone> Replica<E> {
    pub(crate) fn new(engine: E) -> Self {
        let changes = Changes::new();
        let server = Server::builder("test", "1")
            .keys(Keys::new([7; 32]))
            .tool(Tool::new("echo", echo))
            .tool(Tool::new("roots", roots))
            .tool(Tool::new("task", much).task(TaskSupport::Required))
            .resource(Resource::new(URI, async || "none").name("news"))
            .changes(changes.clone())
            .cluster(engine.clone())
            .build();
        Self {
            server: server.unwrap(),
            changes,
            engine,
        }
    }

    /// Starts a task, and returns the status of the reply.
    pub(crate) async fn try_begin_task(&self) -> u16 {
        self.call_task(1).await.status.as_u16()
    }

    /// Starts a task whose result has this size, and returns its name.
    pub(crate) async fn begin_task(&self, kib: usize) -> String {
        let reply = whole(self.call_task(kib).await).await;
        reply["result"]["taskId"].as_str().unwrap().to_owned()
    }

    async fn call_task(&self, kib: usize) -> Reply {
        let call = json!({ "name": "task", "arguments": { "kib": kib } });
        modern(&self.server, Some("task"), "tools/call", call).await
    }
}

impl Session {
    /// Subscribes to the resource, and returns the status of the reply.
    pub(crate) async fn subscribe(&self, server: &Server) -> u16 {
        let params = json!({ "uri": URI });
        let subscribe =
            json!({ "jsonrpc": "2.0", "id": 1, "method": "resources/subscribe", "params": params });
        self.send(server, &subscribe).await.status.as_u16()
    }
}
