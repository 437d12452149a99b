//! The tools, resources and tasks for failing streams, in addition to those for cut connections.

use std::future::pending;
use std::sync::{Arc, Weak};

use plainly::protocol::types::LoggingLevel;
use plainly::server::ServerBuilder;
use plainly::server::extract::{Args, Context, State};
use plainly::{Resource, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

use super::fixture::{Fixture, Running};

#[derive(Deserialize, JsonSchema)]
struct Words {
    text: String,
}

async fn say(Args(Words { text }): Args<Words>) -> String {
    text
}

/// Sends several messages before its reply.
async fn tell(State(running): State<Running>, context: Context) -> &'static str {
    let _running = running.one_more();
    context.progress(1).await;
    context.log(LoggingLevel::Info, "half of it").await;
    context.progress(2).await;
    "told"
}

async fn wait(State(running): State<Running>) -> &'static str {
    let _running = running.one_more();
    pending().await
}

fn more(builder: ServerBuilder) -> ServerBuilder {
    let resource = |uri: &str| Resource::new(uri, async || "read");
    builder
        .tool(Tool::new("say", say))
        .tool(Tool::new("tell", tell))
        .tool(Tool::new("wait", wait))
        .resource(resource("app://0"))
        .resource(resource("app://1"))
        .resource(resource("app://2"))
        .resource(resource("app://3"))
        .resource(resource("app://4"))
}

/// Returns a server with small limits, and a reference that shows whether it was dropped.
pub(crate) fn fixture() -> (Fixture, Weak<()>) {
    let held = Arc::new(());
    let there = Arc::downgrade(&held);
    (Fixture::with(1, |builder| more(builder).state(held)), there)
}
