//! The servers: with tools, texts and bytes in memory, and with a directory.

use plainly::Args;
use plainly::server::reply::{Blob, Text};
use plainly::server::{Resource, Server, ServerBuilder, Tool};
use plainly_directory::DirectoryStore;
use plainly_otel::Telemetry;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::Outcome;

pub(crate) const SMALL: &str = "app://small";
pub(crate) const LARGE_TEXT: &str = "app://large-text";
pub(crate) const LARGE_BINARY: &str = "app://large-binary";
pub(crate) const MISSING: &str = "app://missing";
pub(crate) const ECHOED: &str = "hello from the benchmark";

const LARGE: usize = 1 << 20;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

/// A server with one tool, and texts and bytes in memory.
pub(crate) fn small() -> Outcome<Server> {
    Ok(with_few_things(Server::builder("bench", "1.0.0")).build()?)
}

/// The server of [`small`] with telemetry.
pub(crate) fn observed(telemetry: Telemetry) -> Outcome<Server> {
    let server = Server::builder("bench", "1.0.0");
    let server = server.on_operation(move |operation| telemetry.observe(operation));
    Ok(with_few_things(server).build()?)
}

fn with_few_things(server: ServerBuilder) -> ServerBuilder {
    let text = |uri: &str, text: String| {
        let read = move || std::future::ready(Text::plain(text.clone()));
        Resource::new(uri, read).name("text")
    };
    let bytes = Vec::from_iter(0..=u8::MAX).repeat(LARGE >> 8);
    let binary = move || std::future::ready(Blob::new(bytes.clone(), "application/octet-stream"));
    server
        .tool(Tool::new("echo", echo).description("Says what it is told"))
        .resource(text(SMALL, "0123456789".repeat(20)))
        .resource(text(LARGE_TEXT, lines()))
        .resource(Resource::new(LARGE_BINARY, binary).name("bytes"))
}

/// A server with 100 tools.
pub(crate) fn many_tools() -> Outcome<Server> {
    let tools = (0..100).map(|number| {
        Tool::new(format!("tool-{number}"), echo).description("Says what it is told")
    });
    let server = Server::builder("bench", "1.0.0");
    let server = tools.fold(server, |server, tool| server.tool(tool));
    Ok(server.build()?)
}

/// A server of the files below `path`.
pub(crate) fn files(path: &std::path::Path) -> Outcome<Server> {
    let store = DirectoryStore::new(path)?;
    let server = Server::builder("bench", "1.0.0").store(store).build()?;
    Ok(server)
}

/// A MiB of typical lines. JSON only escapes their line endings.
fn lines() -> String {
    let line = "A line of plain text, as there are many of them in a file.\n";
    let mut text = line.repeat(LARGE / line.len() + 1);
    text.truncate(LARGE);
    text
}
