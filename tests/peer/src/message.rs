//! Messages of clients, and their HTTP headers.

use serde_json::{Value, json};

/// The revision without sessions.
pub const MODERN: &str = "2026-07-28";
/// The revisions with sessions, oldest first.
pub const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];
/// The headers of a client that sends JSON and accepts all responses.
pub const JSON: &str =
    "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n";
/// The extension for tasks.
pub const TASKS: &str = "io.modelcontextprotocol/tasks";
const VERSION: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Creates a request with only these members.
pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

/// Creates a request of the modern revision, from a client without capabilities.
pub fn modern(id: impl Into<Value>, method: &str, params: Value) -> Value {
    capable(id, method, params, json!({}))
}

/// Creates a request of the modern revision, from a client with these capabilities.
pub fn capable(
    id: impl Into<Value>,
    method: &str,
    mut params: Value,
    capabilities: impl Into<Value>,
) -> Value {
    params["_meta"][VERSION] = MODERN.into();
    params["_meta"][CAPABILITIES] = capabilities.into();
    request(id, method, params)
}

/// Creates a modern call of a tool.
pub fn call(id: impl Into<Value>, tool: &str, arguments: impl Into<Value>) -> Value {
    let arguments = arguments.into();
    modern(
        id,
        "tools/call",
        json!({"name": tool, "arguments": arguments}),
    )
}

/// Creates a notification.
#[must_use]
pub fn notification(method: &str, params: Value) -> Value {
    let method = format!("notifications/{method}");
    json!({"jsonrpc": "2.0", "method": method, "params": params})
}

/// Creates the request that opens a session, from a client without capabilities.
#[must_use]
pub fn initialize(revision: &str) -> Value {
    initialize_with(revision, json!({}))
}

/// Creates the request that opens a session, from a client with these capabilities.
pub fn initialize_with(revision: &str, capabilities: impl Into<Value>) -> Value {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": capabilities.into(),
        "clientInfo": {"name": "client", "version": "1"},
    });
    request("opens", "initialize", params)
}

/// Creates the response to `request`.
#[must_use]
pub fn result(request: &Value, result: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "result": result})
}

/// Creates the error response to `request`.
#[must_use]
pub fn error(request: &Value, error: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": request["id"], "error": error})
}

/// A minimal result of this method.
#[must_use]
pub fn least(method: &str) -> Value {
    match method {
        "prompts/get" => json!({"messages": []}),
        "prompts/list" => json!({"prompts": []}),
        "resources/list" => json!({"resources": []}),
        "resources/read" => json!({"contents": []}),
        "tools/call" => json!({"content": []}),
        "tools/list" => json!({"tools": []}),
        _ => json!({}),
    }
}

/// The result of `server/discover` from a modern server.
#[must_use]
pub fn discovered(capabilities: Value) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": [MODERN],
        "capabilities": capabilities,
    })
}

/// The result of `initialize` from a legacy server.
#[must_use]
pub fn initialized(version: &str, capabilities: Value) -> Value {
    json!({
        "protocolVersion": version,
        "capabilities": capabilities,
        "serverInfo": {"name": "old", "version": "1"},
    })
}

/// The first text in a tool's result.
///
/// # Panics
///
/// Panics if there is no text.
#[must_use]
pub fn text(reply: &Value) -> &str {
    let text = reply["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("no text: {reply}"))
}

/// The headers of a correct client for `message`: those of its session, or those of a modern
/// request.
#[must_use]
pub fn headers(message: &Value, session: Option<&str>) -> String {
    let params = &message["params"];
    if params["_meta"][VERSION].is_null() {
        return session.map_or_else(String::new, |name| format!("Mcp-Session-Id: {name}\r\n"));
    }
    let method = message["method"].as_str().unwrap_or_default();
    let mut headers = format!("MCP-Protocol-Version: {MODERN}\r\nMcp-Method: {method}\r\n");
    let mut names = ["name", "uri", "taskId"].iter();
    if let Some(name) = names.find_map(|key| params[*key].as_str()) {
        headers += &format!("Mcp-Name: {name}\r\n");
    }
    headers
}

/// The whole head of a request with a body of this length. `line` contains its method and path.
#[must_use]
pub fn head(line: &str, headers: &str, length: usize) -> String {
    format!("{line} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n")
}

/// A whole request to `path`, like that of a correct client.
#[must_use]
pub fn posted(path: &str, host: &str, session: Option<&str>, message: &Value) -> String {
    let body = message.to_string();
    let own = headers(message, session);
    let headers = format!("Host: {host}\r\n{JSON}{own}");
    head(&format!("POST {path}"), &headers, body.len()) + &body
}
