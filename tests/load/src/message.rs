//! Messages of 2026-07-28, for HTTP.

use std::net::SocketAddr;

use serde_json::{Value, json};

use crate::served::PATH;

/// A request.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    method: &'static str,
    /// The name of a tool, or the URI of a resource.
    name: Option<String>,
    body: Value,
}

impl Message {
    fn new(id: u64, method: &'static str, name: Option<&str>, mut params: Value) -> Self {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        Self {
            method,
            name: name.map(str::to_owned),
            body: json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}),
        }
    }

    pub(crate) fn call(id: u64, tool: &str, arguments: &Value) -> Self {
        let params = json!({"name": tool, "arguments": arguments});
        Self::new(id, "tools/call", Some(tool), params)
    }

    pub(crate) fn echo(id: u64, text: &str) -> Self {
        Self::call(id, "echo", &json!({"text": text}))
    }

    pub(crate) fn read(id: u64, uri: &str) -> Self {
        Self::new(id, "resources/read", Some(uri), json!({"uri": uri}))
    }

    pub(crate) fn listen(id: u64, uris: &[String]) -> Self {
        let asked = json!({"resourcesListChanged": true, "resourceSubscriptions": uris});
        Self::new(
            id,
            "subscriptions/listen",
            None,
            json!({"notifications": asked}),
        )
    }

    /// Requests progress notifications.
    pub(crate) fn with_progress(mut self) -> Self {
        self.body["params"]["_meta"]["progressToken"] = json!(1);
        self
    }

    /// Creates a request of the tasks extension.
    pub(crate) fn of_task(id: u64, method: &'static str, task: &str) -> Self {
        Self::new(id, method, Some(task), json!({"taskId": task})).with_tasks()
    }

    /// Declares the capability for tasks.
    pub(crate) fn with_tasks(self) -> Self {
        self.capable(json!({"extensions": {"io.modelcontextprotocol/tasks": {}}}))
    }

    /// Declares the capability for forms.
    pub(crate) fn with_forms(self) -> Self {
        self.capable(json!({"elicitation": {"form": {}}}))
    }

    fn capable(mut self, capabilities: Value) -> Self {
        self.body["params"]["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities;
        self
    }

    pub(crate) fn body(&self) -> String {
        self.body.to_string()
    }

    /// The head of the request, for a body of this length.
    pub(crate) fn head(&self, server: SocketAddr, length: usize) -> String {
        let name = match &self.name {
            Some(name) => format!("Mcp-Name: {name}\r\n"),
            None => String::new(),
        };
        format!(
            "POST {PATH} HTTP/1.1\r\nHost: {server}\r\nContent-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\nMCP-Protocol-Version: 2026-07-28\r\n\
             Mcp-Method: {}\r\n{name}Content-Length: {length}\r\n\r\n",
            self.method
        )
    }

    /// The whole request.
    pub(crate) fn http(&self, server: SocketAddr) -> Vec<u8> {
        let body = self.body();
        let mut request = self.head(server, body.len()).into_bytes();
        request.extend_from_slice(body.as_bytes());
        request
    }
}
