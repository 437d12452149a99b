//! The transports of messages, and a client's requests over HTTP.

use serde_json::Value;

/// The transport of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    Stream,
    Http,
    /// HTTP with SSE.
    Events,
}

/// Returns a message as a complete request to `path` of `host`.
pub(crate) fn post(path: &str, host: &str, headers: &str, message: &Value) -> String {
    let body = message.to_string();
    head("POST", path, host, headers, body.len()) + &body
}

/// Returns the head of a request whose body has so many bytes.
pub(crate) fn head(method: &str, path: &str, host: &str, headers: &str, length: usize) -> String {
    let accept = match method {
        "POST" => "application/json, text/event-stream",
        _ => "text/event-stream",
    };
    format!(
        "{method} {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n\
         Accept: {accept}\r\n{headers}Content-Length: {length}\r\n\r\n"
    )
}

/// Returns the headers of a message: those of its session or, for a modern message, its own.
pub(crate) fn headers(message: &Value, session: Option<&str>) -> String {
    let params = &message["params"];
    if params["_meta"]["io.modelcontextprotocol/protocolVersion"].is_null() {
        return session.map_or_else(String::new, |name| format!("Mcp-Session-Id: {name}\r\n"));
    }
    let method = message["method"].as_str().unwrap();
    let mut headers = format!("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: {method}\r\n");
    let name = ["name", "uri", "taskId"].iter();
    if let Some(name) = name.filter_map(|key| params[*key].as_str()).next() {
        headers += &format!("Mcp-Name: {name}\r\n");
    }
    headers
}
