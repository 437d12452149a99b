//! Notes as a tool and as resources, over standard input and output, with the errors that each of the two readers needs:
//! a model is told how to mend its call, a host's code gets an error that it can tell by its type.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use plainly::protocol::types::{self, ResourceContents};
use plainly::server::BuildErrors;
use plainly::store::{ListQuery, Page, Store, StoreError};
use plainly::{Args, Server, State, Tool};
use schemars::JsonSchema;
use serde::Deserialize;

#[derive(Clone, Debug)]
struct Notes(Arc<BTreeMap<&'static str, &'static str>>);

/// What the model reads when it asks for a note that isn't there: enough to ask for one that is.
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

impl Notes {
    /// The note at `uri`, or why there is none.
    fn find(&self, uri: &str) -> Result<(types::Resource, &'static str), StoreError> {
        let id = uri.strip_prefix("note://").ok_or(StoreError::NotFound)?;
        if id.is_empty() || !id.bytes().all(|byte| byte.is_ascii_lowercase()) {
            let why = "the id of a note is lower-case letters";
            return Err(StoreError::InvalidUri { why });
        }
        let text = self.0.get(id).ok_or(StoreError::NotFound)?;
        let note = types::Resource::new(uri, id)
            .mime_type("text/plain")
            .size(text.len() as u64)
            .is_collection(false);
        Ok((note, text))
    }
}

impl Store for Notes {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("note://")
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        if query.parent.is_some() {
            return Err(StoreError::NotACollection);
        }
        let ids = self.0.keys().map(|id| format!("note://{id}"));
        let rest = ids.filter(|uri| query.after.is_none_or(|after| uri.as_str() > after));
        let uris: Vec<_> = rest.take(query.limit + 1).collect();
        let (page, more) = uris.split_at(uris.len().min(query.limit));
        let next = page.last().filter(|_| !more.is_empty()).cloned();
        let notes = page.iter().map(|uri| Ok(self.find(uri)?.0));
        Ok(Page::new(notes.collect::<Result<_, StoreError>>()?, next))
    }

    async fn metadata(&self, uri: &str) -> Result<types::Resource, StoreError> {
        Ok(self.find(uri)?.0)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let (note, text) = self.find(uri)?;
        Ok(vec![ResourceContents::new(note, text)])
    }
}

/// The server, for every peer.
pub(crate) fn server() -> Result<Server, BuildErrors> {
    let notes = Notes(Arc::new([("welcome", "Read tools.md first.")].into()));
    let read_note = Tool::new("read-note", read_note)
        .description("Read a note by its id")
        .read_only();
    Server::builder("notes", "1.0.0")
        .state(notes.clone())
        .tool(read_note)
        .store(notes)
        .build()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    Ok(server()?.serve_stdio().await?)
}
