//! An argument is completed while the others may be missing: there are no `Args` yet.

use plainly::{Args, Prompt};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Deserialize, JsonSchema)]
struct Note {
    id: String,
}

async fn prompt(Args(note): Args<Note>) -> String {
    note.id
}

async fn handler(Args(note): Args<Note>) -> Vec<String> {
    vec![note.id]
}

fn main() {
    let _ = Prompt::new("prompt", prompt).complete("id", handler);
}
