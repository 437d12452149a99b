//! Arguments are there for tools only.

use plainly::{Args, Resource};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Note {
    id: String,
}

async fn handler(Args(note): Args<Note>) -> String {
    note.id
}

fn main() {
    let _ = Resource::new("app://note", handler);
}
