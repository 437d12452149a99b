//! Tool calls by a client.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use plainly::Client;
use plainly::protocol::types::{CallToolResult, Content};
use serde_json::Value;

pub(crate) async fn call(client: &Client, tool: &str, arguments: Value) -> CallToolResult {
    client.call_tool(tool, arguments).await.unwrap()
}

/// Returns the first text of a result.
pub(crate) fn text(result: &CallToolResult) -> &str {
    let Content::Text(text) = &result.content[0] else {
        panic!("{:?}", result.content);
    };
    &text.text
}
