//! Stores of any type behind one pointer.

use std::fmt;
use std::sync::Arc;

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use plainly_protocol::types::{CacheHint, Resource, ResourceContents};

use super::contents;
use crate::store::{Change, ListQuery, Page, Store, StoreError};

/// [`Store`] with its futures boxed.
pub(in crate::server) trait ErasedStore: Send + Sync + fmt::Debug {
    fn serves(&self, uri: &str) -> bool;
    fn cache_hint(&self) -> CacheHint;
    /// Whether it can tell what changes: asked once, when the server is built.
    fn can_watch(&self) -> bool;
    fn watch(&self) -> Option<BoxStream<'static, Change>>;
    fn list<'a>(&'a self, query: ListQuery<'a>) -> BoxFuture<'a, Result<Page, StoreError>>;
    fn metadata(&self, uri: String) -> BoxFuture<'static, Result<Resource, StoreError>>;
    /// Fails where the store breaks the rules of contents.
    fn read(&self, uri: String) -> BoxFuture<'static, Result<Vec<ResourceContents>, StoreError>>;
}

/// Hides the type of `store`.
pub(in crate::server) fn erase(store: impl Store) -> Box<dyn ErasedStore> {
    let can_watch = store.watch().is_some();
    Box::new(Erased {
        store: Arc::new(store),
        can_watch,
    })
}

#[derive(Debug)]
struct Erased<S> {
    store: Arc<S>,
    can_watch: bool,
}

impl<S: Store> ErasedStore for Erased<S> {
    fn serves(&self, uri: &str) -> bool {
        self.store.serves(uri)
    }

    fn cache_hint(&self) -> CacheHint {
        self.store.cache_hint()
    }

    fn can_watch(&self) -> bool {
        self.can_watch
    }

    fn watch(&self) -> Option<BoxStream<'static, Change>> {
        self.store.watch()
    }

    fn list<'a>(&'a self, query: ListQuery<'a>) -> BoxFuture<'a, Result<Page, StoreError>> {
        Box::pin(self.store.list(query))
    }

    fn metadata(&self, uri: String) -> BoxFuture<'static, Result<Resource, StoreError>> {
        let store = Arc::clone(&self.store);
        Box::pin(async move { store.metadata(&uri).await })
    }

    fn read(&self, uri: String) -> BoxFuture<'static, Result<Vec<ResourceContents>, StoreError>> {
        let store = Arc::clone(&self.store);
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
