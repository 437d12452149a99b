//! Stores of any type behind one pointer.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use plainly_protocol::types::{CacheHint, Resource, ResourceContents};

use super::contents;
use crate::store::{ListQuery, Page, Store, StoreError};

/// [`Store`] with its futures boxed.
pub(in crate::server) trait ErasedStore: Send + Sync + fmt::Debug {
    fn serves(&self, uri: &str) -> bool;
    fn cache_hint(&self) -> CacheHint;
    fn list<'a>(&'a self, query: ListQuery<'a>) -> BoxFuture<'a, Result<Page, StoreError>>;
    fn metadata(&self, uri: String) -> BoxFuture<'static, Result<Resource, StoreError>>;
    /// Fails where the store breaks the rules of contents.
    fn read(&self, uri: String) -> BoxFuture<'static, Result<Vec<ResourceContents>, StoreError>>;
}

/// Hides the type of `store`.
pub(in crate::server) fn erase(store: impl Store) -> Box<dyn ErasedStore> {
    Box::new(Erased(Arc::new(store)))
}

#[derive(Debug)]
struct Erased<S>(Arc<S>);

impl<S: Store> ErasedStore for Erased<S> {
    fn serves(&self, uri: &str) -> bool {
        self.0.serves(uri)
    }

    fn cache_hint(&self) -> CacheHint {
        self.0.cache_hint()
    }

    fn list<'a>(&'a self, query: ListQuery<'a>) -> BoxFuture<'a, Result<Page, StoreError>> {
        Box::pin(self.0.list(query))
    }

    fn metadata(&self, uri: String) -> BoxFuture<'static, Result<Resource, StoreError>> {
        let store = Arc::clone(&self.0);
        Box::pin(async move { store.metadata(&uri).await })
    }

    fn read(&self, uri: String) -> BoxFuture<'static, Result<Vec<ResourceContents>, StoreError>> {
        let store = Arc::clone(&self.0);
        Box::pin(async move {
            let contents = store.read(&uri).await?;
            // Nearly all are right whatever they are of: only for the others it takes a second look.
            if let Err(broken) = contents::check(&uri, &contents)
                && store.metadata(&uri).await?.is_collection == Some(false)
            {
                return Err(StoreError::Failed(broken.into()));
            }
            Ok(contents)
        })
    }
}
