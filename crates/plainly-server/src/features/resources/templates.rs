//! The templates of a running server: listing them, and finding the one for a URI.

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::types::{
    self, CacheHint, ListResourceTemplatesParams, ListResourceTemplatesResult, Resource,
    ResourceContents,
};
use plainly_protocol::uri_template::{Matcher, Values};

use super::reading::ReadFuture;
use super::template::ResourceTemplate;
use crate::extract::{ListingCall, ResourceCall};
use crate::failure::Failure;
use crate::features::completion::Completers;
use crate::features::cursor::CursorsOf;
use crate::store::{ListQuery, Page};

/// The templates of a server, in the order in which they were added.
#[derive(Debug)]
pub(super) struct Templates(Vec<ServedTemplate>);

const LISTING: &str = "resources/templates/list";

impl Templates {
    pub(super) fn new(templates: Vec<ServedTemplate>) -> Self {
        Self(templates)
    }

    /// The template with this text.
    pub(super) fn of_text(&self, text: &str) -> Option<&ServedTemplate> {
        let mut all = self.0.iter();
        all.find(|template| template.definition().uri_template == text)
    }

    pub(super) fn iter(&self) -> std::slice::Iter<'_, ServedTemplate> {
        self.0.iter()
    }

    /// The cache hints of the templates that list their resources.
    pub(super) fn listed_hints(&self) -> impl Iterator<Item = CacheHint> {
        let listed = self.0.iter().filter(|template| template.is_listed());
        listed.map(ServedTemplate::cache_hint)
    }

    /// The first template that matches `uri`, with the values of its variables.
    pub(super) fn find(&self, uri: &str) -> Option<(&ServedTemplate, Values)> {
        let mut all = self.0.iter();
        all.find_map(|template| Some((template, template.variables(uri)?)))
    }

    /// A page of these templates and of those of stores.
    pub(super) fn list(
        &self,
        stored: impl Iterator<Item = types::ResourceTemplate>,
        params: &ListResourceTemplatesParams,
        cursors: CursorsOf<'_>,
        limit: usize,
    ) -> Result<ListResourceTemplatesResult, ProtocolError> {
        let own = self.0.iter().map(|one| one.definition().clone());
        let all: Vec<types::ResourceTemplate> = own.chain(stored).collect();
        let text = |one: &types::ResourceTemplate| one.uri_template.clone();
        let (page, next) = cursors.page(LISTING, &all, text, params.cursor.as_ref(), limit)?;
        let mut result = ListResourceTemplatesResult::new(page.to_vec());
        result.next_cursor = next;
        Ok(result)
    }
}

/// A template that passed all checks, with its matcher and its completers.
#[derive(Debug)]
pub(in crate::features) struct ServedTemplate {
    template: ResourceTemplate,
    matcher: Matcher,
    completers: Completers,
}

impl ServedTemplate {
    pub(in crate::features) fn new(
        template: ResourceTemplate,
        matcher: Matcher,
        completers: Completers,
    ) -> Self {
        Self {
            template,
            matcher,
            completers,
        }
    }

    /// The variables of the template, with the handlers that complete them.
    pub(in crate::features) fn completers(&self) -> &Completers {
        &self.completers
    }

    pub(in crate::features) fn matcher(&self) -> &Matcher {
        &self.matcher
    }

    pub(super) fn definition(&self) -> &types::ResourceTemplate {
        &self.template.definition
    }

    /// The text of the template.
    pub(super) fn text(&self) -> String {
        self.definition().uri_template.clone()
    }

    pub(super) fn is_listed(&self) -> bool {
        self.template.list.is_some()
    }

    pub(super) fn cache_hint(&self) -> CacheHint {
        self.template.cache_hint
    }

    /// The values of the template's variables in `uri`, if it matches.
    pub(super) fn variables(&self, uri: &str) -> Option<Values> {
        self.matcher.values(uri)
    }

    pub(super) fn read(&self, call: &ResourceCall<'_>) -> Result<ReadFuture, Failure> {
        (self.template.read)(self.resource(call.uri), call)
    }

    /// The metadata of the resource that `call` requests, from the handler that describes it or
    /// else from its contents.
    pub(super) async fn metadata(&self, call: &ResourceCall<'_>) -> Result<Resource, Failure> {
        let resource = match &self.template.describe {
            Some(describe) => describe(call)?.await?,
            None => {
                let contents = self.read(call)?.await?.into_iter().next();
                contents.map_or_else(
                    || self.resource(call.uri),
                    |contents| self.described(contents),
                )
            }
        };
        if resource.uri != call.uri {
            let (uri, other) = (call.uri.to_owned(), resource.uri);
            return Err(ProtocolError::from(TemplateFault::Described { uri, other }).into());
        }
        Ok(resource.is_collection(false))
    }

    /// A page of the resources that the handler lists. Positions are numbers, so that a resource
    /// that disappears doesn't invalidate a cursor.
    pub(super) async fn list(
        &self,
        query: ListQuery<'_>,
        call: &ListingCall<'_>,
    ) -> Result<Page, Failure> {
        let Some(list) = &self.template.list else {
            return Ok(Page::default());
        };
        let start: usize = match query.after {
            Some(after) => after
                .parse()
                .map_err(|_| ProtocolError::from(InvalidParams::InvalidCursor))?,
            None => 0,
        };
        let listed = list(call)?.await?;
        let end = listed.len().min(start.saturating_add(query.limit));
        let next = (end < listed.len()).then(|| end.to_string());
        let page = listed.into_iter().take(end).skip(start);
        let page = page.map(|resource| self.listed(resource));
        Ok(Page::new(page.collect::<Result<_, _>>()?, next))
    }

    fn listed(&self, resource: Resource) -> Result<Resource, ProtocolError> {
        if self.variables(&resource.uri).is_some() {
            return Ok(resource.is_collection(false));
        }
        let template = self.template.uri_template().to_owned();
        let other = resource.uri;
        Err(TemplateFault::Listed { template, other }.into())
    }

    /// The metadata of one resource, as far as the template defines it.
    fn resource(&self, uri: &str) -> Resource {
        let definition = self.template.definition.clone();
        let mut resource = Resource::new(uri, definition.name).is_collection(false);
        resource.title = definition.title;
        resource.description = definition.description;
        resource.mime_type = definition.mime_type;
        resource.icons = definition.icons;
        resource.annotations = definition.annotations;
        resource
    }

    /// The metadata of a resource, as far as its contents have it.
    fn described(&self, mut contents: ResourceContents) -> Resource {
        let name = &self.template.definition.name;
        contents.name.get_or_insert_with(|| name.clone());
        contents.into_resource().is_collection(false)
    }
}

/// A fault in the result of a template's handler for metadata or for listing.
#[derive(Debug, thiserror::Error)]
enum TemplateFault {
    #[error("describing {uri} gave {other}")]
    Described { uri: String, other: String },
    #[error("listing {template} gave {other}, which it does not match")]
    Listed { template: String, other: String },
}

/// The log gets the details; the client only learns that the request failed.
impl From<TemplateFault> for ProtocolError {
    fn from(strange: TemplateFault) -> Self {
        let message = match strange {
            TemplateFault::Described { .. } => "The resource could not be described",
            TemplateFault::Listed { .. } => "The resources could not be listed",
        };
        Self::internal(message).with_source(strange)
    }
}
