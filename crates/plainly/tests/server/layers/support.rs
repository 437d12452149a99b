//! A server with one handler of each kind, and its clients over every transport.

use std::future::pending;

use plainly::client::{Client, Error};
use plainly::protocol::types::{CallToolResult, Content};
use plainly::server::{Changes, ServerBuilder};
use plainly::transport::http::HttpServer;
use plainly::{
    Args, Context, Failure, Json, Prompt, Resource, ResourceTemplate, ResourceUri, Revision,
    Server, Tool, Vars,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Echo {
    text: String,
}

#[derive(Serialize, JsonSchema)]
struct Length {
    bytes: usize,
}

#[derive(Deserialize, JsonSchema)]
struct Note {
    id: String,
}

/// A value that a layer adds for handlers.
#[derive(Clone)]
pub(crate) struct Found(pub(crate) String);

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

async fn length(Args(Echo { text }): Args<Echo>) -> Json<Length> {
    Json(Length { bytes: text.len() })
}

async fn fail() -> Result<String, Failure> {
    Err(Failure::text("it is broken"))
}

async fn breaks() -> String {
    panic!("broken")
}

async fn found(context: Context) -> String {
    let found = context.extension::<Found>();
    found.map_or("nothing".to_owned(), |found| found.0.clone())
}

async fn works(context: Context) -> &'static str {
    for step in 1..=20 {
        context.progress(step).await;
    }
    "worked"
}

async fn note(uri: ResourceUri, Vars(Note { id }): Vars<Note>) -> String {
    format!("{id} at {}", &*uri)
}

pub(crate) fn builder() -> ServerBuilder {
    Server::builder("test", "1")
        .tool(Tool::new("echo", echo))
        .tool(Tool::new("length", length))
        .tool(Tool::new("fail", fail))
        .tool(Tool::new("breaks", breaks))
        .tool(Tool::new("found", found))
        .tool(Tool::new("works", works))
        .prompt(Prompt::new("echo", echo))
        .resource(Resource::new("found://here", found))
        .resource_template(ResourceTemplate::new("note://{id}", note).name("note"))
}

pub(crate) fn changing(changes: &Changes) -> ServerBuilder {
    builder().changes(changes.clone())
}

pub(crate) async fn in_memory(server: &Server, revision: Revision) -> Client {
    let client = Client::in_memory(server).revision(revision);
    client.connect().await.unwrap()
}

pub(crate) async fn over_http(server: &Server, revision: Revision) -> Client {
    let listener = HttpServer::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr());
    tokio::spawn(listener.serve(server.http(), pending()));
    Client::http(url)
        .revision(revision)
        .connect()
        .await
        .unwrap()
}

/// Connects clients of every revision, over every transport.
pub(crate) async fn clients(server: &Server) -> Vec<Client> {
    let mut clients = Vec::new();
    for revision in Revision::ALL {
        clients.push(in_memory(server, revision).await);
        clients.push(over_http(server, revision).await);
    }
    clients
}

pub(crate) fn text(result: &CallToolResult) -> &str {
    match result.content.as_slice() {
        [Content::Text(text)] => &text.text,
        other => panic!("{other:?}"),
    }
}

/// Returns the message of the server's error.
pub(crate) fn message<T>(result: Result<T, Error>) -> String {
    let error = result.err().unwrap();
    error.protocol().unwrap().message().into_owned()
}
