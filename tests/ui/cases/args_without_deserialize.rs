//! Arguments are read from JSON.

use plainly::{Args, Tool};
use schemars::JsonSchema;

#[derive(JsonSchema)]
struct Note {
    id: String,
}

async fn handler(Args(note): Args<Note>) -> String {
    note.id
}

fn main() {
    let _ = Tool::new("tool", handler);
}
