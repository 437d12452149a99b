//! Stores of all types behind one type.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use futures_util::future::BoxFuture;
use plainly_protocol::types::{
    CacheHint, CacheScope, Resource, ResourceContents, ResourceTemplate,
};

use super::{
    Budget, LineIndexes, ListQuery, Page, RangeQuery, Ranged, Store, StoreError, Typed, Viewer,
    Wanted, Watch,
};
use crate::changes::SubscribedResources;
use plainly_transport::lock::Lock;

/// [`Store`] with its futures boxed, so that stores of different types can be in one list.
pub(crate) trait DynStore: Send + Sync + fmt::Debug {
    /// The data about the store that all views of it share.
    fn facts(&self) -> &StoreFacts;
    fn serves(&self, uri: &str) -> bool;
    fn list<'a>(&'a self, query: ListQuery<'a>) -> StoreFuture<'a, Page>;
    fn metadata<'a>(&'a self, uri: &'a str) -> StoreFuture<'a, Resource>;
    fn read_as<'a>(
        &'a self,
        uri: &'a str,
        wanted: &'a Wanted,
    ) -> StoreFuture<'a, Vec<ResourceContents>>;
    fn read_range<'a>(&'a self, query: RangeQuery<'a>) -> StoreFuture<'a, Ranged>;
    fn roots(&self) -> Vec<String>;
    fn templates(&self) -> Vec<ResourceTemplate>;
    fn complete<'a>(&'a self, typed: Typed<'a>) -> StoreFuture<'a, Vec<String>>;
    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>>;
    /// The store as this caller sees it; `None` for the store itself.
    fn view(&self, viewer: &Viewer) -> Option<Arc<dyn DynStore>>;
    fn watch(&self, subscribed: SubscribedResources) -> Option<Watch>;
    /// The line indexes of its resources; `None` for a view, which may show other content.
    fn lines(&self) -> Option<&LineIndexes>;
    fn can_suggest(&self) -> bool;
    fn budget(&self) -> Budget;
    fn cache_hint(&self) -> CacheHint;
}

/// The answer of a store.
type StoreFuture<'a, T> = BoxFuture<'a, Result<T, StoreError>>;

/// The data about a store that all views of it share.
#[derive(Debug)]
pub(crate) struct StoreFacts {
    /// Whether the store reports changes.
    pub(crate) can_watch: bool,
    /// Whether the warning that the store does not mark its collections has been logged.
    is_warned_of: AtomicBool,
    suggestions: Lock<Suggestions>,
    lines: LineIndexes,
}

/// The listings for suggestions that are still allowed. They are limited because any client can
/// request resources that do not exist, and must not make a store list without end.
#[derive(Debug)]
struct Suggestions {
    left: u32,
    /// The time up to which they have been counted.
    counted: Instant,
}

impl Suggestions {
    /// The maximum number at once.
    const MOST: u32 = 32;
    /// The time after which one more is allowed.
    const EACH: Duration = Duration::from_millis(125);
}

impl StoreFacts {
    fn new(can_watch: bool) -> Self {
        let suggestions = Suggestions {
            left: Suggestions::MOST,
            counted: Instant::now(),
        };
        Self {
            can_watch,
            is_warned_of: AtomicBool::new(false),
            suggestions: Lock::new(suggestions),
            lines: LineIndexes::default(),
        }
    }

    /// Whether the store may be listed for another suggestion. If so, it is counted.
    pub(crate) fn may_suggest(&self) -> bool {
        let mut state = self.suggestions.lock();
        let passed = state.counted.elapsed().as_millis() / Suggestions::EACH.as_millis();
        if let Ok(passed @ 1..) = u32::try_from(passed) {
            state.left = state.left.saturating_add(passed).min(Suggestions::MOST);
            state.counted = Instant::now();
        }
        let left = state.left.checked_sub(1);
        state.left = left.unwrap_or(0);
        left.is_some()
    }

    /// Whether the warning must be logged, which is true only the first time.
    pub(crate) fn is_to_be_warned_of(&self) -> bool {
        !self.is_warned_of.swap(true, Ordering::Relaxed)
    }
}

/// Hides the type of `store`.
pub(crate) fn boxed(store: impl Store) -> Arc<dyn DynStore> {
    let can_watch = store.watch(SubscribedResources::none()).is_some();
    Arc::new(Boxed {
        store,
        facts: Arc::new(StoreFacts::new(can_watch)),
        is_view: false,
    })
}

#[derive(Debug)]
struct Boxed<S> {
    store: S,
    facts: Arc<StoreFacts>,
    /// Whether the store is the view of one caller.
    is_view: bool,
}

/// Clients can't detect it themselves, because each cursor is sealed again, so that no two are
/// equal.
#[derive(Debug, thiserror::Error)]
#[error("the listing returned the same page twice")]
pub(crate) struct EndlessListing;

impl<S: Store> DynStore for Boxed<S> {
    fn facts(&self) -> &StoreFacts {
        &self.facts
    }

    fn serves(&self, uri: &str) -> bool {
        self.store.serves(uri)
    }

    fn list<'a>(&'a self, query: ListQuery<'a>) -> StoreFuture<'a, Page> {
        Box::pin(async move {
            let page = self.store.list(query).await?;
            if page.next.is_some() && page.next.as_deref() == query.after {
                return Err(StoreError::Failed(EndlessListing.into()));
            }
            Ok(page)
        })
    }

    fn metadata<'a>(&'a self, uri: &'a str) -> StoreFuture<'a, Resource> {
        Box::pin(self.store.metadata(uri))
    }

    fn read_as<'a>(
        &'a self,
        uri: &'a str,
        wanted: &'a Wanted,
    ) -> StoreFuture<'a, Vec<ResourceContents>> {
        Box::pin(self.store.read_as(uri, wanted))
    }

    fn read_range<'a>(&'a self, query: RangeQuery<'a>) -> StoreFuture<'a, Ranged> {
        Box::pin(self.store.read_range(query))
    }

    fn roots(&self) -> Vec<String> {
        self.store.roots()
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        self.store.templates()
    }

    fn complete<'a>(&'a self, typed: Typed<'a>) -> StoreFuture<'a, Vec<String>> {
        Box::pin(self.store.complete(typed))
    }

    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        self.store.spelling(uri)
    }

    fn view(&self, viewer: &Viewer) -> Option<Arc<dyn DynStore>> {
        let store = self.store.view(viewer)?;
        let facts = Arc::clone(&self.facts);
        Some(Arc::new(Self {
            store,
            facts,
            is_view: true,
        }))
    }

    fn watch(&self, subscribed: SubscribedResources) -> Option<Watch> {
        self.store.watch(subscribed)
    }

    fn lines(&self) -> Option<&LineIndexes> {
        (!self.is_view).then_some(&self.facts.lines)
    }

    fn can_suggest(&self) -> bool {
        self.store.can_suggest()
    }

    fn budget(&self) -> Budget {
        self.store.budget()
    }

    fn cache_hint(&self) -> CacheHint {
        let hint = self.store.cache_hint();
        match self.is_view {
            true => CacheHint::new(hint.ttl, CacheScope::Private),
            false => hint,
        }
    }
}
