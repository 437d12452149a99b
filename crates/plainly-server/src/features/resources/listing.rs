//! `resources/list` without a URI: lists all resources, one part after another.

use std::iter;

use plainly_errors::{InvalidParams, ProtocolError, Unavailable};
use plainly_protocol::method::Method;
use plainly_protocol::types::{CacheHint, Cursor, ListResourcesResult};

use super::resource::Resource;
use super::templates::ServedTemplate;
use super::{ListedResources, Resources};
use crate::extract::ListingCall;
use crate::failure::Failure;
use crate::features::catalogue::Catalogue;
use crate::features::cursor::CursorsOf;
use crate::limits::Limits;
use crate::store::{ListQuery, Page, Position, Store as _, StoreError, Stores, Viewer, shorter};

/// One part of the whole listing. Cursors contain its number and the position in it of the next
/// page.
enum ListingPart<'a> {
    Fixed(&'a Catalogue<Resource>),
    Template(&'a ServedTemplate),
    Stores(&'a Stores),
}

impl ListingPart<'_> {
    async fn page(&self, query: ListQuery<'_>, call: &ListingCall<'_>) -> Result<Page, Failure> {
        match self {
            Self::Fixed(resources) => {
                let (page, next) = resources.after(query.after, query.limit, Resource::definition);
                Ok(Page::new(page, next))
            }
            Self::Template(template) => template.list(query, call).await,
            Self::Stores(stores) => {
                let page = stores.list(query).await;
                Ok(page.map_err(|error| listing_failed("resources", error))?)
            }
        }
    }
}

impl Resources {
    /// The part with this number, counted from 0.
    fn part<'a>(&'a self, stores: &'a Stores, number: usize) -> Option<ListingPart<'a>> {
        let templates = self.templates.iter().map(ListingPart::Template);
        let stores = (!stores.is_empty()).then_some(ListingPart::Stores(stores));
        let parts = iter::once(ListingPart::Fixed(&self.fixed));
        parts.chain(templates).chain(stores).nth(number)
    }

    /// A page of the whole listing. It may contain the end of one part and the beginning of the
    /// next.
    pub(in crate::features) async fn list(
        &self,
        cursor: Option<&Cursor>,
        call: &ListingCall<'_>,
        cursors: CursorsOf<'_>,
        limits: &Limits,
    ) -> Result<ListedResources, Failure> {
        let listing = Method::ListResources.name();
        let stores = self.stores.all_seen_by(&Viewer::of(call.scope));
        let mut at = match cursor {
            Some(cursor) => Position::parse(&cursors.open(listing, cursor)?)
                .filter(|at| self.part(&stores, at.part).is_some())
                .ok_or_else(invalid_cursor)?,
            None => Position::default(),
        };
        let mut page = Vec::new();
        // A store may return fewer entries than requested and still have more, so one call for each
        // part is not enough.
        while page.len() < limits.page_entries
            && let Some(part) = self.part(&stores, at.part)
        {
            let mut query = ListQuery::new(limits.page_entries - page.len());
            query.after = at.after.as_deref();
            let more = part.page(query, call).await?;
            page.extend(more.resources);
            at = Position::after(at.part, more.next);
        }
        let mut result = ListResourcesResult::new(page);
        // Only a call shows whether that part has entries, so the last page may be empty.
        if self.part(&stores, at.part).is_some() {
            result.next_cursor = Some(cursors.seal(listing, &at.to_string())?);
        }
        Ok((result, self.hint_of_everything(&stores)))
    }

    /// The cache hint of the whole listing: the shortest time of all templates and stores, and
    /// public only if all of them are.
    fn hint_of_everything(&self, stores: &Stores) -> CacheHint {
        let listed = self.templates.listed_hints();
        let stored = (!stores.is_empty()).then(|| stores.cache_hint());
        listed.chain(stored).reduce(shorter).unwrap_or_default()
    }
}

fn invalid_cursor() -> ProtocolError {
    InvalidParams::InvalidCursor.into()
}

/// The error for a listing of resources or skills. It has no URI, because the request was not for a
/// single resource.
pub(in crate::features) fn listing_failed(listed: &str, error: StoreError) -> ProtocolError {
    match error {
        StoreError::InvalidCursor => invalid_cursor(),
        StoreError::Overloaded => Unavailable::Overloaded.into(),
        StoreError::NotFound
        | StoreError::InvalidUri { .. }
        | StoreError::NotACollection
        | StoreError::TooLarge { .. }
        | StoreError::NoSuchPart { .. }
        | StoreError::TimedOut { .. }
        | StoreError::Unstable
        | StoreError::Failed(_) => {
            ProtocolError::internal(format!("The {listed} could not be listed")).with_source(error)
        }
    }
}
