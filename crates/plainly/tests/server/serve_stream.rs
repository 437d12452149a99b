//! A server over a byte stream, with a client that sends raw lines.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly::errors::ProtocolError;
use plainly::limits::Limits;
use plainly::protocol::types::{CallToolResult, Content, RawJson};
use plainly::server::extract::Args;
use plainly::server::reply::{Json, Text, ToolReply};
use plainly::server::{Failure, Prompt, Resource, ResourceTemplate, Server, Tool};
use plainly_peer::{Peer, message};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

#[derive(Deserialize, JsonSchema)]
struct Roll {
    #[schemars(range(min = 1, max = 6))]
    sides: u8,
}

async fn roll(Args(Roll { sides }): Args<Roll>) -> String {
    sides.to_string()
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

async fn sum() -> Json<Sum> {
    Json(Sum { sum: 3 })
}

/// A reply whose type promises structured output, but which has none.
struct Liar;

impl ToolReply<Self> for Liar {
    fn into_result(self) -> Result<CallToolResult, Failure> {
        Ok(CallToolResult::new([Content::text("three")]))
    }

    fn output_schema() -> Option<Value> {
        Some(
            json!({"type": "object", "properties": {"sum": {"type": "integer"}}, "required": ["sum"]}),
        )
    }
}

async fn lies() -> Liar {
    Liar
}

/// A reply whose type promises structured output, and which fails with this content.
struct Excuse(Value);

impl ToolReply<Self> for Excuse {
    fn into_result(self) -> Result<CallToolResult, Failure> {
        let result = CallToolResult::new([Content::text("out of numbers")]).is_error(true);
        Ok(result.structured_content(RawJson::encode(&self.0)?))
    }

    fn output_schema() -> Option<Value> {
        Liar::output_schema()
    }
}

async fn partial() -> Excuse {
    Excuse(json!({"sum": 2}))
}

async fn excuse() -> Excuse {
    Excuse(json!({"why": "there are none left"}))
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
        .tool(Tool::new("roll", roll))
        .tool(Tool::new("sum", sum))
        .tool(Tool::new("lies", lies))
        .tool(Tool::new("partial", partial))
        .tool(Tool::new("excuse", excuse))
        .resource(Resource::new("app://motd", motd).name("motd"))
        .resource(Resource::new("app://gone", gone))
        .build()
        .unwrap()
}

/// Sends `lines`, and returns all replies in the order of their arrival.
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
    let wrong = r#"Invalid arguments for tool echo: /text: 1 is not of type "string""#;
    assert_eq!(
        replies,
        [
            json!({"jsonrpc": "2.0", "id": 1, "result": {
                "content": [{"type": "text", "text": "hi"}], "resultType": "complete", "_meta": meta()}}),
            json!({"jsonrpc": "2.0", "id": 2, "result": {
                "content": [{"type": "text",
                    "text": wrong}],
                "structuredContent": {
                    "success": false, "error": wrong, "code": "VALIDATION_ERROR",
                    "details": {"problems": [{"path": "/text", "message": "1 is not of type \"string\""}]}},
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
                    "isCollection": false, "capabilities": {"list": false, "subscribe": false}, "text": "Be kind."}],
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
                "capabilities": {"extensions": {"dev.plainly/resources": {"conditional": true, "directoryRead": true, "formats": true, "parts": true}}, "resources": {}, "tools": {}},
                "resultType": "complete", "ttlMs": 300_000, "cacheScope": "public", "_meta": meta()}}),
            json!({"jsonrpc": "2.0", "id": 2, "error": {
                "code": -32601, "message": "Method not found: ping (2026-07-28 does not have it)", "data": {"method": "ping"}}}),
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
    let expected = json!({"jsonrpc": "2.0", "id": "a", "result": {}});
    assert_eq!(replies[0], expected);
    assert_eq!(replies[1]["error"]["code"], -32602);
    assert_eq!(replies[2]["result"]["protocolVersion"], "2025-06-18");
    assert_eq!(
        replies[3],
        json!({"jsonrpc": "2.0", "id": 2, "result": {"content": [{"type": "text", "text": "hi"}]}})
    );
    assert_eq!(replies[4], json!({"jsonrpc": "2.0", "id": 3, "result": {}}));
    let found = replies.len();
    assert_eq!(found, 5, "2025-06-18 has no answer to what is no message");
}

