//! Resources: static ones with a handler, and stores; their listing, metadata and content as one whole.

mod fixed;
mod stored;

use std::future::ready;

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::types::{
    CacheHint, CacheScope, ListResourcesParams, ListResourcesResult, ReadResourceResult, Resource,
    ResourceMetadataResult,
};

pub use self::fixed::StaticResource;
pub(super) use self::stored::{ErasedStore, erase};
use super::answer::{Answer, AnswerFuture};
use super::cursor;
use super::extract::ResourceCall;
use crate::limits::Limits;
use crate::store::{ListQuery, StoreError};

/// The resources of a server: the static ones first, in the order in which they were added, then each store's.
#[derive(Debug, Default)]
pub(super) struct Resources {
    fixed: Vec<StaticResource>,
    stores: Vec<Box<dyn ErasedStore>>,
}

/// The listing whose cursors those of `resources/list` are.
const ALL: &str = "resources";

impl Resources {
    pub(super) fn add(&mut self, resource: StaticResource) {
        self.fixed.push(resource);
    }

    pub(super) fn add_store(&mut self, store: Box<dyn ErasedStore>) {
        self.stores.push(store);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.stores.is_empty()
    }

    /// The hint for listings: the shortest of all, for the narrowest circle.
    pub(super) fn cache_hint(&self) -> CacheHint {
        let narrower = |a: CacheHint, b: CacheHint| {
            let scope = if a.scope == CacheScope::Public {
                b.scope
            } else {
                a.scope
            };
            CacheHint::new(a.ttl.min(b.ttl), scope)
        };
        self.stores
            .iter()
            .map(|store| store.cache_hint())
            .reduce(narrower)
            .unwrap_or_default()
    }

    fn fixed(&self, uri: &str) -> Option<&StaticResource> {
        self.fixed
            .iter()
            .find(|resource| resource.definition.uri == uri)
    }

    fn store(&self, uri: &str) -> Option<&dyn ErasedStore> {
        self.stores
            .iter()
            .find(|store| store.serves(uri))
            .map(AsRef::as_ref)
    }

    pub(super) fn read(
        &self,
        uri: &str,
        call: &ResourceCall<'_>,
        limits: &Limits,
    ) -> Result<AnswerFuture, ProtocolError> {
        check_length(uri, limits)?;
        if let Some(resource) = self.fixed(uri) {
            return Ok(resource
                .read(call)
                .unwrap_or_else(|failure| Box::pin(ready(Err(failure)))));
        }
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

    pub(super) async fn metadata(
        &self,
        uri: &str,
        limits: &Limits,
    ) -> Result<ResourceMetadataResult, ProtocolError> {
        check_length(uri, limits)?;
        if let Some(resource) = self.fixed(uri) {
            return Ok(ResourceMetadataResult::new(resource.definition.clone()));
        }
        let store = self
            .store(uri)
            .ok_or_else(|| ProtocolError::resource_not_found(uri))?;
        let metadata = store.metadata(uri.to_owned()).await;
        metadata
            .map(ResourceMetadataResult::new)
            .map_err(|error| error.into_protocol_error(uri))
    }

    pub(super) async fn list(
        &self,
        params: &ListResourcesParams,
        limits: &Limits,
    ) -> Result<ListResourcesResult, ProtocolError> {
        match &params.uri {
            Some(parent) => self.list_children(parent, params, limits).await,
            None => self.list_all(params, limits).await,
        }
    }

    async fn list_children(
        &self,
        parent: &str,
        params: &ListResourcesParams,
        limits: &Limits,
    ) -> Result<ListResourcesResult, ProtocolError> {
        check_length(parent, limits)?;
        if self.fixed(parent).is_some() {
            return Err(InvalidParams::NotACollection {
                uri: parent.to_owned(),
            }
            .into());
        }
        let store = self
            .store(parent)
            .ok_or_else(|| ProtocolError::resource_not_found(parent))?;
        let listing = format!("{ALL} {parent}");
        let after = params
            .cursor
            .as_ref()
            .map(|cursor| cursor::open(&listing, cursor))
            .transpose()?;
        let mut query = ListQuery::new(limits.page_entries).parent(parent);
        query.after = after.as_deref();
        let page = store
            .list(query)
            .await
            .map_err(|error| error.into_protocol_error(parent))?;
        let mut result = ListResourcesResult::new(page.resources);
        result.next_cursor = page.next.map(|next| cursor::seal(&listing, &next));
        Ok(result)
    }

    /// The static resources after the one at the URI `after`.
    fn fixed_after(&self, after: Option<&str>) -> Result<&[StaticResource], ProtocolError> {
        let start = match after {
            None => 0,
            Some(after) => {
                let position = self.fixed.iter().position(|fixed| fixed.uri() == after);
                1 + position.ok_or(InvalidParams::InvalidCursor)?
            }
        };
        Ok(self.fixed.get(start..).unwrap_or_default())
    }

    /// Everything: what is static, then store by store. A page may end one source and begin the next.
    async fn list_all(
        &self,
        params: &ListResourcesParams,
        limits: &Limits,
    ) -> Result<ListResourcesResult, ProtocolError> {
        let mut at = match &params.cursor {
            Some(cursor) => {
                Position::parse(&cursor::open(ALL, cursor)?).ok_or(InvalidParams::InvalidCursor)?
            }
            None => Position::default(),
        };
        let mut page: Vec<Resource> = Vec::new();
        if at.source == 0 {
            let rest = self.fixed_after(at.after.as_deref())?;
            let some = rest.iter().take(limits.page_entries);
            page.extend(some.map(|resource| resource.definition.clone()));
            let is_done = page.len() == rest.len();
            at = Position {
                source: usize::from(is_done),
                after: page
                    .last()
                    .filter(|_| !is_done)
                    .map(|last| last.uri.clone()),
            };
        }
        while page.len() < limits.page_entries
            && let Some(store) = at.source.checked_sub(1).and_then(|at| self.stores.get(at))
        {
            let mut query = ListQuery::new(limits.page_entries - page.len());
            query.after = at.after.as_deref();
            let more = store.list(query).await.map_err(unfit_to_list)?;
            page.extend(more.resources);
            at = Position {
                source: at.source + usize::from(more.next.is_none()),
                after: more.next,
            };
        }
        let mut result = ListResourcesResult::new(page);
        let unfinished = at.source <= self.stores.len();
        result.next_cursor = unfinished.then(|| cursor::seal(ALL, &at.to_string()));
        Ok(result)
    }
}

/// A store that lists everything was not asked for any one resource.
fn unfit_to_list(error: StoreError) -> ProtocolError {
    match error {
        StoreError::InvalidCursor => InvalidParams::InvalidCursor.into(),
        StoreError::NotFound
        | StoreError::InvalidUri { .. }
        | StoreError::NotACollection
        | StoreError::TooLarge { .. }
        | StoreError::Failed(_) => {
            ProtocolError::internal("The resources could not be listed").with_source(error)
        }
    }
}

fn check_length(uri: &str, limits: &Limits) -> Result<(), ProtocolError> {
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
    fn parse(text: &str) -> Option<Self> {
        let (source, after) = text
            .split_once(' ')
            .map_or((text, None), |(source, after)| (source, Some(after)));
        let source = source.parse().ok()?;
        Some(Self {
            source,
            after: after.map(str::to_owned),
        })
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
