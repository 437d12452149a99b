//! A number is no reply in a `Result` either.

use plainly::{Failure, Tool};

async fn handler() -> Result<u32, Failure> {
    Ok(7)
}

fn main() {
    let _ = Tool::new("tool", handler);
}
