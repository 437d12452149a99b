//! Resources: static ones with a handler, templates, and stores; their listing, metadata and content as one whole.

mod building;
mod children;
mod contents;
mod fixed;
mod methods;
mod reading;
mod stored;
mod template;
mod templated;
mod templates;

use std::sync::Arc;

use futures_util::stream::{BoxStream, SelectAll, select_all};
use plainly_errors::{InvalidParams, ProtocolError, Unavailable};
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CacheHint, CacheScope, Cursor, ListResourceTemplatesParams, ListResourceTemplatesResult,
    ListResourcesResult, ReadResourceResult, Resource, ResourceMetadataResult,
};

pub(in crate::server) use self::building::build_templates;
pub(in crate::server) use self::children::Listing;
pub use self::fixed::StaticResource;
pub(in crate::server) use self::stored::{ErasedStore, erase};
pub use self::template::Template;
pub(in crate::server) use self::templated::ServedTemplate;
use self::templates::Templates;
use super::catalogue::Catalogue;
use super::completion::Completable;
use super::cursor::CursorsOf;
use crate::limits::Limits;
use crate::server::answer::{Answer, AnswerFuture};
use crate::server::extract::{ListingCall, ResourceCall};
use crate::server::failure::Failure;
use crate::store::{Change, ListQuery, Page, StoreError};

/// The resources of a server: the static ones first, then those of each template, then each store's; all in the order in
/// which they were added, which is also the order in which a URI finds its own.
#[derive(Debug)]
pub(in crate::server) struct Resources {
    fixed: Catalogue<StaticResource>,
    templates: Templates,
    stores: Vec<Box<dyn ErasedStore>>,
}

impl Resources {
    pub(in crate::server) fn new(
        fixed: Catalogue<StaticResource>,
        templates: Vec<ServedTemplate>,
        stores: Vec<Box<dyn ErasedStore>>,
    ) -> Self {
        Self {
            fixed,
            templates: Templates::new(templates),
            stores,
        }
    }

    /// The static ones, which may come and go.
    pub(in crate::server) fn all_fixed(&self) -> &Catalogue<StaticResource> {
        &self.fixed
    }

    /// Whether there is anything, or may be.
    pub(in crate::server) fn is_served(&self) -> bool {
        self.fixed.is_served() || self.templates.len() > 0 || !self.stores.is_empty()
    }

    /// The hint for a listing of the children of `parent`: its own or its store's; or for one of everything: the shortest of
    /// all stores', for the narrowest circle.
    pub(in crate::server) fn cache_hint(&self, parent: Option<&str>) -> CacheHint {
        let narrower = |a: CacheHint, b: CacheHint| {
            let scope = if a.scope == CacheScope::Public {
                b.scope
            } else {
                a.scope
            };
            CacheHint::new(a.ttl.min(b.ttl), scope)
        };
        let one = parent.and_then(|parent| match self.fixed(parent) {
            Some(resource) => Some(resource.cache_hint),
            None => self.store(parent).map(|store| store.cache_hint()),
        });
        one.unwrap_or_else(|| {
            let listed = self.templates.listed_hints();
            let stored = self.stores.iter().map(|store| store.cache_hint());
            stored.chain(listed).reduce(narrower).unwrap_or_default()
        })
    }

    /// Whether variables of any template are completed.
    pub(in crate::server) fn is_completed(&self) -> bool {
        let mut templates = self.templates.iter();
        templates.any(|template| template.completable().is_completed())
    }

    /// The variables of a template, as they are completed.
    pub(in crate::server) fn completable(
        &self,
        template: &str,
    ) -> Result<&Completable, ProtocolError> {
        let found = self.templates.of_text(template);
        found.map(ServedTemplate::completable).ok_or_else(|| {
            ProtocolError::invalid_params("Unknown reference: there is no such resource template")
        })
    }

    /// Whether any store can tell what changes in it.
    pub(in crate::server) fn can_watch(&self) -> bool {
        self.stores.iter().any(|store| store.can_watch())
    }