#[tokio::test]
async fn arguments_and_output_are_held_against_their_schemas() {
    let call = |id, name, arguments: Value| {
        modern(
            id,
            "tools/call",
            json!({"name": name, "arguments": arguments}),
        )
    };
    let replies = talk(&[
        call(1, "roll", json!({"sides": 6})),
        call(2, "roll", json!({"sides": 7})),
        call(3, "panics", json!({"unasked": true})),
        call(4, "sum", json!({})),
        call(5, "lies", json!({})),
    ])
    .await;
    let outcomes: Vec<_> = replies
        .iter()
        .map(|reply| {
            let result = &reply["result"];
            (
                result["content"][0]["text"].as_str().unwrap(),
                result["isError"] == true,
            )
        })
        .collect();
    assert_eq!(
        outcomes,
        [
            ("6", false),
            (
                "Invalid arguments for tool roll: /sides: 7 is greater than the maximum of 6",
                true
            ),
            (
                "Invalid arguments for tool panics: \
                 Additional properties are not allowed ('unasked' was unexpected)",
                true
            ),
            (r#"{"sum":3}"#, false),
            (
                "Internal error: the tool's structured output does not match its output schema",
                true
            ),
        ]
    );
    assert_eq!(replies[3]["result"]["structuredContent"], json!({"sum": 3}));
}

#[tokio::test]
async fn a_tool_error_keeps_its_words_and_of_its_structured_content_only_what_was_promised() {
    let call = |id, name: &str| modern(id, "tools/call", json!({"name": name}));
    for (reply, kept) in talk(&[call(1, "partial"), call(2, "excuse")])
        .await
        .iter()
        .zip([json!({"sum": 2}), Value::Null])
    {
        let result = &reply["result"];
        assert_eq!(result["isError"], true, "{reply}");
        assert_eq!(result["content"][0]["text"], "out of numbers");
        assert_eq!(result["structuredContent"], kept);
    }
}

#[tokio::test]
async fn a_server_that_is_full_runs_nothing_of_a_handler_and_answers_what_needs_none() {
    let runs = Arc::new(AtomicUsize::new(0));
    // The function itself counts, not its future.
    let handler = |runs: &Arc<AtomicUsize>| {
        let runs = Arc::clone(runs);
        move || {
            runs.fetch_add(1, Ordering::Relaxed);
            async { "ran" }
        }
    };
    let mut full = Limits::default();
    full.requests = 0;
    let server = Server::builder("full", "1")
        .limits(full)
        .tool(Tool::new("tool", handler(&runs)))
        .prompt(Prompt::new("prompt", handler(&runs)))
        .resource(Resource::new("app://one", handler(&runs)))
        .resource_template(ResourceTemplate::new("app://{name}/any", handler(&runs)))
        .build()
        .unwrap();
    let mut client = Peer::connect(&server);
    for (method, params) in [
        ("tools/call", json!({"name": "tool"})),
        ("prompts/get", json!({"name": "prompt"})),
        ("resources/read", json!({"uri": "app://one"})),
        ("resources/read", json!({"uri": "app://a/any"})),
    ] {
        let reply = client.ask(message::modern(1, method, params)).await;
        assert_eq!(reply["error"]["data"]["kind"], "overloaded", "{reply}");
    }
    assert_eq!(runs.load(Ordering::Relaxed), 0);
    for method in [
        "server/discover",
        "tools/list",
        "prompts/list",
        "resources/templates/list",
    ] {
        let reply = client.ask(message::modern(1, method, json!({}))).await;
        assert!(reply["result"].is_object(), "{method}: {reply}");
    }
}
