//! Several stores as one.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use plainly_protocol::types::{
    CacheHint, CacheScope, Resource, ResourceContents, ResourceTemplate,
};

use super::boxed::{DynStore, boxed};
use super::{
    Budget, ListQuery, Page, RangeQuery, Ranged, Store, StoreError, Typed, Viewer, Wanted, Watch,
};
use crate::changes::SubscribedResources;

/// Several stores as one: the first that serves a URI is used for it. Cheap to clone.
///
/// A server with several stores serves them in this way. So code that needs one store, such as the
/// tools over a store, works with several.
///
/// ```
/// use plainly::Server;
/// use plainly::server::BuildErrors;
/// use plainly::store::{Store, Stores};
///
/// fn serve(notes: impl Store, books: impl Store) -> Result<Server, BuildErrors> {
///     let stores = Stores::new().add(notes).add(books);
///     Server::builder("library", "1.0.0").store(stores).build()
/// }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Stores(Vec<Arc<dyn DynStore>>);

impl Stores {
    /// No stores.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a store, after those added before.
    #[must_use]
    #[expect(
        clippy::should_implement_trait,
        reason = "it adds to a list, as a builder does"
    )]
    pub fn add(mut self, store: impl Store) -> Self {
        self.0.push(boxed(store));
        self
    }

    /// A collection with one store.
    pub(crate) fn of_one(store: &Arc<dyn DynStore>) -> Self {
        Self(vec![Arc::clone(store)])
    }

    pub(crate) fn iter(&self) -> std::slice::Iter<'_, Arc<dyn DynStore>> {
        self.0.iter()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The first store that serves `uri`.
    pub(crate) fn of(&self, uri: &str) -> Option<&Arc<dyn DynStore>> {
        self.0.iter().find(|store| store.serves(uri))
    }

    /// The first store that serves `uri`, as `viewer` sees it.
    pub(crate) fn seen_by(&self, viewer: &Viewer, uri: &str) -> Option<Arc<dyn DynStore>> {
        let serving = self.0.iter().filter(|store| store.serves(uri));
        let mut seen = serving.filter_map(|store| match store.view(viewer) {
            Some(view) => view.serves(uri).then_some(view),
            None => Some(Arc::clone(store)),
        });
        seen.next()
    }

    /// All stores, each as `viewer` sees it.
    pub(crate) fn all_seen_by(&self, viewer: &Viewer) -> Self {
        self.view(viewer).unwrap_or_else(|| self.clone())
    }

    /// The store that has a template with this text.
    pub(crate) fn of_template(&self, text: &str) -> Option<&Arc<dyn DynStore>> {
        let has_it = |store: &&Arc<dyn DynStore>| {
            let mut templates = store.templates().into_iter();
            templates.any(|template| template.uri_template == text)
        };
        self.0.iter().find(has_it)
    }
}

impl Store for Stores {
    fn serves(&self, uri: &str) -> bool {
        self.of(uri).is_some()
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        if let Some(parent) = query.parent {
            return self
                .of(parent)
                .ok_or(StoreError::NotFound)?
                .list(query)
                .await;
        }
        let mut at = match query.after {
            None => Position::default(),
            Some(after) => Position::parse(after)
                .filter(|at| at.part < self.0.len())
                .ok_or(StoreError::InvalidCursor)?,
        };
        let mut resources = Vec::new();
        // A store may return fewer entries than requested and still have more, so one call for each
        // is not enough.
        while resources.len() < query.limit
            && let Some(store) = self.0.get(at.part)
        {
            let mut query = ListQuery::new(query.limit - resources.len());
            query.after = at.after.as_deref();
            let page = store.list(query).await?;
            let before = self.0.get(..at.part).unwrap_or_default();
            let is_own = |uri: &str| !before.iter().any(|other| other.serves(uri));
            let listed = page.resources.into_iter();
            resources.extend(listed.filter(|resource| is_own(&resource.uri)));
            at = Position::after(at.part, page.next);
        }
        // Only a call shows whether a store has entries, so the last page may be empty.
        let next = (at.part < self.0.len()).then(|| at.to_string());
        Ok(Page::new(resources, next))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        self.of(uri)
            .ok_or(StoreError::NotFound)?
            .metadata(uri)
            .await
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        self.read_as(uri, &Wanted::default()).await
    }

