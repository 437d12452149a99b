//! Notes as a tool and as resources, over standard input and output, with the right errors for two
//! readers: a model reads how to correct its call, and a host's code gets an error of a type that
//! it recognises.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use plainly::protocol::types;
use plainly::server::BuildErrors;
use plainly::{Args, ProtocolError, ResourceTemplate, ResourceUri, Server, State, Tool, Vars};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Clone, Debug)]
struct Notes(Arc<BTreeMap<&'static str, &'static str>>);

/// The error for a model that asks for an unknown note. It lists the known ones, so that the model
/// can ask for one of them.
#[derive(Debug)]
struct NoNote {
    id: String,
    known: Vec<&'static str>,
}

impl fmt::Display for NoNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let known = self.known.join(", ");
        write!(f, "No note with id {:?}. Known ids: {known}", self.id)
    }
}

impl Error for NoNote {}

#[derive(Deserialize, JsonSchema)]
struct ReadNote {
    /// The id of the note.
    id: String,
}

async fn read_note(
    State(Notes(notes)): State<Notes>,
    Args(ReadNote { id }): Args<ReadNote>,
) -> Result<&'static str, NoNote> {
    match notes.get(id.as_str()) {
        Some(text) => Ok(text),
        None => Err(NoNote {
            known: notes.keys().copied().collect(),
            id,
        }),
    }
}

#[derive(Deserialize, JsonSchema)]
struct Note {
    id: String,
}

/// Reads a note as a resource. For an unknown note, the host's code gets an error that it
/// recognises by its type.
async fn note(
    State(Notes(notes)): State<Notes>,
    uri: ResourceUri,
    Vars(Note { id }): Vars<Note>,
) -> Result<&'static str, ProtocolError> {
    if !id.bytes().all(|byte| byte.is_ascii_lowercase()) {
        let why = format!("Note ids are lowercase letters, got {id:?}");
        return Err(ProtocolError::invalid_params(why));
    }
    let missing = || ProtocolError::resource_not_found(uri);
    notes.get(id.as_str()).copied().ok_or_else(missing)
}

async fn all_notes(State(Notes(notes)): State<Notes>) -> Vec<types::Resource> {
    let note = |(id, text): (&&str, &&str)| {
        types::Resource::new(format!("note://{id}"), *id).size(text.len() as u64)
    };
    notes.iter().map(note).collect()
}

/// Builds the server, which is the same for every client.
pub(crate) fn server() -> Result<Server, BuildErrors> {
    let notes = Notes(Arc::new([("welcome", "Read tools.md first.")].into()));
    let read_note = Tool::new("read-note", read_note)
        .description("Read a note by its id")
        .read_only();
    let notes_by_id = ResourceTemplate::new("note://{id}", note)
        .name("note")
        .mime_type("text/plain")
        .list(all_notes);
    Server::builder("notes", "1.0.0")
        .state(notes)
        .tool(read_note)
        .resource_template(notes_by_id)
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    Ok(server()?.serve_stdio().await?)
}
