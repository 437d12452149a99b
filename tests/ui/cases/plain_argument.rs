//! A handler is called with what it asks for by an extractor.

use plainly::Tool;

async fn handler(id: String) -> String {
    id
}

fn main() {
    let _ = Tool::new("tool", handler);
}
