//! A whole server over a byte stream. Any bytes must get at most one reply for each line, and a
//! valid request after them must get its result.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;

use plainly::limits::Limits;
use plainly::{Args, ProtocolError, Resource, ResourceUri, Server, Tool};
use plainly_fuzz::{Chunks, check_words, has_words, pieces};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

const GOOD: &[u8] = br#"
{"jsonrpc":"2.0","id":"good","method":"tools/call","params":{"name":"echo","arguments":{"text":"hi"},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}
"#;

#[derive(Deserialize, JsonSchema)]
struct Echo {
    text: String,
}

async fn echo(Args(Echo { text }): Args<Echo>) -> String {
    text
}

async fn note() -> &'static str {
    "Be kind."
}

async fn gone(uri: ResourceUri) -> Result<String, ProtocolError> {
    Err(ProtocolError::resource_not_found(uri))
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let mut limits = Limits::default();
    // Earlier requests must not occupy all places of the connection when the valid request arrives.
    limits.requests_per_connection = 1 << 20;
    Server::builder("fuzz", "1")
        .limits(limits)
        .tool(Tool::new("echo", echo))
        .resource(Resource::new("app://note", note))
        .resource(Resource::new("app://gone", gone))
        .build()
        .unwrap()
});

static RUNTIME: LazyLock<Runtime> =
    LazyLock::new(|| Builder::new_current_thread().enable_time().build().unwrap());

fuzz_target!(|bytes: &[u8]| {
    let Some((lengths, bytes)) = bytes.split_first_chunk::<4>() else {
        return;
    };
    let mut replies = Vec::new();
    let reader = Chunks(pieces(lengths, bytes).chain([GOOD]));
    RUNTIME
        .block_on(SERVER.serve(reader, &mut replies).into_future())
        .unwrap();

    let replies: Vec<Value> = String::from_utf8(replies)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    if !has_words(&String::from_utf8_lossy(bytes)) {
        replies.iter().for_each(check_words);
    }
    let lines = bytes.split(|byte| *byte == b'\n');
    let lines = lines.filter(|line| !line.trim_ascii().is_empty()).count() + 1;
    // A rejected batch has a reply for each of its requests.
    let objects = bytes.iter().filter(|byte| **byte == b'{').count();
    assert!(replies.len() <= lines + objects, "{replies:?}");
    let good =
        |reply: &Value| reply["id"] == "good" && reply["result"]["content"][0]["text"] == "hi";
    assert!(replies.iter().any(good), "{replies:?}");
});
