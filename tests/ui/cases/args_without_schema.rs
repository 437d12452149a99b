//! The model has to be told what the arguments are.

use plainly::{Args, Tool};
use serde::Deserialize;

#[derive(Deserialize)]
struct Note {
    id: String,
}

async fn handler(Args(note): Args<Note>) -> String {
    note.id
}

fn main() {
    let _ = Tool::new("tool", handler);
}
