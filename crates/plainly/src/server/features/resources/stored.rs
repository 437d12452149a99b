//! Stores of all types behind one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use plainly_protocol::types::{CacheHint, Resource, ResourceContents};

use super::contents;
use crate::store::{Change, ListQuery, Page, Store, StoreError};

/// [`Store`] with its futures boxed, so that stores of all types can stand in one list.
pub(in crate::server) trait ErasedStore: Send + Sync + fmt::Debug {
    fn serves(&self, uri: &str) -> bool;
    fn cache_hint(&self) -> CacheHint;
    /// Whether it reports what changes in it: asked once, when the server is built.
    fn can_watch(&self) -> bool;
    fn watch(&self) -> Option<BoxStream<'static, Change>>;
    fn list<'a>(&'a self, query: ListQuery<'a>) -> BoxFuture<'a, Result<Page, StoreError>>;
    fn metadata(&self, uri: String) -> BoxFuture<'static, Result<Resource, StoreError>>;
    /// Checks and completes what the store reads.
    fn read(&self, uri: String) -> BoxFuture<'static, Result<Vec<ResourceContents>, StoreError>>;
}

/// Hides the type of `store`.
pub(in crate::server) fn erase(store: impl Store) -> Box<dyn ErasedStore> {
    Box::new(Arc::new(CheckedStore {
        can_watch: store.watch().is_some(),
        is_warned_of: AtomicBool::new(false),
        store,
    }))
}

/// A store whose contents are checked before they are sent.
#[derive(Debug)]
struct CheckedStore<S> {
    store: S,
    can_watch: bool,
    /// Whether the log was warned already that the store doesn't say which resources are collections.
    is_warned_of: AtomicBool,
}

impl<S: Store> CheckedStore<S> {
    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        let page = self.store.list(query).await?;
        if page.next.is_some() && page.next.as_deref() == query.after {
            return Err(StoreError::Failed(EndlessListing.into()));
        }
        Ok(page)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        let mut contents = self.store.read(uri).await?;
        let broken = contents::check(uri, &contents).err();
        // Nearly all contents are valid for any resource, and complete: only the others need a second look.
        if broken.is_some() || contents::lack_metadata(uri, &contents) {
            let resource = self.store.metadata(uri).await?;
            match (resource.is_collection, broken) {
                (Some(false), Some(broken)) => return Err(StoreError::Failed(broken.into())),
                (Some(_), _) => {}
                (None, broken) => self.warn(uri, broken),
            }
            contents::describe(&mut contents, &resource);
        }
        contents::complete(uri, &mut contents);
        Ok(contents)
    }

    /// Tolerated, since SEP-2093 lets a server say nothing; but once somebody should hear of it.
    fn warn(&self, uri: &str, broken: Option<contents::ContentsFault>) {
        if self.is_warned_of.swap(true, Ordering::Relaxed) {
            return;
        }
        let but = broken.map(|broken| broken.to_string());
        tracing::warn!(
            uri,
            but,
            "a store doesn't say whether its resources are collections: they need isCollection"
        );
    }
}

/// Clients could not notice by themselves: each cursor is sealed anew, so no two are equal.
#[derive(Debug, thiserror::Error)]
#[error("the store's listing returned the same page twice")]
struct EndlessListing;

impl<S: Store> ErasedStore for Arc<CheckedStore<S>> {
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
        Box::pin(CheckedStore::list(self, query))
    }

    fn metadata(&self, uri: String) -> BoxFuture<'static, Result<Resource, StoreError>> {
        let checked = Self::clone(self);
        Box::pin(async move { checked.store.metadata(&uri).await })
    }

    fn read(&self, uri: String) -> BoxFuture<'static, Result<Vec<ResourceContents>, StoreError>> {
        let checked = Self::clone(self);
        Box::pin(async move { CheckedStore::read(&checked, &uri).await })
    }
}
