//! An `async move` closure that captures would lend what it captured to its own future.

use plainly::Tool;

fn main() {
    let greeting = String::from("Hello!");
    let _ = Tool::new("tool", async move || greeting.clone());
}
