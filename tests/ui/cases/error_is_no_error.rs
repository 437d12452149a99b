//! A number is no error.

use plainly::{Resource, Tool};

async fn handler() -> Result<String, u32> {
    Err(7)
}

fn main() {
    let _ = Tool::new("tool", handler);
    let _ = Resource::new("app://note", handler);
}
