//! A server over a byte stream, spoken to in raw lines.
#![cfg(feature = "server")]

use plainly::errors::ProtocolError;
use plainly::server::extract::Args;
use plainly::server::reply::Text;
use plainly::server::{Resource, Server, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

async fn panics() -> &'static str {
    panic!("secret")
}

async fn motd() -> Text {
    Text::plain("Be kind.")
}

async fn gone() -> Result<Text, ProtocolError> {
    Err(ProtocolError::resource_not_found("app://gone"))
}

fn server() -> Server {
    Server::builder("test", "1")
        .tool(Tool::new("echo", echo))
        .tool(Tool::new("panics", panics))
        .resource(Resource::new("app://motd", motd).name("motd"))
        .resource(Resource::new("app://gone", gone))
        .build()
        .unwrap()
}

/// Sends `lines`, and gives all replies in the order in which they came.
async fn talk(lines: &[String]) -> Vec<Value> {
    let (near, far) = tokio::io::duplex(1 << 20);
    let (reader, writer) = tokio::io::split(far);
    let serving = tokio::spawn(async move { server().serve(reader, writer).await });
    let (reader, mut writer) = tokio::io::split(near);
    for line in lines {
        writer.write_all(line.as_bytes()).await.unwrap();
        writer.write_all(b"\n").await.unwrap();
    }
    writer.shutdown().await.unwrap();
    let mut replies = Vec::new();
    let mut read = BufReader::new(reader).lines();
    while let Some(line) = read.next_line().await.unwrap() {
        replies.push(serde_json::from_str(&line).unwrap());
    }
    serving.await.unwrap().unwrap();
    replies
}

fn modern(id: u64, method: &str, mut params: Value) -> String {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string()
}

fn meta() -> Value {
    json!({"io.modelcontextprotocol/serverInfo": {"name": "test", "version": "1"}})
}

#[tokio::test]
async fn a_modern_peer_calls_tools_without_a_handshake() {
    let replies = talk(&[
        modern(
            1,
            "tools/call",
            json!({"name": "echo", "arguments": {"text": "hi"}}),
        ),
        modern(
            2,
            "tools/call",
            json!({"name": "echo", "arguments": {"text": 1}}),
        ),
        modern(3, "tools/call", json!({"name": "panics"})),
        modern(4, "tools/call", json!({"name": "nope"})),
    ])
    .await;
    assert_eq!(
        replies,
        [
            json!({"jsonrpc": "2.0", "id": 1, "result": {
                "content": [{"type": "text", "text": "hi"}], "resultType": "complete", "_meta": meta()}}),
            json!({"jsonrpc": "2.0", "id": 2, "result": {
                "content": [{"type": "text",
                    "text": "Invalid arguments for tool echo: /text: 1 is not of type \"string\""}],
                "isError": true, "resultType": "complete", "_meta": meta()}}),
            json!({"jsonrpc": "2.0", "id": 3, "result": {
                "content": [{"type": "text", "text": "Internal error"}],
                "isError": true, "resultType": "complete", "_meta": meta()}}),
            json!({"jsonrpc": "2.0", "id": 4, "error": {
                "code": -32602, "message": "Unknown tool: nope", "data": {"kind": "unknown_tool", "name": "nope"}}}),
        ]
    );
}

#[tokio::test]
async fn a_modern_peer_reads_resources_and_learns_what_is_missing() {
    let replies = talk(&[
        modern(1, "resources/read", json!({"uri": "app://motd"})),
        modern(2, "resources/read", json!({"uri": "app://gone"})),
        modern(3, "resources/metadata", json!({"uri": "app://nowhere"})),
    ])
    .await;
    assert_eq!(
        replies,
        [
            json!({"jsonrpc": "2.0", "id": 1, "result": {
                "contents": [{"uri": "app://motd", "name": "motd", "mimeType": "text/plain", "size": 8,
                    "isCollection": false, "text": "Be kind."}],
                "resultType": "complete", "ttlMs": 0, "cacheScope": "private", "_meta": meta()}}),
            json!({"jsonrpc": "2.0", "id": 2, "error": {
                "code": -32602, "message": "Resource not found: app://gone", "data": {"uri": "app://gone"}}}),
            json!({"jsonrpc": "2.0", "id": 3, "error": {
                "code": -32602, "message": "Resource not found: app://nowhere", "data": {"uri": "app://nowhere"}}}),
        ]
    );
}

#[tokio::test]
async fn a_modern_peer_discovers_and_does_not_find_what_its_revision_lost() {
    let replies = talk(&[
        modern(1, "server/discover", json!({})),
        modern(2, "ping", json!({})),
    ])
    .await;
    assert_eq!(
        replies,
        [
            json!({"jsonrpc": "2.0", "id": 1, "result": {
                "supportedVersions": ["2026-07-28"],
                "capabilities": {"extensions": {"dev.plainly/resources": {}}, "resources": {}, "tools": {}},
                "resultType": "complete", "ttlMs": 300_000, "cacheScope": "public", "_meta": meta()}}),
            json!({"jsonrpc": "2.0", "id": 2, "error": {
                "code": -32601, "message": "Method not found: ping", "data": {"method": "ping"}}}),
        ]
    );
}

#[tokio::test]
async fn a_legacy_peer_opens_the_session_of_the_stream() {
    let replies = talk(&[
        r#"{"jsonrpc":"2.0","id":"a","method":"ping"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":0,"method":"tools/list"}"#.to_owned(),
        json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
            "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}}})
        .to_string(),
        r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_owned(),
        r#"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"}}}"#
            .to_owned(),
        r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#.to_owned(),
        "{".to_owned(),
    ])
    .await;
    assert_eq!(
        replies[0],
        json!({"jsonrpc": "2.0", "id": "a", "result": {}})
    );
    assert_eq!(replies[1]["error"]["code"], -32602);
    assert_eq!(replies[2]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(
        replies[3],
        json!({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "hi"}]}})
    );
    assert_eq!(replies[4], json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
    assert_eq!(
        replies.len(),
        5,
        "2025-06-18 has no answer to what is no message"
    );
}
