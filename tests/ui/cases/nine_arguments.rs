//! Eight arguments are the most.

use plainly::{Context, Tool};

async fn handler(
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
    _: Context,
) -> String {
    String::new()
}

fn main() {
    let _ = Tool::new("tool", handler);
}
