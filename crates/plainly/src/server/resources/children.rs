//! Listing a collection: a store's by the store, one with a handler by reading it. Both are cut into pages here, under the
//! name of the method that asks.

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::types::{Cursor, ListResourcesResult, Resource, ResourceContents};

use super::reading::Reading;
use super::{Resources, check_length};
use crate::limits::Limits;
use crate::server::cursor::Cursors;
use crate::server::extract::{ListingCall, ResourceCall};
use crate::server::failure::Failure;
use crate::store::ListQuery;

/// A listing of the children of a collection.
pub(in crate::server) struct Listing<'a> {
    /// The method and the collection: what its cursors are bound to.
    pub(in crate::server) name: &'a str,
    pub(in crate::server) parent: &'a str,
    /// Where to go on.
    pub(in crate::server) cursor: Option<&'a Cursor>,
    pub(in crate::server) cursors: &'a Cursors,
    pub(in crate::server) limits: &'a Limits,
}

impl Resources {
    /// Starts to read the collection `parent`, if it is one with a handler.
    pub(in crate::server) fn read_to_list(
        &self,
        parent: &str,
        call: &ResourceCall<'_>,
        limits: &Limits,
    ) -> Result<Option<Result<Reading, Failure>>, ProtocolError> {
        check_length(parent, limits)?;
        match self.fixed(parent) {
            Some(resource) if resource.is_collection() => Ok(Some(resource.read(call))),
            Some(_) => Err(not_a_collection(parent)),
            None => Ok(None),
        }
    }

    /// A page of what a store has in the collection; templates have none.
    pub(in crate::server) async fn list_stored(
        &self,
        listing: &Listing<'_>,
        call: &ListingCall<'_>,
    ) -> Result<ListResourcesResult, Failure> {
        if let Some((template, variables)) = self.templates.find(listing.parent) {
            // What isn't there is not found instead.
            template
                .metadata(&call.of(listing.parent, &variables))
                .await?;
            return Err(not_a_collection(listing.parent).into());
        }
        let store = self
            .store(listing.parent)
            .ok_or_else(|| ProtocolError::resource_not_found(listing.parent))?;
        let after = listing.position()?;
        let mut query = ListQuery::new(listing.limits.page_entries).parent(listing.parent);
        query.after = after.as_deref();
        let page = store
            .list(query)
            .await
            .map_err(|error| error.into_protocol_error(listing.parent))?;
        Ok(listing.page(page.resources, page.next)?)
    }
}

impl Listing<'_> {
    /// A page of what was read of the collection: each child once, whatever representations it has. The position is how many
    /// were listed, so that there is an end whatever the handler gives next time.
    pub(in crate::server) fn list_read(
        &self,
        contents: Vec<ResourceContents>,
    ) -> Result<ListResourcesResult, ProtocolError> {
        let start: usize = match self.position()? {
            None => 0,
            Some(position) => position
                .parse()
                .map_err(|_| ProtocolError::from(InvalidParams::InvalidCursor))?,
        };
        let mut children: Vec<Resource> = Vec::new();
        for content in contents {
            let is_known = |known: &Resource| known.uri == content.uri;
            if content.uri != self.parent && !children.iter().any(is_known) {
                children.push(without_body(content));
            }
        }
        let end = start.saturating_add(self.limits.page_entries);
        let next = (end < children.len()).then(|| end.to_string());
        let page = children.into_iter().skip(start).take(end - start);
        self.page(page.collect(), next)
    }

    fn position(&self) -> Result<Option<String>, ProtocolError> {
        self.cursor
            .map(|cursor| self.cursors.open(self.name, cursor))
            .transpose()
    }

    fn page(
        &self,
        resources: Vec<Resource>,
        next: Option<String>,
    ) -> Result<ListResourcesResult, ProtocolError> {
        let mut result = ListResourcesResult::new(resources);
        result.next_cursor = next
            .map(|next| self.cursors.seal(self.name, &next))
            .transpose()?;
        Ok(result)
    }
}

fn not_a_collection(uri: &str) -> ProtocolError {
    let uri = uri.to_owned();
    InvalidParams::NotACollection { uri }.into()
}

fn without_body(content: ResourceContents) -> Resource {
    let name = content.name.unwrap_or_else(|| content.uri.clone());
    let mut resource = Resource::new(content.uri, name);
    resource.title = content.title;
    resource.description = content.description;
    resource.mime_type = content.mime_type;
    resource.size = content.size;
    resource.is_collection = content.is_collection;
    resource.icons = content.icons;
    resource.annotations = content.annotations;
    resource.meta = content.meta;
    resource
}