    async fn read_as(
        &self,
        uri: &str,
        wanted: &Wanted,
    ) -> Result<Vec<ResourceContents>, StoreError> {
        let store = self.of(uri).ok_or(StoreError::NotFound)?;
        store.read_as(uri, wanted).await
    }

    async fn read_range(&self, query: RangeQuery<'_>) -> Result<Ranged, StoreError> {
        let store = self.of(query.uri).ok_or(StoreError::NotFound)?;
        store.read_range(query).await
    }

    fn roots(&self) -> Vec<String> {
        self.0.iter().flat_map(|store| store.roots()).collect()
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        self.0.iter().flat_map(|store| store.templates()).collect()
    }

    async fn complete(&self, typed: Typed<'_>) -> Result<Vec<String>, StoreError> {
        match self.of_template(typed.template) {
            Some(store) => store.complete(typed).await,
            None => Ok(Vec::new()),
        }
    }

    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        self.of(uri)?.spelling(uri)
    }

    fn view(&self, viewer: &Viewer) -> Option<Self> {
        let views: Vec<_> = self.0.iter().map(|store| store.view(viewer)).collect();
        let has_any = views.iter().any(Option::is_some);
        let seen = views.into_iter().zip(&self.0);
        let seen = seen.map(|(view, store)| view.unwrap_or_else(|| Arc::clone(store)));
        has_any.then(|| Self(seen.collect()))
    }

    fn watch(&self, subscribed: SubscribedResources) -> Option<Watch> {
        let watches = self
            .0
            .iter()
            .filter_map(|store| store.watch(subscribed.clone()));
        let watches: Vec<Watch> = watches.collect();
        let is_none = watches.is_empty();
        (!is_none).then(|| Watch::new(futures_util::stream::select_all(watches)))
    }

    /// Whether all stores allow suggestions.
    fn can_suggest(&self) -> bool {
        self.0.iter().all(|store| store.can_suggest())
    }

    /// The budget of the first store, because the stores of a process share theirs.
    fn budget(&self) -> Budget {
        let first = self.0.first();
        first.map(|store| store.budget()).unwrap_or_default()
    }

    /// The hint of all stores: the shortest time, and public only if all of them are.
    fn cache_hint(&self) -> CacheHint {
        let hints = self.0.iter().map(|store| store.cache_hint());
        hints.reduce(shorter).unwrap_or_default()
    }
}

/// The hint for results from two origins.
pub(crate) fn shorter(one: CacheHint, other: CacheHint) -> CacheHint {
    let scope = if one.scope == CacheScope::Public {
        other.scope
    } else {
        one.scope
    };
    CacheHint::new(one.ttl.min(other.ttl), scope)
}

/// A position in a listing of several parts: the part, and the entry of it to continue after.
#[derive(Default)]
pub(crate) struct Position {
    pub(crate) part: usize,
    pub(crate) after: Option<String>,
}

impl Position {
    /// The position after `last` in this part or, if the part is complete, at the beginning of the
    /// next.
    pub(crate) fn after(part: usize, last: Option<String>) -> Self {
        Self {
            part: part + usize::from(last.is_none()),
            after: last,
        }
    }

    /// The inverse of `Display`; `None` for any other text.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (part, after) = text
            .split_once(' ')
            .map_or((text, None), |(part, after)| (part, Some(after)));
        let position = Self {
            part: part.parse().ok()?,
            after: after.map(str::to_owned),
        };
        let is_beginning = position.part == 0 && position.after.is_none();
        (!is_beginning && position.to_string() == text).then_some(position)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.after {
            Some(after) => write!(f, "{} {after}", self.part),
            None => write!(f, "{}", self.part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_position_has_one_spelling() {
        for text in ["1", "2", "0 fixed://1", "1 x", "1  ", "1 ", "7 a b"] {
            let position = Position::parse(text).map(|position| position.to_string());
            assert_eq!(position.as_deref(), Some(text));
        }
        for text in ["0", "", " ", "-1", "+1", "01", "x", "99999999999999999999"] {
            assert!(Position::parse(text).is_none(), "{text:?}");
        }
    }
}
