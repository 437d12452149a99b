//! The variables of a URI are there for resources only.

use plainly::{Tool, Vars};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Note {
    id: String,
}

async fn handler(Vars(note): Vars<Note>) -> String {
    note.id
}

fn main() {
    let _ = Tool::new("tool", handler);
}
