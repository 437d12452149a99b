//! What tools answer is no prompt.

use plainly::Prompt;
use plainly::protocol::types::CallToolResult;

async fn handler() -> CallToolResult {
    CallToolResult::new([])
}

fn main() {
    let _ = Prompt::new("prompt", handler);
}
