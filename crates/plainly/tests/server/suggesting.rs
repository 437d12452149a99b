//! The listings that provide "did you mean" suggestions, which a store may reject.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly::protocol::types::{Resource, ResourceContents};
use plainly::store::{ListQuery, Page, Store, StoreError};
use plainly::{Client, Revision, Server};

/// The only resource of a store, a similar URI, and a URI that no store serves. The first row has a
/// collection, and the second one has not.
const NOTES: [[&str; 3]; 2] = [
    [
        "bucket://a/welcome.md",
        "bucket://a/welcom.md",
        "buckt://a/welcome.md",
    ],
    ["note:welcome", "note:welcom", "nte:welcome"],
];

/// A store that counts its listings.
#[derive(Debug)]
struct Bucket {
    note: &'static str,
    can_suggest: bool,
    listings: AtomicUsize,
}

impl Store for Bucket {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("bucket://") || uri.starts_with("note:")
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        self.listings.fetch_add(1, Ordering::Relaxed);
        let note = Resource::new(self.note, "welcome.md").is_collection(false);
        Ok(Page::new(vec![note], None))
    }

    async fn metadata(&self, _: &str) -> Result<Resource, StoreError> {
        Err(StoreError::NotFound)
    }

    async fn read(&self, _: &str) -> Result<Vec<ResourceContents>, StoreError> {
        Err(StoreError::NotFound)
    }

    fn can_suggest(&self) -> bool {
        self.can_suggest
    }
}

#[tokio::test]
async fn a_store_that_refuses_is_not_listed_for_what_is_missing() {
    for (can_suggest, revision) in [true, false]
        .into_iter()
        .flat_map(|can| Revision::ALL.map(|revision| (can, revision)))
    {
        for [note, in_store, elsewhere] in NOTES {
            let store = Arc::new(Bucket {
                note,
                can_suggest,
                listings: AtomicUsize::new(0),
            });
            let server = Server::builder("test", "1").store(Arc::clone(&store));
            let client = Client::in_memory(&server.build().unwrap()).revision(revision);
            let client = client.connect().await.unwrap();
            for uri in [in_store, elsewhere] {
                let error = client.read(uri).await.unwrap_err().to_string();
                let missing = format!("Resource not found: {uri}");
                let suggested = format!("{missing} (did you mean {note:?}?)");
                assert!(error.contains(&missing), "{error}");
                assert_eq!(error.contains(&suggested), can_suggest, "{error}");
                assert_eq!(error.contains("did you mean"), can_suggest, "{error}");
            }
            let listings = store.listings.load(Ordering::Relaxed);
            assert_eq!(listings, if can_suggest { 2 } else { 0 });
            client.resources(None).await.unwrap();
            assert_eq!(store.listings.load(Ordering::Relaxed), listings + 1);
        }
    }
}

/// A client can request missing resources as often as it likes.
#[tokio::test]
async fn a_store_is_not_listed_without_end_for_what_is_missing() {
    let store = Arc::new(Bucket {
        note: NOTES[0][0],
        can_suggest: true,
        listings: AtomicUsize::new(0),
    });
    let server = Server::builder("test", "1").store(Arc::clone(&store));
    let client = Client::in_memory(&server.build().unwrap());
    let client = client.connect().await.unwrap();
    let start = std::time::Instant::now();
    for _ in 0..400 {
        let error = client.read(NOTES[0][1]).await.unwrap_err();
        assert!(error.is_resource_not_found(), "{error}");
    }
    let listings = store.listings.load(Ordering::Relaxed);
    let most = 32 + start.elapsed().as_millis() / 125;
    assert!(
        (32..=most as usize).contains(&listings),
        "{listings}, not {most}"
    );
}