    /// What changes in the stores that can tell, from now on.
    pub(in crate::server) fn watch(&self) -> SelectAll<BoxStream<'static, Change>> {
        let watchable = self.stores.iter().filter(|store| store.can_watch());
        select_all(watchable.filter_map(|store| store.watch()))
    }

    /// Whether changes of the resource at `uri` are told, by its store or, where `all` are told of, by the author.
    pub(in crate::server) fn can_tell(&self, uri: &str, all: bool) -> bool {
        match self.store(uri) {
            _ if self.fixed(uri).is_some() || self.templates.find(uri).is_some() => all,
            Some(store) => all || store.can_watch(),
            None => false,
        }
    }

    fn fixed(&self, uri: &str) -> Option<Arc<StaticResource>> {
        self.fixed.get(uri)
    }

    fn store(&self, uri: &str) -> Option<&dyn ErasedStore> {
        self.stores
            .iter()
            .find(|store| store.serves(uri))
            .map(AsRef::as_ref)
    }

    pub(in crate::server) fn read(
        &self,
        call: &ResourceCall<'_>,
        limits: &Limits,
    ) -> Result<AnswerFuture, ProtocolError> {
        let uri = call.uri;
        check_length(uri, limits)?;
        let (hint, reading) = if let Some(resource) = self.fixed(uri) {
            (resource.cache_hint, resource.read(call))
        } else if let Some((template, variables)) = self.templates.find(uri) {
            (template.cache_hint(), template.read(&call.with(&variables)))
        } else {
            return self.read_stored(uri);
        };
        Ok(Box::pin(async move {
            let result = ReadResourceResult::new(reading?.await?);
            Ok(Answer::ReadResource(result, hint))
        }))
    }

    fn read_stored(&self, uri: &str) -> Result<AnswerFuture, ProtocolError> {
        let store = self
            .store(uri)
            .ok_or_else(|| ProtocolError::resource_not_found(uri))?;
        let (hint, reading, uri) = (
            store.cache_hint(),
            store.read(uri.to_owned()),
            uri.to_owned(),
        );
        Ok(Box::pin(async move {
            let contents = reading
                .await
                .map_err(|error| error.into_protocol_error(&uri))?;
            Ok(Answer::ReadResource(
                ReadResourceResult::new(contents),
                hint,
            ))
        }))
    }

    pub(in crate::server) async fn metadata(
        &self,
        call: &ResourceCall<'_>,
        limits: &Limits,
    ) -> Result<ResourceMetadataResult, Failure> {
        let uri = call.uri;
        check_length(uri, limits)?;
        if let Some(resource) = self.fixed(uri) {
            return Ok(ResourceMetadataResult::new(resource.definition.clone()));
        }
        if let Some((template, variables)) = self.templates.find(uri) {
            let resource = template.metadata(&call.with(&variables)).await?;
            return Ok(ResourceMetadataResult::new(resource));
        }
        let store = self
            .store(uri)
            .ok_or_else(|| ProtocolError::resource_not_found(uri))?;
        let metadata = store.metadata(uri.to_owned()).await;
        let metadata = metadata.map_err(|error| error.into_protocol_error(uri))?;
        Ok(ResourceMetadataResult::new(metadata))
    }

    pub(in crate::server) fn list_templates(
        &self,
        params: &ListResourceTemplatesParams,
        cursors: CursorsOf<'_>,
        limit: usize,
    ) -> Result<ListResourceTemplatesResult, ProtocolError> {
        self.templates.list(params, cursors, limit)
    }

    /// Everything: what is static, then template by template, then store by store. A page may end one source and begin the
    /// next.
    pub(in crate::server) async fn list(
        &self,
        cursor: Option<&Cursor>,
        call: &ListingCall<'_>,
        cursors: CursorsOf<'_>,
        limits: &Limits,
    ) -> Result<ListResourcesResult, Failure> {
        let listing = Method::ListResources.name();
        let sources = self.templates.len() + self.stores.len();
        let mut at = match cursor {
            Some(cursor) => Position::parse(&cursors.open(listing, cursor)?)
                .filter(|at| at.source <= sources)
                .ok_or_else(invalid_cursor)?,
            None => Position::default(),
        };
        let mut page: Vec<Resource> = Vec::new();
        if at.source == 0 {
            let show = |resource: &StaticResource| resource.definition.clone();
            let (here, last) = self
                .fixed
                .after(at.after.as_deref(), limits.page_entries, show);
            page.extend(here);
            at = Position::after(0, last);
        }
        while page.len() < limits.page_entries && (1..=sources).contains(&at.source) {
            let mut query = ListQuery::new(limits.page_entries - page.len());
            query.after = at.after.as_deref();
            let more = self.list_source(at.source - 1, query, call).await?;
            page.extend(more.resources);
            at = Position::after(at.source, more.next);
        }
        let mut result = ListResourcesResult::new(page);
        let unfinished = at.source <= sources;
        result.next_cursor = unfinished
            .then(|| cursors.seal(listing, &at.to_string()))
            .transpose()?;
        Ok(result)
    }

    /// A page of one of the templates or, after them, of the stores.
    async fn list_source(
        &self,
        index: usize,
        query: ListQuery<'_>,
        call: &ListingCall<'_>,
    ) -> Result<Page, Failure> {
        if let Some(template) = self.templates.get(index) {
            return template.list(query, call).await;
        }
        match self.stores.get(index - self.templates.len()) {
            Some(store) => Ok(store.list(query).await.map_err(unfit_to_list)?),
            None => Ok(Page::default()),
        }
    }
}

fn invalid_cursor() -> ProtocolError {
    InvalidParams::InvalidCursor.into()
}

/// A store that lists everything was not asked for any one resource.
fn unfit_to_list(error: StoreError) -> ProtocolError {
    match error {
        StoreError::InvalidCursor => invalid_cursor(),
        StoreError::Overloaded => Unavailable::Overloaded.into(),
        StoreError::NotFound
        | StoreError::InvalidUri { .. }
        | StoreError::NotACollection
        | StoreError::TooLarge { .. }
        | StoreError::Failed(_) => {
            ProtocolError::internal("The resources could not be listed").with_source(error)
        }
    }
}

/// Whether `uri` is short enough to be looked at.
pub(in crate::server) fn check_length(uri: &str, limits: &Limits) -> Result<(), ProtocolError> {
    if uri.len() <= limits.uri_bytes {
        return Ok(());
    }
    Err(ProtocolError::invalid_params(format!(
        "Invalid URI: longer than {} bytes",
        limits.uri_bytes
    )))
}

/// How far a listing of everything has come: in which source (0 is what is static), and after what in it.
#[derive(Default)]
struct Position {
    source: usize,
    after: Option<String>,
}

impl Position {
    /// After `last` in this source, or, if that was all of it, at the beginning of the next.
    fn after(source: usize, last: Option<String>) -> Self {
        Self {
            source: source + usize::from(last.is_none()),
            after: last,
        }
    }

    /// Only what was written by us reads back.
    fn parse(text: &str) -> Option<Self> {
        let (source, after) = text
            .split_once(' ')
            .map_or((text, None), |(source, after)| (source, Some(after)));
        let position = Self {
            source: source.parse().ok()?,
            after: after.map(str::to_owned),
        };
        let is_beginning = position.source == 0 && position.after.is_none();
        (!is_beginning && position.to_string() == text).then_some(position)
    }
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.after {
            Some(after) => write!(f, "{} {after}", self.source),
            None => write!(f, "{}", self.source),
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
