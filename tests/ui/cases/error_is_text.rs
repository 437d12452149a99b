//! Text is no error.

use plainly::Tool;

async fn handler() -> Result<String, String> {
    Err("no".into())
}

fn main() {
    let _ = Tool::new("tool", handler);
}
