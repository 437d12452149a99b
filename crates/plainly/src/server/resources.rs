//! Resources: static ones with a handler, and stores; their listing, metadata and content as one whole.

mod children;
mod contents;
mod fixed;
mod stored;

use std::future::ready;

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CacheHint, CacheScope, Cursor, ListResourcesResult, ReadResourceResult, Resource,
    ResourceMetadataResult,
};

pub(super) use self::children::Listing;
pub(super) use self::fixed::ContentsFuture;
pub use self::fixed::StaticResource;
pub(super) use self::stored::{ErasedStore, erase};
use super::answer::{Answer, AnswerFuture};
use super::cursor::Cursors;
use super::extract::ResourceCall;
use crate::limits::Limits;
use crate::store::{ListQuery, StoreError};

/// The resources of a server: the static ones first, in the order in which they were added, then each store's.
#[derive(Debug, Default)]
pub(super) struct Resources {
    fixed: Vec<StaticResource>,
    stores: Vec<Box<dyn ErasedStore>>,
}

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

    /// The hint for a listing of the children of `parent`: its own or its store's; or for one of everything: the shortest of
    /// all stores', for the narrowest circle.
    pub(super) fn cache_hint(&self, parent: Option<&str>) -> CacheHint {
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
            let all = self.stores.iter().map(|store| store.cache_hint());
            all.reduce(narrower).unwrap_or_default()
        })
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
            let hint = resource.cache_hint;
            let reading = match resource.read(call) {
                Ok(reading) => reading,
                Err(failure) => return Ok(Box::pin(ready(Err(failure)))),
            };
            return Ok(Box::pin(async move {
                let result = ReadResourceResult::new(reading.await?);
                Ok(Answer::ReadResource(result, hint))
            }));
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

    /// Everything: what is static, then store by store. A page may end one source and begin the next.
    pub(super) async fn list(
        &self,
        cursor: Option<&Cursor>,
        cursors: &Cursors,
        limits: &Limits,
    ) -> Result<ListResourcesResult, ProtocolError> {
        let listing = Method::ListResources.name();
        let mut at = match cursor {
            Some(cursor) => Position::parse(&cursors.open(listing, cursor)?)
                .filter(|at| at.source <= self.stores.len())
                .ok_or(InvalidParams::InvalidCursor)?,
            None => Position::default(),
        };
        let mut page: Vec<Resource> = Vec::new();
        if at.source == 0 {
            let rest = self.fixed_after(at.after.as_deref())?;
            let here = rest.iter().take(limits.page_entries);
            page.extend(here.map(|resource| resource.definition.clone()));
            let last = page.last().filter(|_| page.len() < rest.len());
            at = Position::after(0, last.map(|last| last.uri.clone()));
        }
        while page.len() < limits.page_entries
            && at.source > 0
            && let Some(store) = self.stores.get(at.source - 1)
        {
            let mut query = ListQuery::new(limits.page_entries - page.len());
            query.after = at.after.as_deref();
            let more = store.list(query).await.map_err(unfit_to_list)?;
            page.extend(more.resources);
            at = Position::after(at.source, more.next);
        }
        let mut result = ListResourcesResult::new(page);
        let unfinished = at.source <= self.stores.len();
        result.next_cursor = unfinished
            .then(|| cursors.seal(listing, &at.to_string()))
            .transpose()?;
        Ok(result)
    }

    /// What is static, after the resource at `uri`, or all of it.
    fn fixed_after(&self, uri: Option<&str>) -> Result<&[StaticResource], InvalidParams> {
        let Some(uri) = uri else {
            return Ok(&self.fixed);
        };
        let mut rest = self.fixed.iter();
        rest.find(|resource| resource.definition.uri == uri)
            .ok_or(InvalidParams::InvalidCursor)?;
        Ok(rest.as_slice())
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
