//! The methods of resources.

use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Object;
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CacheHint, Cursor, ListResourceTemplatesParams, ListResourcesParams, ListResourcesResult,
    ReadDirectoryParams, ReadResourceParams, Resource, ResourceMetadataParams,
    ResourceMetadataResult,
};
use plainly_protocol::uri_template::Values;

use super::Listing;
use crate::server::Server;
use crate::server::answer::Answer;
use crate::server::audience::Audience;
use crate::server::extract::{ListingCall, ResourceCall};
use crate::server::failure::Failure;
use crate::server::route::{Routes, Step, now};
use crate::server::scope::Scope;

impl Server {
    pub(in crate::server) fn list_templates(
        &self,
        params: &ListResourceTemplatesParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let limits = self.limits();
        let (resources, cursors) = (&self.0.routes.resources, self.0.cursors.of(scope.peer()));
        let listed = resources.list_templates(params, cursors, limits.page_entries)?;
        Ok(now(Answer::ListResourceTemplates(listed)))
    }

    pub(in crate::server) fn read_resource(
        &self,
        ReadResourceParams { uri, .. }: ReadResourceParams,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let Routes {
            resources, states, ..
        } = &self.0.routes;
        resources
            .read(
                &ResourceCall {
                    uri: &uri,
                    variables: &Values::new(),
                    subject: Some(self.subject(Method::ReadResource, &uri, params)),
                    scope,
                    states,
                },
                self.limits(),
            )
            .map(|reading| Step::Later(Audience::Code, reading))
    }

    pub(in crate::server) fn list_resources(
        &self,
        ListResourcesParams { uri, cursor, .. }: ListResourcesParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        if let Some(parent) = uri {
            let method = Method::ListResources;
            return self.list_children(method, parent, cursor, scope, Answer::ListResources);
        }
        let (server, scope) = (self.clone(), scope.clone());
        Ok(Step::Later(
            Audience::Code,
            Box::pin(async move {
                let Routes {
                    resources, states, ..
                } = &server.0.routes;
                let call = ListingCall {
                    scope: &scope,
                    states,
                };
                let (cursors, limits) = (server.0.cursors.of(scope.peer()), server.limits());
                let result = resources
                    .list(cursor.as_ref(), &call, cursors, limits)
                    .await?;
                Ok(Answer::ListResources(result, resources.cache_hint(None)))
            }),
        ))
    }

    pub(in crate::server) fn read_directory(
        &self,
        ReadDirectoryParams { uri, cursor, .. }: ReadDirectoryParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let answer = |mut result: ListResourcesResult, _| {
            result.resources.iter_mut().for_each(as_directory);
            Answer::ReadDirectory(result)
        };
        self.list_children(Method::ReadDirectory, uri, cursor, scope, answer)
    }

    /// The children of `parent`, for the two methods that list them.
    fn list_children(
        &self,
        method: Method,
        parent: String,
        cursor: Option<Cursor>,
        scope: &Scope,
        answer: impl FnOnce(ListResourcesResult, CacheHint) -> Answer + Send + 'static,
    ) -> Result<Step, ProtocolError> {
        let (server, scope) = (self.clone(), scope.clone());
        Ok(Step::Later(
            Audience::Code,
            Box::pin(async move {
                let Routes {
                    resources, states, ..
                } = &server.0.routes;
                let call = ListingCall {
                    scope: &scope,
                    states,
                };
                let listing = Listing {
                    method,
                    parent: &parent,
                    cursor: cursor.as_ref(),
                    cursors: server.0.cursors.of(scope.peer()),
                    limits: server.limits(),
                };
                let result = resources.list_children(&listing, &call).await?;
                Ok(answer(result, resources.cache_hint(Some(&parent))))
            }),
        ))
    }

    pub(in crate::server) fn resource_metadata(
        &self,
        ResourceMetadataParams { uri, .. }: ResourceMetadataParams,
        scope: &Scope,
    ) -> Step {
        let (server, scope) = (self.clone(), scope.clone());
        let finding = async move {
            let found = server.metadata(&uri, &scope).await?;
            Ok(Answer::ResourceMetadata(Box::new(found)))
        };
        Step::Later(Audience::Code, Box::pin(finding))
    }

    /// What is known of the resource at `uri`.
    pub(in crate::server) async fn metadata(
        &self,
        uri: &str,
        scope: &Scope,
    ) -> Result<ResourceMetadataResult, Failure> {
        let Routes {
            resources, states, ..
        } = &self.0.routes;
        let call = ResourceCall {
            uri,
            variables: &Values::new(),
            subject: None,
            scope,
            states,
        };
        resources.metadata(&call, self.limits()).await
    }
}

/// By its MIME type a client of `resources/directory/read` tells a directory.
fn as_directory(resource: &mut Resource) {
    if resource.is_collection == Some(true) {
        resource.mime_type = Some("inode/directory".to_owned());
    }
}
