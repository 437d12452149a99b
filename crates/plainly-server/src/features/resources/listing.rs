//! `resources/list` without a URI: everything, one part after the other.

use std::fmt;
use std::iter;

use plainly_errors::{InvalidParams, ProtocolError, Unavailable};
use plainly_protocol::method::Method;
use plainly_protocol::types::{CacheHint, CacheScope, Cursor, ListResourcesResult};

use super::resource::Resource;
use super::stored::ErasedStore;
use super::templates::ServedTemplate;
use super::{ListedResources, Resources};
use crate::extract::ListingCall;
use crate::failure::Failure;
use crate::features::catalogue::Catalogue;
use crate::features::cursor::CursorsOf;
use crate::limits::Limits;
use crate::store::{ListQuery, Page, StoreError};

/// One part of everything. Cursors hold its number, and where in it the next page begins.
enum ListingPart<'a> {
    Fixed(&'a Catalogue<Resource>),
    Template(&'a ServedTemplate),
    Store(&'a dyn ErasedStore),
}

impl ListingPart<'_> {
    async fn page(&self, query: ListQuery<'_>, call: &ListingCall<'_>) -> Result<Page, Failure> {
        match self {
            Self::Fixed(resources) => {
                let (page, next) = resources.after(query.after, query.limit, Resource::definition);
                Ok(Page::new(page, next))
            }
            Self::Template(template) => template.list(query, call).await,
            Self::Store(store) => {
                let page = store.list(query).await;
                Ok(page.map_err(|error| listing_failed("resources", error))?)
            }
        }
    }
}

impl Resources {
    /// The part of this number, counted from 0.
    fn part(&self, number: usize) -> Option<ListingPart<'_>> {
        let templates = self.templates.iter().map(ListingPart::Template);
        let stores = self.stores.iter().map(|store| ListingPart::Store(&**store));
        let parts = iter::once(ListingPart::Fixed(&self.fixed));
        parts.chain(templates).chain(stores).nth(number)
    }

    /// A page of everything. It may end one part and begin the next.
    pub(in crate::features) async fn list(
        &self,
        cursor: Option<&Cursor>,
        call: &ListingCall<'_>,
        cursors: CursorsOf<'_>,
        limits: &Limits,
    ) -> Result<ListedResources, Failure> {
        let listing = Method::ListResources.name();
        let mut at = match cursor {
            Some(cursor) => Position::parse(&cursors.open(listing, cursor)?)
                .filter(|at| self.part(at.part).is_some())
                .ok_or_else(invalid_cursor)?,
            None => Position::default(),
        };
        let mut page = Vec::new();
        // A store may return fewer entries than it was asked for and still have more, so one look at each part is not
        // enough.
        while page.len() < limits.page_entries
            && let Some(part) = self.part(at.part)
        {
            let mut query = ListQuery::new(limits.page_entries - page.len());
            query.after = at.after.as_deref();
            let more = part.page(query, call).await?;
            page.extend(more.resources);
            at = Position::after(at.part, more.next);
        }
        let mut result = ListResourcesResult::new(page);
        // Whether that part has any entries is not known without asking it: the last page may be empty.
        if self.part(at.part).is_some() {
            result.next_cursor = Some(cursors.seal(listing, &at.to_string())?);
        }
        Ok((result, self.hint_of_everything()))
    }

    /// The shortest time of everything that templates and stores list; public only if all of them are.
    fn hint_of_everything(&self) -> CacheHint {
        let listed = self.templates.listed_hints();
        let stored = self.stores.iter().map(|store| store.cache_hint());
        let hints = stored.chain(listed).reduce(|a, b| {
            let scope = if a.scope == CacheScope::Public {
                b.scope
            } else {
                a.scope
            };
            CacheHint::new(a.ttl.min(b.ttl), scope)
        });
        hints.unwrap_or_default()
    }
}

fn invalid_cursor() -> ProtocolError {
    InvalidParams::InvalidCursor.into()
}

/// The error of a listing of resources or skills. It has no URI, because the request was not for any one of them.
pub(in crate::features) fn listing_failed(listed: &str, error: StoreError) -> ProtocolError {
    match error {
        StoreError::InvalidCursor => invalid_cursor(),
        StoreError::Overloaded => Unavailable::Overloaded.into(),
        StoreError::NotFound
        | StoreError::InvalidUri { .. }
        | StoreError::NotACollection
        | StoreError::TooLarge { .. }
        | StoreError::Failed(_) => {
            ProtocolError::internal(format!("The {listed} could not be listed")).with_source(error)
        }
    }
}

/// A position in a listing: the part, and the entry of it after which to go on.
#[derive(Default)]
struct Position {
    part: usize,
    after: Option<String>,
}

impl Position {
    /// After `last` in this part, or, if that was all of it, at the beginning of the next.
    fn after(part: usize, last: Option<String>) -> Self {
        Self {
            part: part + usize::from(last.is_none()),
            after: last,
        }
    }

    /// The inverse of `Display`; anything else is refused.
    fn parse(text: &str) -> Option<Self> {
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
