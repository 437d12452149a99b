//! Listing a collection: a store's by the store, one with a handler by reading it. Both are cut into pages here, under the
//! name of the method that asks.

use std::collections::HashSet;

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::method::Method;
use plainly_protocol::types::{Cursor, ListResourcesResult, Resource, ResourceContents};
use plainly_protocol::uri_template::Values;

use super::{Resources, check_length};
use crate::limits::Limits;
use crate::server::extract::ListingCall;
use crate::server::failure::Failure;
use crate::server::features::cursor::CursorsOf;
use crate::store::ListQuery;

/// A listing of the children of a collection.
pub(in crate::server) struct Listing<'a> {
    /// What asks for it: cursors of one method are not the other's.
    pub(in crate::server) method: Method,
    pub(in crate::server) parent: &'a str,
    /// Where to go on.
    pub(in crate::server) cursor: Option<&'a Cursor>,
    pub(in crate::server) cursors: CursorsOf<'a>,
    pub(in crate::server) limits: &'a Limits,
}

impl Resources {
    /// A page of what is in the collection.
    pub(in crate::server) async fn list_children(
        &self,
        listing: &Listing<'_>,
        call: &ListingCall<'_>,
    ) -> Result<ListResourcesResult, Failure> {
        let parent = listing.parent;
        check_length(parent, listing.limits)?;
        if let Some(resource) = self.fixed(parent) {
            if !resource.is_collection() {
                return Err(not_a_collection(parent).into());
            }
            let contents = resource.read(&call.of(parent, &Values::new()))?.await?;
            return Ok(listing.of_contents(contents)?);
        }
        if let Some((template, variables)) = self.templates.find(parent) {
            // What isn't there is not found instead.
            template.metadata(&call.of(parent, &variables)).await?;
            return Err(not_a_collection(parent).into());
        }
        let store = self
            .store(parent)
            .ok_or_else(|| ProtocolError::resource_not_found(parent))?;
        let after = listing.position()?;
        let mut query = ListQuery::new(listing.limits.page_entries).parent(parent);
        query.after = after.as_deref();
        let page = store
            .list(query)
            .await
            .map_err(|error| error.into_protocol_error(parent))?;
        Ok(listing.page(page.resources, page.next)?)
    }
}

impl Listing<'_> {
    /// A page of what was read of the collection: each child once, whatever representations it has. The position is how many
    /// were listed, so that there is an end whatever the handler gives next time.
    fn of_contents(
        &self,
        contents: Vec<ResourceContents>,
    ) -> Result<ListResourcesResult, ProtocolError> {
        let start: usize = match self.position()? {
            None => 0,
            Some(position) => position
                .parse()
                .map_err(|_| ProtocolError::from(InvalidParams::InvalidCursor))?,
        };
        let mut known = HashSet::new();
        let children: Vec<ResourceContents> = contents
            .into_iter()
            .filter(|content| content.uri != self.parent && known.insert(content.uri.clone()))
            .collect();
        let end = start.saturating_add(self.limits.page_entries);
        let next = (end < children.len()).then(|| end.to_string());
        let page = children.into_iter().take(end).skip(start);
        self.page(page.map(ResourceContents::into_resource).collect(), next)
    }

    fn position(&self) -> Result<Option<String>, ProtocolError> {
        self.cursor
            .map(|cursor| self.cursors.open(&self.name(), cursor))
            .transpose()
    }

    fn page(
        &self,
        resources: Vec<Resource>,
        next: Option<String>,
    ) -> Result<ListResourcesResult, ProtocolError> {
        let mut result = ListResourcesResult::new(resources);
        result.next_cursor = next
            .map(|next| self.cursors.seal(&self.name(), &next))
            .transpose()?;
        Ok(result)
    }

    /// What its cursors are bound to.
    fn name(&self) -> String {
        format!("{} {}", self.method.name(), self.parent)
    }
}

fn not_a_collection(uri: &str) -> ProtocolError {
    InvalidParams::NotACollection {
        uri: uri.to_owned(),
    }
    .into()
}
