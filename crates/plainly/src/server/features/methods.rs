//! The methods of tools, resources and prompts, from their parameters to what answers them.

use std::sync::Arc;

use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Object;
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CallToolParams, CompleteParams, Cursor, GetPromptParams, ListPromptsParams,
    ListResourceTemplatesParams, ListResourcesParams, ListToolsParams, ReadDirectoryParams,
    ReadResourceParams, Reference, Resource, ResourceMetadataParams, ResourceMetadataResult,
};
use plainly_protocol::uri_template::Values;

use super::Features;
use super::resources::{Children, ListedResources};
use crate::server::answer::Answer;
use crate::server::asking::Subject;
use crate::server::audience::Audience;
use crate::server::extract::{CompletionCall, ListingCall, PromptCall, ResourceCall, ToolCall};
use crate::server::failure::Failure;
use crate::server::request::Scope;
use crate::server::route::{Step, now};

impl Features {
    pub(in crate::server) fn list_tools(
        &self,
        params: &ListToolsParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let (peer, cursors) = (scope.peer(), self.cursors.of(scope.peer()));
        let limit = self.limits.page_entries;
        let page = self.tools.list(params, peer.revision, cursors, limit)?;
        Ok(now(Answer::ListTools(page, self.tools.cache_hint())))
    }

    pub(in crate::server) fn call_tool(
        &self,
        CallToolParams {
            name, arguments, ..
        }: &CallToolParams<'_>,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let call = ToolCall {
            arguments: arguments.map_or("{}", |arguments| arguments.get()),
            subject: self.subject(Method::CallTool, name, params),
            scope,
            states: &self.states,
        };
        let (audience, running) = self.tools.call(name, &call)?;
        Ok(Step::Later(audience, running))
    }

    pub(in crate::server) fn list_prompts(
        &self,
        params: &ListPromptsParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let (cursors, limit) = (self.cursors.of(scope.peer()), self.limits.page_entries);
        let page = self.prompts.list(params, cursors, limit)?;
        Ok(now(Answer::ListPrompts(page, self.prompts.cache_hint())))
    }

    pub(in crate::server) fn get_prompt(
        &self,
        GetPromptParams {
            name, arguments, ..
        }: GetPromptParams,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let call = PromptCall {
            arguments: &arguments.unwrap_or_default(),
            subject: self.subject(Method::GetPrompt, &name, params),
            scope,
            states: &self.states,
        };
        let running = self.prompts.find(&name)?.get(&call);
        Ok(Step::Later(Audience::Code, running))
    }

    pub(in crate::server) fn complete(
        &self,
        CompleteParams {
            reference,
            argument,
            context,
            ..
        }: CompleteParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let others = context.and_then(|context| context.arguments);
        let call = CompletionCall {
            text: &argument.value,
            others: &others.unwrap_or_default(),
            scope,
            states: &self.states,
        };
        let completing = match &reference {
            Reference::Prompt { name } => {
                let prompt = self.prompts.find(name)?;
                prompt.completable().complete(&argument.name, &call)?
            }
            Reference::Resource { uri } => {
                let template = self.resources.completable(uri)?;
                template.complete(&argument.name, &call)?
            }
        };
        Ok(Step::Later(Audience::Code, completing))
    }

    pub(in crate::server) fn list_templates(
        &self,
        params: &ListResourceTemplatesParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let (cursors, limit) = (self.cursors.of(scope.peer()), self.limits.page_entries);
        let listed = self.resources.list_templates(params, cursors, limit)?;
        Ok(now(Answer::ListResourceTemplates(listed)))
    }

    pub(in crate::server) fn read_resource(
        &self,
        ReadResourceParams { uri, .. }: ReadResourceParams,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let call = ResourceCall {
            uri: &uri,
            variables: &Values::new(),
            subject: Some(self.subject(Method::ReadResource, &uri, params)),
            scope,
            states: &self.states,
        };
        let reading = self.resources.read(&call, &self.limits)?;
        Ok(Step::Later(Audience::Code, reading))
    }

    pub(in crate::server) fn list_resources(
        self: &Arc<Self>,
        ListResourcesParams { uri, cursor, .. }: ListResourcesParams,
        scope: &Scope,
    ) -> Step {
        let (features, scope) = (Arc::clone(self), scope.clone());
        let listing = async move {
            let (result, hint) = match &uri {
                Some(parent) => {
                    let method = Method::ListResources;
                    features.children(method, parent, cursor, &scope).await?
                }
                None => {
                    let (call, cursors) = (
                        features.listing_call(&scope),
                        features.cursors.of(scope.peer()),
                    );
                    let resources = &features.resources;
                    resources
                        .list(cursor.as_ref(), &call, cursors, &features.limits)
                        .await?
                }
            };
            Ok(Answer::ListResources(result, hint))
        };
        Step::Later(Audience::Code, Box::pin(listing))
    }

    pub(in crate::server) fn read_directory(
        self: &Arc<Self>,
        ReadDirectoryParams { uri, cursor, .. }: ReadDirectoryParams,
        scope: &Scope,
    ) -> Step {
        let (features, scope) = (Arc::clone(self), scope.clone());
        let listing = async move {
            let method = Method::ReadDirectory;
            let (mut result, _) = features.children(method, &uri, cursor, &scope).await?;
            result.resources.iter_mut().for_each(mark_directory);
            Ok(Answer::ReadDirectory(result))
        };
        Step::Later(Audience::Code, Box::pin(listing))
    }

    /// A page of the children of `parent`, for `method`.
    async fn children(
        &self,
        method: Method,
        parent: &str,
        cursor: Option<Cursor>,
        scope: &Scope,
    ) -> Result<ListedResources, Failure> {
        let children = Children {
            method,
            parent,
            cursor: cursor.as_ref(),
            cursors: self.cursors.of(scope.peer()),
            limits: &self.limits,
        };
        let call = self.listing_call(scope);
        self.resources.list_children(&children, &call).await
    }

    pub(in crate::server) fn resource_metadata(
        self: &Arc<Self>,
        ResourceMetadataParams { uri, .. }: ResourceMetadataParams,
        scope: &Scope,
    ) -> Step {
        let (features, scope) = (Arc::clone(self), scope.clone());
        let finding = async move {
            let found = features.metadata(&uri, &scope).await?;
            Ok(Answer::ResourceMetadata(Box::new(found)))
        };
        Step::Later(Audience::Code, Box::pin(finding))
    }

    /// What is known of the resource at `uri`; an error if there is none.
    pub(in crate::server) async fn metadata(
        &self,
        uri: &str,
        scope: &Scope,
    ) -> Result<ResourceMetadataResult, Failure> {
        let variables = Values::new();
        let call = self.listing_call(scope).of(uri, &variables);
        self.resources.metadata(&call, &self.limits).await
    }

    fn listing_call<'a>(&'a self, scope: &'a Scope) -> ListingCall<'a> {
        ListingCall {
            scope,
            states: &self.states,
        }
    }

    /// What a request is about that may be answered with questions.
    fn subject<'a>(
        &'a self,
        method: Method,
        name: &'a str,
        params: Option<&'a Object<'a>>,
    ) -> Subject<'a> {
        Subject {
            method,
            name,
            params,
            seals: &self.seals,
        }
    }
}

/// Clients of `resources/directory/read` tell a directory by its MIME type.
fn mark_directory(resource: &mut Resource) {
    if resource.is_collection == Some(true) {
        resource.mime_type = Some("inode/directory".to_owned());
    }
}
