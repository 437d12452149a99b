//! A handler is called more than once.

use plainly::Tool;

fn main() {
    let greeting = String::from("Hello!");
    let _ = Tool::new("tool", move || async move { greeting });
}
