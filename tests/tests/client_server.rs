//! Our client and our server with each other: every revision, over a byte stream and over HTTP, the older transport too.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::path::Path;
use std::time::Duration;

use futures_util::future::BoxFuture;
use plainly::client::{Client, MetadataSource};
use plainly::errors::{Era, ErrorKind, InvalidParams, Revision};
use plainly::protocol::types::Content;
use plainly::server::extract::Args;
use plainly::server::{Server, Tool};
use plainly::transport::http::HttpServer;
use plainly_directory::DirectoryStore;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};
use tempfile::TempDir;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

async fn never() -> &'static str {
    std::future::pending().await
}

/// A server with two tools, and a directory with more files than a page has entries.
fn server(directory: &Path) -> Server {
    std::fs::create_dir(directory.join("many")).expect("writable");
    for number in 0..1_200 {
        std::fs::write(directory.join(format!("many/{number}.txt")), "").expect("writable");
    }
    std::fs::write(directory.join("größe.txt"), "hello\n\"world\"\u{1f600}").expect("writable");
    std::fs::write(directory.join("image.png"), b"\x89PNG\r\n\x1a\n\0").expect("writable");
    Server::builder("test", "1")
        .tool(Tool::new("echo", echo))
        .tool(Tool::new("never", never))
        .store(DirectoryStore::new(directory).expect("a directory"))
        .build()
        .expect("complete")
}

async fn over_memory(server: Server, revision: Revision) -> Client {
    let (reader, writer) = plainly_peer::served(&server);
    let builder = Client::over(reader, writer).revision(revision);
    builder.connect().await.expect("connected")
}

async fn over_http(server: Server, revision: Revision) -> Client {
    let listener = HttpServer::bind("127.0.0.1:0").await.expect("bound");
    let url = format!("http://{}/mcp", listener.local_addr());
    let service = server.http();
    tokio::spawn(listener.serve(service, std::future::pending()));
    let builder = Client::http(url).revision(revision);
    builder.connect().await.expect("connected")
}

/// The same where the server is only reached by HTTP with SSE.
async fn over_pipe(server: Server, revision: Revision) -> Client {
    let listener = HttpServer::bind("127.0.0.1:0").await.expect("bound");
    let url = format!("http://{}/sse", listener.local_addr());
    let service = server.http().sse_endpoint("/sse");
    tokio::spawn(listener.serve(service, std::future::pending()));
    let builder = Client::http(url).revision(revision);
    builder.connect().await.expect("connected")
}

async fn exercise(client: Client, revision: Revision) {
    assert_eq!(client.revision(), revision);
    assert_eq!(client.server().unwrap().name, "test");
    assert!(client.capabilities().resources.is_some());
    client.ping().await.unwrap();
    let found = client.discover().await.is_ok();
    assert_eq!(found, revision.era() == Era::Modern);

    tools(&client).await;
    resources(&client).await;
    cancellation(&client).await;

    client.close().await;
    assert!(client.ping().await.unwrap_err().is_closed());
}

async fn tools(client: &Client) {
    let names: Vec<_> = client
        .tools()
        .await
        .unwrap()
        .into_iter()
        .map(|tool| tool.name)
        .collect();
    assert_eq!(names, ["echo", "never"]);
    let result = client
        .call_tool("echo", json!({"text": "a\nb"}))
        .await
        .unwrap();
    assert!(!result.is_tool_error());
    let wrong = client.call_tool("echo", json!({"text": 1})).await.unwrap();
    assert!(wrong.is_tool_error());
    let unknown = client.call_tool("nope", ()).await.unwrap_err();
    assert!(
        matches!(
            unknown.protocol().map(|error| error.kind()),
            Some(ErrorKind::InvalidParams(InvalidParams::UnknownTool { name })) if name == "nope"
        ),
        "{unknown}"
    );
}

