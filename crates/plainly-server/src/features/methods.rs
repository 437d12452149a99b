//! The methods of tools, resources and prompts: a table of their handlers, and the handlers, which
//! convert parameters to answers.

use std::sync::Arc;

use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Object;
use plainly_protocol::method::Method;
use plainly_protocol::types::{
    CallToolParams, CompleteParams, Cursor, GetPromptParams, IF_NONE_MATCH, ListPromptsParams,
    ListResourceTemplatesParams, ListResourcesParams, ListToolsParams, ReadDirectoryParams,
    ReadResourceParams, Reference, Resource, ResourceMetadataParams, ResourceMetadataResult,
};
use plainly_protocol::uri_template::Values;

use super::Features;
use super::resources::{Children, ListedResources, ReadOptions};
use crate::answer::{MethodResult, STATIC};
use crate::asking::Subject;
use crate::audience::{Audience, MethodAnswer};
use crate::extract::{CompletionCall, ListingCall, PromptCall, ResourceCall, ToolCall};
use crate::failure::Failure;
use crate::request::{MethodCall, Scope};

/// The member of a request's `_meta` with the formats that the client accepts.
pub(crate) const ACCEPT: &str = "dev.plainly/accept";

pub(crate) type FeatureHandler =
    fn(&Arc<Features>, &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError>;

/// The handler of each method.
pub(crate) const FEATURE_HANDLERS: [(Method, FeatureHandler); 12] = [
    (Method::CallTool, Features::call_tool),
    (Method::ReadResource, Features::read_resource),
    (Method::ListTools, Features::list_tools),
    (Method::ListResources, Features::list_resources),
    (Method::ListResourceTemplates, Features::list_templates),
    (Method::ResourceMetadata, Features::resource_metadata),
    (Method::ReadDirectory, Features::read_directory),
    (Method::ListPrompts, Features::list_prompts),
    (Method::GetPrompt, Features::get_prompt),
    (Method::Complete, Features::complete),
    (Method::ListSkills, Features::list_skills),
    (Method::GetSkill, Features::get_skill),
];

impl Features {
    /// Answers a request. Returns an error if its method is not in the table.
    pub(crate) fn answer(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let row = FEATURE_HANDLERS
            .iter()
            .find(|(method, _)| *method == call.method);
        let (_, handler) =
            row.ok_or_else(|| ProtocolError::method_not_found(call.method.name()))?;
        handler(self, call)
    }

    fn list_tools(self: &Arc<Self>, call: &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError> {
        let params: ListToolsParams = call.read()?;
        let (peer, cursors) = (call.scope.peer(), self.cursors.of(call.scope.peer()));
        let limit = self.limits.page_entries;
        let page = self.tools.list(&params, peer.revision, cursors, limit)?;
        let bytes = page.bytes();
        let result = MethodResult::new(page, None).of_bytes(bytes);
        Ok(MethodAnswer::Now(
            result.cached(self.tools.cache_hint()).into(),
        ))
    }

    fn call_tool(self: &Arc<Self>, call: &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError> {
        let CallToolParams {
            name, arguments, ..
        } = &call.read()?;
        let tool_call = ToolCall {
            arguments: arguments.map_or("{}", |arguments| arguments.get()),
            subject: self.subject(name, call),
            scope: call.scope,
            states: &self.states,
        };
        let (audience, running) = self.tools.call(name, &tool_call)?;
        Ok(MethodAnswer::Later(audience, running))
    }

    fn list_prompts(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let params: ListPromptsParams = call.read()?;
        let (cursors, limit) = (self.cursors.of(call.scope.peer()), self.limits.page_entries);
        let page = self.prompts.list(&params, cursors, limit)?;
        let result = MethodResult::new(page, None).cached(self.prompts.cache_hint());
        Ok(MethodAnswer::Now(result.into()))
    }

    fn get_prompt(self: &Arc<Self>, call: &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError> {
        let GetPromptParams {
            name, arguments, ..
        } = call.read()?;
        let prompt_call = PromptCall {
            arguments: &arguments.unwrap_or_default(),
            subject: self.subject(&name, call),
            scope: call.scope,
            states: &self.states,
        };
        let running = self.prompts.find(&name)?.get(&prompt_call);
        Ok(MethodAnswer::Later(Audience::Code, running))
    }

    fn complete(self: &Arc<Self>, call: &MethodCall<'_>) -> Result<MethodAnswer, ProtocolError> {
        let CompleteParams {
            reference,
            argument,
            context,
            ..
        } = call.read()?;
        let others = context.and_then(|context| context.arguments);
        let completion_call = CompletionCall {
            text: &argument.value,
            others: &others.unwrap_or_default(),
            scope: call.scope,
            states: &self.states,
        };
        let completing = match &reference {
            Reference::Prompt { name } => {
                let prompt = self.prompts.find(name)?;
                prompt
                    .completers()
                    .complete(&argument.name, &completion_call)?
            }
            Reference::Resource { uri } => {
                self.resources
                    .complete(uri, &argument.name, &completion_call)?
            }
        };
        Ok(MethodAnswer::Later(Audience::Code, completing))
    }

    fn list_templates(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let params: ListResourceTemplatesParams = call.read()?;
        let (cursors, limit) = (self.cursors.of(call.scope.peer()), self.limits.page_entries);
        let page = self
            .resources
            .list_templates(&params, call.scope, cursors, limit)?;
        let result = MethodResult::new(page, None).cached(STATIC);
        Ok(MethodAnswer::Now(result.into()))
    }

    fn read_resource(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let ReadResourceParams { uri, .. } = call.read()?;
        let options = read_options(call);
        let resource_call = ResourceCall {
            uri: &uri,
            variables: &Values::new(),
            subject: Some(self.subject(&uri, call)),
            scope: call.scope,
            states: &self.states,
        };
        let reading = self.resources.read(&resource_call, options, &self.limits)?;
        Ok(MethodAnswer::Later(Audience::Code, reading))
    }

    fn list_resources(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let ListResourcesParams { uri, cursor, .. } = call.read()?;
        let (features, scope) = (Arc::clone(self), call.scope.clone());
        let listing = async move {
            let (mut result, hint) = match &uri {
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
            let resources = &features.resources;
            resources.extend_each(&mut result.resources, scope.peer().revision);
            Ok(MethodResult::new(result, None).cached(hint).into())
        };
        Ok(MethodAnswer::Later(Audience::Code, Box::pin(listing)))
    }

    fn read_directory(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let ReadDirectoryParams { uri, cursor, .. } = call.read()?;
        let (features, scope) = (Arc::clone(self), call.scope.clone());
        let listing = async move {
            let method = Method::ReadDirectory;
            let (mut result, _) = features.children(method, &uri, cursor, &scope).await?;
            let resources = &features.resources;
            resources.extend_each(&mut result.resources, scope.peer().revision);
            result.resources.iter_mut().for_each(mark_directory);
            Ok(MethodResult::new(result, None).into())
        };
        Ok(MethodAnswer::Later(Audience::Code, Box::pin(listing)))
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

    fn resource_metadata(
        self: &Arc<Self>,
        call: &MethodCall<'_>,
    ) -> Result<MethodAnswer, ProtocolError> {
        let ResourceMetadataParams { uri, .. } = call.read()?;
        let (features, scope) = (Arc::clone(self), call.scope.clone());
        let finding = async move {
            let mut found = features.metadata(&uri, &scope).await?;
            let meta = found.meta.take();
            Ok(MethodResult::new(found, meta).into())
        };
        Ok(MethodAnswer::Later(Audience::Code, Box::pin(finding)))
    }

    /// The metadata of the resource at `uri`; an error if it does not exist.
    pub(crate) async fn metadata(
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

    /// The subject of a request that may be answered with questions.
    fn subject<'a>(&'a self, name: &'a str, call: &MethodCall<'a>) -> Subject<'a> {
        Subject {
            method: call.method,
            name,
            params: call.params,
            seals: &self.seals,
        }
    }
}

/// The options of a request to read, from its `_meta`.
fn read_options(call: &MethodCall<'_>) -> ReadOptions {
    let meta = call.params.and_then(Object::meta);
    let member = |name| meta.as_ref().and_then(|meta| meta.get(name));
    let known = meta.as_ref().and_then(|meta| meta.text(IF_NONE_MATCH));
    ReadOptions {
        known: known.map(Into::into),
        accepted: member(ACCEPT).and_then(|formats| serde_json::from_str(formats).ok()),
    }
}

/// Sets the MIME type by which clients of `resources/directory/read` recognise a directory.
fn mark_directory(resource: &mut Resource) {
    if resource.is_collection == Some(true) {
        resource.mime_type = Some("inode/directory".to_owned());
    }
}
