//! The children of a collection: a store lists its own, and a fixed collection is read. Both are
//! returned in pages here, with cursors that only the same method accepts.

use std::collections::HashSet;

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::method::Method;
use plainly_protocol::types::{Cursor, ListResourcesResult, Resource, ResourceContents};
use plainly_protocol::uri_template::Values;

use super::{ListedResources, Provider, Resources};
use crate::extract::ListingCall;
use crate::failure::Failure;
use crate::features::cursor::CursorsOf;
use crate::limits::Limits;
use crate::store::ListQuery;

/// A request for the children of a collection.
pub(in crate::features) struct Children<'a> {
    /// The method of the request. A cursor of one method is not accepted by another.
    pub(in crate::features) method: Method,
    pub(in crate::features) parent: &'a str,
    /// The cursor to continue from.
    pub(in crate::features) cursor: Option<&'a Cursor>,
    pub(in crate::features) cursors: CursorsOf<'a>,
    pub(in crate::features) limits: &'a Limits,
}

impl Resources {
    /// A page of the children of a collection.
    pub(in crate::features) async fn list_children(
        &self,
        children: &Children<'_>,
        call: &ListingCall<'_>,
    ) -> Result<ListedResources, Failure> {
        let parent = children.parent;
        match self.find(parent, call.scope, children.limits)? {
            Some(Provider::Fixed(resource)) => {
                if !resource.is_collection() {
                    return Err(not_a_collection(parent).into());
                }
                let contents = resource.read(&call.of(parent, &Values::new()))?.await?;
                Ok((children.of_contents(contents)?, resource.hint()))
            }
            Some(Provider::Template(template, variables)) => {
                // A resource of a template is never a collection, but if it does not exist, that
                // error is reported first.
                template.metadata(&call.of(parent, &variables)).await?;
                Err(not_a_collection(parent).into())
            }
            Some(Provider::Store(store, _)) => {
                let after = children.position()?;
                let mut query = ListQuery::new(children.limits.page_entries).parent(parent);
                query.after = after.as_deref();
                let page = store.list(query).await;
                let page =
                    page.map_err(|error| Failure::of_server(error.into_protocol_error(parent)))?;
                Ok((
                    children.page(page.resources, page.next)?,
                    store.cache_hint(),
                ))
            }
            None => Err(self.missing(parent, call.scope).await),
        }
    }
}

impl Children<'_> {
    /// A page of the children among `contents`, each listed once even if it has several
    /// representations. The position is the number of children listed, so that the listing ends
    /// whatever the handler returns next time.
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

    /// The name of the listing, to which its cursors are bound.
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
