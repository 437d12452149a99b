//! A handler may go on in another thread than the one it began in.

use std::rc::Rc;

use plainly::Tool;

async fn pause() {}

async fn handler() -> String {
    let text = Rc::new(String::from("Hello!"));
    pause().await;
    text.to_string()
}

fn main() {
    let _ = Tool::new("tool", handler);
}
