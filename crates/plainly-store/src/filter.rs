//! A store with some of its resources hidden.

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use futures_util::StreamExt as _;
use percent_encoding::percent_decode_str;
use plainly_errors::Problem;
use plainly_protocol::types::{CacheHint, Resource, ResourceContents, ResourceTemplate};
use plainly_server::SubscribedResources;
use plainly_server::store::{
    Budget, Change, ListQuery, Page, RangeQuery, Ranged, Store, StoreError, Viewer, Wanted, Watch,
};

use super::Globs;

/// The maximum number of pages read from the store for one page of visible resources.
const PAGES: usize = 10;

/// A store that shows only some resources of another one. All methods report the others as missing.
///
/// Globs follow the rules of `.gitignore`, and match the decoded part of a URI after `://`: for
/// `note://home/a%20b.md`, this is `home/a b.md`. A glob that matches a collection also matches
/// everything inside it.
///
/// ```
/// use plainly::store::{Filter, Store};
///
/// fn published(notes: impl Store) -> Result<impl Store, plainly::errors::Problem> {
///     Filter::new(notes).only(["*.md", "*.png"])?.except(["drafts", "*.old.md"])
/// }
/// ```
#[derive(Debug)]
pub struct Filter<S> {
    store: Arc<S>,
    only: Option<Globs>,
    except: Option<Globs>,
}

impl<S: Store> Filter<S> {
    /// Creates a filter that shows all of `store`.
    #[must_use]
    pub fn new(store: S) -> Self {
        Self {
            store: Arc::new(store),
            only: None,
            except: None,
        }
    }

    /// Hides all resources that none of these globs match, except collections. Fails if a glob is
    /// invalid.
    pub fn only<G: Into<String>>(
        mut self,
        globs: impl IntoIterator<Item = G>,
    ) -> Result<Self, Problem> {
        let globs: Vec<String> = globs.into_iter().map(Into::into).collect();
        self.only = Globs::compile("only", &globs)?;
        Ok(self)
    }

    /// Hides all resources that one of these globs matches. Fails if a glob is invalid.
    pub fn except<G: Into<String>>(
        mut self,
        globs: impl IntoIterator<Item = G>,
    ) -> Result<Self, Problem> {
        let globs: Vec<String> = globs.into_iter().map(Into::into).collect();
        self.except = Globs::compile("except", &globs)?;
        Ok(self)
    }

    /// Whether to notify clients of a change.
    async fn shows_change(&self, change: &Change) -> bool {
        if let Change::Resource(uri) = change {
            return self.look(uri).await.is_ok();
        }
        let Change::Tree(uri) = change else {
            return true;
        };
        self.may_show(uri)
    }

    /// Whether the URI would be visible if it were a collection.
    fn may_show(&self, uri: &str) -> bool {
        !matches(self.except.as_ref(), uri)
    }

    fn shows(&self, uri: &str, is_collection: bool) -> bool {
        let is_asked_for = self.only.is_none() || is_collection || matches(self.only.as_ref(), uri);
        is_asked_for && self.may_show(uri)
    }

    /// Whether the URI is hidden even if it is a collection. The listed spelling is checked, so
    /// that another spelling can't reveal a hidden resource.
    fn hides(&self, uri: &str) -> bool {
        let listed = self.store.spelling(uri);
        listed.is_some_and(|listed| !self.may_show(&listed))
    }

    fn shows_resource(&self, resource: &Resource) -> bool {
        self.shows(&resource.uri, resource.is_collection == Some(true))
    }

    /// Fails if the resource is hidden.
    async fn look(&self, uri: &str) -> Result<(), StoreError> {
        match self.store.spelling(uri) {
            Some(listed) if self.shows(&listed, false) => Ok(()),
            Some(_) | None => self.metadata(uri).await.map(drop),
        }
    }
}

impl<S> Clone for Filter<S> {
    fn clone(&self) -> Self {
        Self {
            store: Arc::clone(&self.store),
            only: self.only.clone(),
            except: self.except.clone(),
        }
    }
}

/// Whether one of the globs matches the URI, or a collection that contains it.
fn matches(globs: Option<&Globs>, uri: &str) -> bool {
    let path = uri.split_once("://").map_or(uri, |(_, path)| path);
    let path = percent_decode_str(path.trim_start_matches('/')).decode_utf8_lossy();
    let mut above = Path::new(&*path).ancestors();
    globs.is_some_and(|globs| above.any(|path| globs.matches(path)))
}

impl<S: Store> Store for Filter<S> {
    fn serves(&self, uri: &str) -> bool {
        self.store.serves(uri) && !self.hides(uri)
    }

    async fn list(&self, query: ListQuery<'_>) -> Result<Page, StoreError> {
        if let Some(parent) = query.parent {
            self.look(parent).await?;
        }
        let (mut shown, mut after) = (Vec::new(), query.after.map(str::to_owned));
        for _ in 0..PAGES {
            let mut rest = ListQuery::new(query.limit - shown.len());
            (rest.parent, rest.after) = (query.parent, after.as_deref());
            let page = self.store.list(rest).await?;
            let resources = page.resources.into_iter();
            shown.extend(resources.filter(|one| self.shows_resource(one)));
            after = page.next;
            if after.is_none() || shown.len() >= query.limit {
                break;
            }
        }
        Ok(Page::new(shown, after))
    }

    async fn metadata(&self, uri: &str) -> Result<Resource, StoreError> {
        if self.hides(uri) {
            return Err(StoreError::NotFound);
        }
        let found = self.store.metadata(uri).await?;
        let is_shown = self.shows_resource(&found);
        is_shown.then_some(found).ok_or(StoreError::NotFound)
    }

    async fn read(&self, uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        self.read_as(uri, &Wanted::default()).await
    }

    async fn read_as(
        &self,
        uri: &str,
        wanted: &Wanted,
    ) -> Result<Vec<ResourceContents>, StoreError> {
        self.look(uri).await?;
        let listed = self.store.spelling(uri).unwrap_or(Cow::Borrowed(uri));
        let mut contents = self.store.read_as(uri, wanted).await?;
        contents.retain(|one| one.uri == listed || self.shows(&one.uri, false));
        Ok(contents)
    }

    async fn read_range(&self, query: RangeQuery<'_>) -> Result<Ranged, StoreError> {
        self.look(query.uri).await?;
        self.store.read_range(query).await
    }

    fn roots(&self) -> Vec<String> {
        let mut roots = self.store.roots();
        roots.retain(|root| self.may_show(root));
        roots
    }

    fn templates(&self) -> Vec<ResourceTemplate> {
        self.store.templates()
    }

    fn spelling<'u>(&self, uri: &'u str) -> Option<Cow<'u, str>> {
        let listed = self.store.spelling(uri)?;
        self.may_show(&listed).then_some(listed)
    }

    fn view(&self, viewer: &Viewer) -> Option<Self> {
        Some(Self {
            store: self.store.view(viewer)?,
            ..self.clone()
        })
    }

    fn watch(&self, subscribed: SubscribedResources) -> Option<Watch> {
        let changes = self.store.watch(subscribed)?;
        let filter = self.clone();
        let shown = changes.filter_map(move |change| {
            let filter = filter.clone();
            async move { filter.shows_change(&change).await.then_some(change) }
        });
        Some(Watch::new(shown.boxed()))
    }

    fn can_suggest(&self) -> bool {
        self.store.can_suggest()
    }

    fn budget(&self) -> Budget {
        self.store.budget()
    }

    fn cache_hint(&self) -> CacheHint {
        self.store.cache_hint()
    }
}
