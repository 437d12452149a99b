//! Stores of all types behind one.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::BoxFuture;
use futures_util::stream::BoxStream;
use plainly_errors::ProtocolError;
use plainly_protocol::types::{CacheHint, Resource, ResourceContents};

use super::{contents, meant};
use crate::store::{Change, ListQuery, Page, Store, StoreError};

/// [`Store`] with its futures boxed, so that stores of all types can stand in one list.
pub(crate) trait ErasedStore: Send + Sync + fmt::Debug {
    fn serves(&self, uri: &str) -> bool;
    fn cache_hint(&self) -> CacheHint;
    /// Whether it reports what changes in it: asked once, when the server is built.
    fn can_watch(&self) -> bool;
    fn watch(&self) -> Option<BoxStream<'static, Change>>;
    fn list<'a>(&'a self, query: ListQuery<'a>) -> BoxFuture<'a, Result<Page, StoreError>>;
    /// The metadata of a resource; with `is_open`, the error may suggest another one.
    fn metadata(&self, uri: String, is_open: bool) -> StoreFuture<Resource>;
    /// The URI that was probably meant by `uri`, which no store serves.
    fn meant(&self, uri: String) -> BoxFuture<'static, Option<String>>;
    /// Checks and completes what the store reads.
    fn read(&self, uri: String, is_open: bool) -> StoreFuture<Vec<ResourceContents>>;
}

/// The answer of a store, or the error for the peer.
pub(super) type StoreFuture<T> = BoxFuture<'static, Result<T, ProtocolError>>;

/// Hides the type of `store`.
pub(crate) fn erase(store: impl Store) -> Box<dyn ErasedStore> {
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
    /// Whether the log has the warning that the store does not mark its collections.
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

    /// The error for the peer: for a missing resource with the probably meant one, if that is
    /// public.
    async fn refusal(&self, uri: &str, error: StoreError, is_open: bool) -> ProtocolError {
        match is_open && matches!(error, StoreError::NotFound) {
            true => meant::not_found(uri, self.beside(uri).await),
            false => error.into_protocol_error(uri),
        }
    }

    /// The resource beside `uri` with nearly its name; in all of the store, if nothing there is
    /// above `uri`.
    async fn beside(&self, uri: &str) -> Option<String> {
        let above = uri.trim_end_matches('/').rsplit_once('/');
        let parent = above.map(|(parent, _)| parent);
        let served = parent.filter(|parent| self.store.serves(parent));
        self.meant_by(uri, served).await
    }

    /// The URI whose name is nearest to that of `uri`, among the first resources in `parent` or in all of the store.
    async fn meant_by(&self, uri: &str, parent: Option<&str>) -> Option<String> {
        if !self.store.can_suggest() {
            return None;
        }
        let mut query = ListQuery::new(meant::LOOKED_AT);
        query.parent = parent;
        let page = self.store.list(query).await.ok()?;
        meant::among(uri, page.resources.iter().map(|it| &*it.uri))
    }

    /// Warns once: SEP-2093 allows a server to omit it, but its operator should know.
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
#[error("the listing returned the same page twice")]
pub(in crate::features) struct EndlessListing;

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

    fn metadata(&self, uri: String, is_open: bool) -> StoreFuture<Resource> {
        let checked = Self::clone(self);
        Box::pin(async move {
            match checked.store.metadata(&uri).await {
                Ok(resource) => Ok(resource),
                Err(error) => Err(checked.refusal(&uri, error, is_open).await),
            }
        })
    }

    fn meant(&self, uri: String) -> BoxFuture<'static, Option<String>> {
        let checked = Self::clone(self);
        Box::pin(async move { checked.meant_by(&uri, None).await })
    }

    fn read(&self, uri: String, is_open: bool) -> StoreFuture<Vec<ResourceContents>> {
        let checked = Self::clone(self);
        Box::pin(async move {
            match CheckedStore::read(&checked, &uri).await {
                Ok(contents) => Ok(contents),
                Err(error) => Err(checked.refusal(&uri, error, is_open).await),
            }
        })
    }
}
