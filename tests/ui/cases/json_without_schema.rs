//! Structured output is described by a schema.

use plainly::{Json, Tool};
use serde::Serialize;

#[derive(Serialize)]
struct Note {
    id: String,
}

async fn handler() -> Json<Note> {
    Json(Note { id: String::new() })
}

fn main() {
    let _ = Tool::new("tool", handler);
}
