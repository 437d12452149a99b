//! A server over HTTP with answers that a test chooses, for answers that plainly never sends.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use crate::received::received;

/// Serves `answer`, which gets a method and its parameters and returns `result` or `error`.
/// Discovery is answered here. Returns the URL; the server ends with the tests.
pub(crate) fn fake(answer: fn(&str, &Value) -> Value) -> String {
    fake_with(json!({}), answer)
}

/// Like `fake`, for a server with extensions.
pub(crate) fn fake_with(extensions: Value, answer: fn(&str, &Value) -> Value) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            converse(stream.unwrap(), &extensions, answer);
        }
    });
    format!("http://{address}/mcp")
}

/// Answers one request, if there is one.
fn converse(
    mut stream: TcpStream,
    extensions: &Value,
    answer: fn(&str, &Value) -> Value,
) -> Option<()> {
    let (_, request) = received(&stream)?;
    let mut reply = match request["method"].as_str().unwrap() {
        "server/discover" => json!({ "result": {
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "resources": {}, "tools": {}, "prompts": {}, "extensions": extensions },
            "ttlMs": 0,
            "cacheScope": "private",
        }}),
        method => answer(method, &request["params"]),
    };
    reply["jsonrpc"] = json!("2.0");
    reply["id"] = request["id"].clone();
    let body = reply.to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    );
    stream.write_all((head + &body).as_bytes()).ok()
}
