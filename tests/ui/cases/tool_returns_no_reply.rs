//! A number is no reply.

use plainly::Tool;

async fn handler() -> u32 {
    7
}

fn main() {
    let _ = Tool::new("tool", handler);
}
