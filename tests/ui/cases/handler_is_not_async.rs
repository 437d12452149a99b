//! Handlers are async.

use plainly::Tool;

fn handler() -> String {
    String::new()
}

fn main() {
    let _ = Tool::new("tool", handler);
}
