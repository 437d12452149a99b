//! A server that says what a test wants, over HTTP, for what ours never says.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

/// Serves `answer`, which gets a method and its parameters and gives `result` or `error`. Answers discovery itself. Gives
/// its URL; it ends with the tests.
pub(crate) fn fake(answer: fn(&str, &Value) -> Value) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            converse(stream.unwrap(), answer);
        }
    });
    format!("http://{address}/mcp")
}

/// Answers one request, if there is one.
fn converse(mut stream: TcpStream, answer: fn(&str, &Value) -> Value) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|&read| read > 0)?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let request: Value = serde_json::from_slice(&body).unwrap();
    let mut reply = match request["method"].as_str().unwrap() {
        "server/discover" => json!({ "result": {
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "resources": {}, "tools": {}, "prompts": {} },
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
