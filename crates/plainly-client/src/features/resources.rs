//! Resources on the client's side: listing, reading, and metadata.

use plainly_protocol::method::Method;
use plainly_protocol::shape::Restore;
use plainly_protocol::types::{
    ListResourceTemplatesParams, ListResourceTemplatesResult, ListResourcesParams,
    ListResourcesResult, ReadResourceParams, ReadResourceResult, Resource, ResourceMetadataParams,
    ResourceMetadataResult, ResourceTemplate,
};

use crate::call::Call;
use crate::connect::Client;
use crate::error::{LocalError, Result};
use crate::features::pages::ListingPage;
use crate::features::read_result::ReadResult;

/// The metadata of a resource, and where it was found.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Metadata {
    /// The resource, without its content.
    pub resource: Resource,
    /// The way it was found.
    pub source: MetadataSource,
}

/// The way metadata was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MetadataSource {
    /// The server returned it (`resources/metadata`, SEP-2093).
    Direct,
    /// The server does not support the method; the resource was found in its listing.
    FromListing,
}

impl Client {
    /// One page of `resources/list`: all resources, or the children of one collection, depending on
    /// `params`. An unreadable resource is left out, and named in a warning in the log.
    pub async fn list_resources(
        &self,
        params: &ListResourcesParams,
    ) -> Result<ListResourcesResult> {
        Ok(self.resources_page(params).await?.body)
    }

    async fn resources_page(
        &self,
        params: &ListResourcesParams,
    ) -> Result<ListingPage<ListResourcesResult>> {
        let page = self.page(Method::ListResources, "resources", params).await;
        page.map(|mut page: ListingPage<ListResourcesResult>| {
            page.body.restore();
            page
        })
    }

    /// All resources, or all children of the collection `parent`, of all pages.
    ///
    /// # Errors
    ///
    /// [`LocalError::TooManyPages`] after
    /// [`ClientLimits::pages`](crate::message::limits::ClientLimits::pages), and
    /// [`LocalError::EndlessListing`] if a page leads back to an earlier one. A listing is complete
    /// or an error, except for unreadable resources, which are left out and named in a warning in
    /// the log.
    pub async fn resources(&self, parent: Option<&str>) -> Result<Vec<Resource>> {
        self.resource_pages(parent).all().await
    }

    /// One page of `resources/templates/list`. An unreadable template is left out, and named in a
    /// warning in the log.
    pub async fn list_resource_templates(
        &self,
        params: &ListResourceTemplatesParams,
    ) -> Result<ListResourceTemplatesResult> {
        Ok(self.templates_page(params).await?.body)
    }

    async fn templates_page(
        &self,
        params: &ListResourceTemplatesParams,
    ) -> Result<ListingPage<ListResourceTemplatesResult>> {
        self.page(Method::ListResourceTemplates, "resourceTemplates", params)
            .await
    }

    /// All resource templates, of all pages. Complete or an error, like
    /// [`resources`](Self::resources).
    pub async fn resource_templates(&self) -> Result<Vec<ResourceTemplate>> {
        self.all_pages(Method::ListResourceTemplates, |cursor| async move {
            let mut params = ListResourceTemplatesParams::new();
            params.cursor = cursor;
            let page = self.templates_page(&params).await?;
            Ok(page.map(|body| (body.resource_templates, body.next_cursor)))
        })
        .await
    }

    /// Reads a resource (`resources/read`).
    ///
    /// # Errors
    ///
    /// An error for which [`is_resource_not_found`](crate::Error::is_resource_not_found) holds, if
    /// there is no such resource.
    pub fn read(&self, uri: impl Into<String>) -> Call<ReadResult> {
        let method = Method::ReadResource;
        let params = ReadResourceParams::new(uri);
        let uri = params.uri.clone();
        let knows_collections = self.knows_collections();
        Call::new(self, method, Ok(params), move |result| {
            let mut answer = result.decode::<ReadResourceResult>(method)?;
            answer.body.restore();
            Ok(ReadResult {
                uri: uri.clone(),
                contents: answer.body.contents,
                cache: answer.fields.cache,
                meta: answer.fields.meta,
                knows_collections,
            })
        })
    }

    /// The metadata of a resource, without its content.
    ///
    /// Requests it with `resources/metadata`. If the server does not support that method, the
    /// listing of resources is searched instead.
    ///
    /// # Errors
    ///
    /// [`LocalError::NotListed`] if the listing was searched and does not contain the resource,
    /// which may exist nevertheless. Those of [`resources`](Self::resources), if the listing could
    /// not be searched completely.
    pub async fn metadata(&self, uri: impl Into<String>) -> Result<Metadata> {
        let params = ResourceMetadataParams::new(uri);
        let answer = self
            .call::<ResourceMetadataResult>(Method::ResourceMetadata, &params)
            .await;
        match answer {
            Ok(mut answer) => {
                answer.body.restore();
                Ok(Metadata {
                    resource: answer.body.resource,
                    source: MetadataSource::Direct,
                })
            }
            Err(error) if error.is_method_not_found() => self.find_listed(params.uri).await,
            Err(error) => Err(error),
        }
    }

    async fn find_listed(&self, uri: String) -> Result<Metadata> {
        let mut params = ListResourcesParams::new();
        let mut pages = self.pages_of(Method::ListResources);
        loop {
            let page = self.resources_page(&params).await;
            let Some(ListingPage { body, bytes, .. }) = pages.take(page)? else {
                params.cursor = None;
                continue;
            };
            let mut resources = body.resources.into_iter();
            if let Some(resource) = resources.find(|resource| resource.uri == uri) {
                return Ok(Metadata {
                    resource,
                    source: MetadataSource::FromListing,
                });
            }
            params.cursor = pages.after(bytes, body.next_cursor)?;
            if params.cursor.is_none() {
                return Err(LocalError::NotListed { uri }.into());
            }
        }
    }
}
