//! Clients that send raw messages.

use axum::body::{Body, to_bytes};
use http::{Request, StatusCode};
use plainly::Revision;
use plainly::server::Server;
use plainly_peer::{Client, message};
use serde_json::{Value, json};
use tower_service::Service;

/// Returns a call with the id 1.
pub(crate) fn call(tool: &str, arguments: &Value) -> Value {
    message::call(1, tool, arguments.clone())
}

/// Returns the text of a tool's result, and whether it is an error.
pub(crate) fn told(reply: &Value) -> (&str, bool) {
    let result = &reply["result"];
    let text = result["content"][0]["text"].as_str();
    (
        text.unwrap_or_else(|| panic!("no text: {reply}")),
        result["isError"] == true,
    )
}

pub(crate) async fn post(
    server: &Server,
    headers: &[(&str, &str)],
    message: &Value,
) -> (StatusCode, Value) {
    let mut request = Request::post("/")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream");
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Body::from(message.to_string())).unwrap();
    let response = server.http().call(request).await.unwrap();
    let status = response.status();
    let body = to_bytes(Body::new(response.into_body()), 1 << 20).await;
    (status, serde_json::from_slice(&body.unwrap()).unwrap())
}

/// Returns the reply to a request, and skips all messages before it.
pub(crate) async fn reply_to(client: &mut Client, method: &str, params: Value) -> Value {
    let request = client.request(method, params);
    client.hear(&request).await.pop().unwrap()
}

/// Connects a client in this revision, and returns the server's declared capabilities.
pub(crate) async fn client(server: &Server, revision: Revision) -> (Client, Value) {
    let mut client = Client::stream(server, revision, json!({})).await;
    let mut declared = client.opened["capabilities"].take();
    if declared.is_null() {
        let mut discovered = client.ask("server/discover", json!({})).await;
        declared = discovered["result"]["capabilities"].take();
    }
    (client, declared)
}

/// Returns the names of the tools on one page, and the cursor of the next page.
pub(crate) async fn page(
    client: &mut Client,
    cursor: Option<&Value>,
) -> (Vec<String>, Option<Value>) {
    let params = cursor.map_or(json!({}), |cursor| json!({"cursor": cursor}));
    let reply = reply_to(client, "tools/list", params).await;
    let tools = reply["result"]["tools"].as_array();
    let tools = tools.unwrap_or_else(|| panic!("no tools: {reply}"));
    let names = tools
        .iter()
        .map(|tool| tool["name"].as_str().unwrap().to_owned());
    (names.collect(), reply["result"].get("nextCursor").cloned())
}

/// Returns the names of all tools.
pub(crate) async fn list(client: &mut Client) -> Vec<String> {
    let (mut names, mut next) = page(client, None).await;
    while let Some(cursor) = next {
        let (more, after) = page(client, Some(&cursor)).await;
        names.extend(more);
        next = after;
    }
    names
}