/// In a box of its own: unoptimised, all that one function awaits has room on the stack at once.
fn resources(client: &Client) -> BoxFuture<'_, ()> {
    Box::pin(async {
        let all = client.resources(None).await.unwrap();
        let find = |end: &str| {
            let found = all.iter().find(|resource| resource.uri.ends_with(end));
            found.unwrap_or_else(|| panic!("no {end}"))
        };
        let many = all
            .iter()
            .find(|resource| resource.name == "many")
            .expect("the directory");
        let children = client.resources(Some(&many.uri)).await.unwrap();
        assert_eq!(children.len(), 1_200);

        let text = all
            .iter()
            .find(|resource| resource.name == "größe.txt")
            .expect("the file");
        let read = client.read(&text.uri).await.unwrap();
        assert_eq!(
            read.contents[0].body.as_bytes(),
            "hello\n\"world\"\u{1f600}".as_bytes()
        );
        let image = client.read(&find("image.png").uri).await.unwrap();
        assert_eq!(image.contents[0].body.as_bytes(), b"\x89PNG\r\n\x1a\n\0");

        let metadata = client.metadata(&text.uri).await.unwrap();
        assert_eq!(metadata.source, MetadataSource::Direct);
        assert_eq!(metadata.resource.uri, text.uri);
        let missing = text.uri.replace("gr", "nope");
        assert!(
            client
                .read(&missing)
                .await
                .unwrap_err()
                .is_resource_not_found()
        );
        assert!(
            client
                .metadata(&missing)
                .await
                .unwrap_err()
                .is_resource_not_found()
        );
    })
}

async fn cancellation(client: &Client) {
    let impatient = client.with_timeout(Duration::from_millis(50));
    assert!(
        impatient
            .call_tool("never", ())
            .await
            .unwrap_err()
            .is_timeout()
    );
    client.ping().await.unwrap();
}

#[tokio::test]
async fn every_revision_works_over_a_byte_stream() {
    let directory = TempDir::new().unwrap();
    let server = server(directory.path());
    for revision in Revision::ALL {
        exercise(over_memory(server.clone(), revision).await, revision).await;
    }
}

#[tokio::test]
async fn every_revision_works_over_http() {
    let directory = TempDir::new().unwrap();
    let server = server(directory.path());
    for revision in Revision::ALL {
        exercise(over_http(server.clone(), revision).await, revision).await;
    }
}

#[tokio::test]
async fn every_revision_with_a_handshake_works_over_http_with_sse() {
    let directory = TempDir::new().unwrap();
    let server = server(directory.path());
    let legacy = Revision::ALL
        .iter()
        .filter(|revision| revision.era() == Era::Legacy);
    for revision in legacy.copied() {
        exercise(over_pipe(server.clone(), revision).await, revision).await;
    }
}

#[tokio::test]
async fn arguments_that_a_router_sees_reach_the_tool() {
    let schema = r#"{"type":"object","properties":{
        "text":{"type":["string"],"description":"not mirrored"},
        "region":{"type":"string","x-mcp-header":"Region"},
        "limit":{"type":"integer","x-mcp-header":"Limit"},
        "options":{"type":"object","properties":{"dry":{"type":"boolean","x-mcp-header":"Dry-Run"}}}}}"#;
    let echo = |Args(all): Args<Map<String, Value>>| async { Value::Object(all).to_string() };
    let tool = Tool::new("query", echo).input_schema(schema);
    let server = Server::builder("test", "1").tool(tool).build().unwrap();
    let cases = [
        json!({"text": "ä", "region": "eu", "limit": 7, "options": {"dry": false}}),
        json!({"region": "Größe \r\n ", "limit": -9_007_199_254_740_991_i64}),
        json!({"region": "", "limit": 42.0, "options": {}}),
        json!({"region": "=?base64?SGk=?=", "options": {"dry": true}}),
        json!({"text": "alone"}),
    ];
    for revision in Revision::ALL {
        for is_listed in [false, true] {
            for arguments in &cases {
                let client = over_http(server.clone(), revision).await;
                if is_listed {
                    assert_eq!(client.tools().await.unwrap().len(), 1);
                }
                let called = client.call_tool("query", arguments).await.unwrap();
                assert!(!called.is_tool_error(), "{arguments}");
                let Content::Text(said) = &called.content[0] else {
                    panic!("no text");
                };
                let said: Value = serde_json::from_str(&said.text).unwrap();
                assert_eq!(&said, arguments);
            }
        }
    }
}

#[tokio::test]
async fn without_a_pin_the_newest_revision_is_spoken() {
    let directory = TempDir::new().unwrap();
    let server = server(directory.path());
    let (reader, writer) = plainly_peer::served(&server);
    let client = Client::over(reader, writer).connect().await.unwrap();
    assert_eq!(client.revision(), Revision::LATEST);
}
