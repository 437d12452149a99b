//! Conditional reads: unchanged content is not sent again, and old content is never taken for
//! unchanged.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::client::Cache;
use plainly::protocol::method::Method;
use plainly::protocol::types::{CacheHint, CacheScope, RawJson, Resource, ResourceContents};
use plainly::store::{ListQuery, Page, Store, StoreError};
use plainly::{Client, Revision, Server};
use proptest::prelude::*;
use serde_json::json;

const NOTE: &str = "note:one";
const NOTES: &str = "note:";

/// A note whose text is the number of its version.
#[derive(Clone, Debug, Default)]
struct Note {
    state: Arc<Mutex<NoteState>>,
    ttl: Duration,
}

#[derive(Debug, Default)]
struct NoteState {
    version: u32,
    /// Whether the note changes right after the next access.
    is_changing: bool,
    /// The number of times that the content was read.
    reads: usize,
}

impl Note {
    fn write(&self) {
        self.state.lock().unwrap().version += 1;
    }

    fn look(&self, reads: usize) -> Resource {
        let mut state = self.state.lock().unwrap();
        let version = state.version.to_string();
        state.version += u32::from(std::mem::take(&mut state.is_changing));
        state.reads += reads;
        Resource::new(NOTE, &version)
            .is_collection(false)
            .tag(version)
    }
}

impl Store for Note {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with(NOTES)
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::default())
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        let note = self.look(0);
        Ok(match uri {
            NOTES => Resource::new(NOTES, &note.name)
                .is_collection(true)
                .tag(note.name),
            _ => note,
        })
    }

    async fn read(&self, _: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let resource = self.look(1);
        let text = resource.name.clone();
        Ok(vec![ResourceContents::new(resource, text)])
    }

    fn cache_hint(&self) -> CacheHint {
        CacheHint::new(self.ttl, CacheScope::Private)
    }
}

async fn client(note: &Note) -> Client {
    let server = Server::builder("notes", "1").store(note.clone()).build();
    let client = Client::in_memory(&server.unwrap()).cache(Cache::default());
    client.connect().await.unwrap()
}

async fn read(client: &Client) -> u32 {
    let read = client.read(NOTE).await.unwrap();
    read.text().unwrap().parse().unwrap()
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Read,
    Write,
    /// A change in the middle of the next read.
    WriteMeanwhile,
    Wait,
}

proptest! {
    #[test]
    fn what_is_read_is_no_older_than_its_server_allows(
        steps in proptest::collection::vec(proptest::sample::select(vec![
            Step::Read, Step::Read, Step::Write, Step::WriteMeanwhile, Step::Wait,
        ]), 1..40),
        ttl in proptest::sample::select(vec![0, 10]),
    ) {
        let note = Note { ttl: Duration::from_secs(ttl), ..Note::default() };
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(async {
            let client = client(&note).await;
            // The oldest version that a cached result may still have.
            let mut oldest = 0;
            for step in steps {
                let version = note.state.lock().unwrap().version;
                match step {
                    Step::Write => note.write(),
                    Step::WriteMeanwhile => note.state.lock().unwrap().is_changing = true,
                    Step::Wait => {
                        tokio::time::advance(Duration::from_secs(ttl + 1)).await;
                        oldest = version;
                    }
                    Step::Read => {
                        let least = if ttl == 0 { version } else { oldest };
                        let read = read(&client).await;
                        let now = note.state.lock().unwrap().version;
                        assert!((least..=now).contains(&read), "{read} is not in {least}..={now}");
                    }
                }
            }
        });
    }
}

#[tokio::test]
async fn a_content_that_has_not_changed_is_read_once() {
    let note = Note::default();
    let client = client(&note).await;
    let reads = || note.state.lock().unwrap().reads;
    assert_eq!(
        (read(&client).await, read(&client).await, reads()),
        (0, 0, 1)
    );
    note.write();
    assert_eq!(
        (read(&client).await, read(&client).await, reads()),
        (1, 1, 2)
    );
    // A fresh read always returns the content.
    let read = client.fresh().read(NOTE).await.unwrap();
    assert_eq!((read.text(), reads()), (Some("1"), 3));
}

/// The content of a collection belongs to another resource, which has another tag.
#[tokio::test]
async fn a_collection_is_read_each_time() {
    let note = Note::default();
    let client = client(&note).await;
    for reads in 1..3 {
        client.read(NOTES).await.unwrap();
        assert_eq!(note.state.lock().unwrap().reads, reads);
    }
}

#[tokio::test]
async fn clients_of_every_revision_ask_on_a_condition() {
    let server = Server::builder("notes", "1").store(Note::default());
    let server = server.build().unwrap();
    for revision in Revision::ALL {
        let client = Client::in_memory(&server).revision(revision);
        let client = client.connect().await.unwrap();
        for (tag, text, is_not_modified) in [("0", "", json!(true)), ("1", "0", json!(null))] {
            let params = json!({"uri": NOTE, "_meta": {"dev.plainly/ifNoneMatch": tag}});
            let params = RawJson::encode(&params).unwrap();
            let read = client.forward(Method::ReadResource, &params).await;
            let read = json!(read.unwrap());
            let content = &read["contents"][0];
            assert_eq!(
                (&content["uri"], &content["text"]),
                (&json!(NOTE), &json!(text))
            );
            let meta = &content["_meta"];
            assert_eq!(
                meta["dev.plainly/notModified"], is_not_modified,
                "{revision}"
            );
            assert_eq!(meta["dev.plainly/etag"], "0");
        }
    }
}
