//! What tools return means nothing to those who read resources.

use plainly::Resource;
use plainly::protocol::types::CallToolResult;

async fn handler() -> CallToolResult {
    CallToolResult::new([])
}

fn main() {
    let _ = Resource::new("app://note", handler);
}
