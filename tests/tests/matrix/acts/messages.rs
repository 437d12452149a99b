//! Messages that this client would never send, and the server's answers. After each, a valid
//! request succeeds.

use plainly::errors::{Era, Revision};
use serde_json::{Value, json};

use crate::cell::Cell;
use crate::drivers::Transport;
use crate::raw::{Raw, Reply};

/// The outcome on a transport without headers.
const NO_HEADERS: &str = "no headers";

/// Checks that a further request succeeds, and returns the reply in words.
async fn then_served(mut raw: Raw, reply: Reply) -> String {
    let next = raw
        .ask(
            "tools/call",
            json!({"name": "greet", "arguments": {"name": "Bob"}}),
        )
        .await;
    let expected = "Hello, Bob!";
    assert_eq!(next.result()["content"][0]["text"], expected, "{next:?}");
    reply.told()
}

pub(crate) async fn ask(cell: &Cell, method: &str, params: Value) -> String {
    let mut raw = cell.raw().await;
    let reply = raw.ask(method, params).await;
    then_served(raw, reply).await
}

/// Sends `initialize`, also inside a session.
pub(crate) async fn initialize(cell: &Cell) -> String {
    let client = json!({"name": "raw", "version": "1"});
    let version = cell.revision.as_str();
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    ask(cell, "initialize", params).await
}

/// A request whose parameters are a list.
pub(crate) async fn list_of_params(cell: &Cell) -> String {
    let mut raw = cell.raw().await;
    let mut request = raw.request("tools/list", json!({}));
    let headers = raw.headers(&request);
    request["params"] = json!([1]);
    let reply = raw.send(&request.to_string(), &headers).await;
    then_served(raw, reply).await
}

/// A request without the `_meta` that each request needs from 2026-07-28 on.
pub(crate) async fn no_meta(cell: &Cell) -> String {
    let mut raw = cell.raw().await;
    let request = raw.message("tools/list", json!({}));
    let reply = raw.exchange(&request).await;
    then_served(raw, reply).await
}

/// Sends text that is no message, and a valid request after it. Returns `silence` if only the valid
/// one is answered.
pub(crate) async fn text(cell: &Cell, text: &str) -> String {
    let mut raw = cell.raw().await;
    let good = raw.request("tools/call", json!({"name": "nope"}));
    let headers = raw.headers(&good);
    if cell.transport == Transport::Http {
        let reply = raw.send(text, &headers).await;
        return then_served(raw, reply).await;
    }
    let both = format!("{text}\n{good}");
    let first = raw.send(&both, &headers).await;
    if first.message["error"]["data"]["kind"] == "unknown_tool" {
        return "silence".to_owned();
    }
    let kind = |reply: &Reply| reply.message["error"]["data"]["kind"].clone();
    let mut next = raw.next().await;
    // The server may refuse the requests of a batch one by one.
    while kind(&next) == kind(&first) && next.message["id"] != first.message["id"] {
        next = raw.next().await;
    }
    assert_eq!(kind(&next), "unknown_tool", "{next:?}");
    then_served(raw, first).await
}

/// A batch of two requests.
pub(crate) async fn batch(cell: &Cell) -> String {
    let mut raw = cell.raw().await;
    let both = json!([(); 2].map(|()| raw.request("tools/list", json!({}))));
    if cell.revision != Revision::V2025_03_26 {
        return text(cell, &both.to_string()).await;
    }
    let headers = raw.headers(&both);
    let reply = raw.send(&both.to_string(), &headers).await;
    let replies = reply.message.as_array().map(Vec::len);
    then_served(raw, reply).await;
    format!("{replies:?} replies")
}

/// A version that does not exist, in a request or where a session is opened.
pub(crate) async fn version(cell: &Cell) -> String {
    let mut raw = cell.raw().await;
    let version = "1999-12-31";
    if cell.revision.era() == Era::Legacy {
        let mut other = Raw::open_nothing(&cell.server, cell.transport, cell.revision);
        let opened = other.initialize(version).await;
        return format!("a session of {}", opened.result()["protocolVersion"]);
    }
    let mut request = raw.request("tools/list", json!({}));
    request["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = version.into();
    let mut headers = raw.headers(&request);
    headers[0].1 = version.to_owned();
    let reply = raw.send(&request.to_string(), &headers).await;
    then_served(raw, reply).await
}

/// A version that does not exist, in the header only.
pub(crate) async fn version_header(cell: &Cell) -> String {
    with_header(cell, "mcp-protocol-version", Some("1999-12-31")).await
}

/// A header that names a method other than the body's.
pub(crate) async fn method_header(cell: &Cell) -> String {
    with_header(cell, "mcp-method", Some("prompts/list")).await
}

/// A request of an unknown session, or without a session.
pub(crate) async fn session(cell: &Cell, session: Option<&str>) -> String {
    with_header(cell, "mcp-session-id", session).await
}

/// A valid request, except for this header, which has another value or is absent.
async fn with_header(cell: &Cell, name: &'static str, value: Option<&str>) -> String {
    let mut raw = cell.raw().await;
    if cell.transport != Transport::Http {
        return NO_HEADERS.to_owned();
    }
    let request = raw.request("tools/list", json!({}));
    let mut headers = raw.headers(&request);
    headers.retain(|(other, _)| *other != name);
    headers.extend(value.map(|value| (name, value.to_owned())));
    let reply = raw.send(&request.to_string(), &headers).await;
    then_served(raw, reply).await
}
