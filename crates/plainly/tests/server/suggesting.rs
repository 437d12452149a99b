//! The listings behind "did you mean": a store may refuse them.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly::protocol::types::{Resource, ResourceContents};
use plainly::store::{ListQuery, Page, Store, StoreError};
use plainly::{Client, Revision, Server};

const NOTE: &str = "bucket://a/welcome.md";

/// Counts its listings.
#[derive(Debug)]
struct Bucket {
    can_suggest: bool,
    listings: AtomicUsize,
}

impl Store for Bucket {
    fn serves(&self, uri: &str) -> bool {
        uri.starts_with("bucket://")
    }

    async fn list(&self, _: ListQuery<'_>) -> Result<Page, StoreError> {
        self.listings.fetch_add(1, Ordering::Relaxed);
        let note = Resource::new(NOTE, "welcome.md").is_collection(false);
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
    let meant = format!(" (did you mean {NOTE:?}?)");
    for (can_suggest, suggested) in [(true, &*meant), (false, "")] {
        for revision in Revision::ALL {
            let store = Arc::new(Bucket {
                can_suggest,
                listings: AtomicUsize::new(0),
            });
            let server = Server::builder("test", "1").store(Arc::clone(&store));
            let client = Client::in_memory(&server.build().unwrap()).revision(revision);
            let client = client.connect().await.unwrap();
            // In the store, and where no store is.
            for uri in ["bucket://a/welcom.md", "buckt://a/welcome.md"] {
                let error = client.read(uri).await.unwrap_err();
                let expected = format!("Resource not found: {uri}{suggested}");
                assert!(error.to_string().contains(&expected), "{error}");
                let is_missing = suggested.is_empty() && error.to_string().contains("did you mean");
                assert!(!is_missing, "{error}");
            }
            let listings = store.listings.load(Ordering::Relaxed);
            assert_eq!(listings, if can_suggest { 2 } else { 0 });
            client.resources(None).await.unwrap();
            assert_eq!(store.listings.load(Ordering::Relaxed), listings + 1);
        }
    }
}
