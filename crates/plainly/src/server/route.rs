//! From a method to what serves it. Parameters are parsed here, into the type that the method has.

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::envelope::Object;
use plainly_protocol::method::{Capability, Kind, Method};
use plainly_protocol::peer::Peer;
use plainly_protocol::types::{
    CacheHint, CallToolParams, CompleteParams, Cursor, EmptyResult, GetPromptParams,
    ListPromptsParams, ListResourceTemplatesParams, ListResourcesParams, ListResourcesResult,
    ListToolsParams, ListenParams, ReadDirectoryParams, ReadResourceParams, Reference, Resource,
    ResourceMetadataParams, ResourceMetadataResult, SetLevelParams, SubscriptionFilter,
};
use plainly_protocol::uri_template::Values;
use serde::Deserialize;

use super::Server;
use super::answer::{Answer, AnswerFuture};
use super::asking::Subject;
use super::audience::Audience;
use super::discovery::Discovery;
use super::extract::{CompletionCall, ListingCall, PromptCall, ResourceCall, ToolCall};
use super::failure::Failure;
use super::listening::Tells;
use super::prompts::Prompts;
use super::resources::{Listing, Resources};
use super::scope::Scope;
use super::state::States;
use super::tasks;
use super::tools::Tools;

/// What a server serves.
#[derive(Debug)]
pub(super) struct Routes {
    pub(super) discovery: Discovery,
    pub(super) tools: Tools,
    pub(super) resources: Resources,
    pub(super) prompts: Prompts,
    pub(super) states: States,
    pub(super) tells: Tells,
}

/// What a request leads to.
pub(super) enum Step {
    /// It is answered.
    Now(Box<Answer>),
    /// Messages are to come, until the peer has heard enough.
    Listen(SubscriptionFilter),
    /// Something runs.
    Later(Audience, AnswerFuture),
}

impl Routes {
    /// The method of this name, if the peer's revision has it and this server serves it.
    pub(super) fn find(&self, name: &str, peer: &Peer) -> Result<Method, ProtocolError> {
        let served = |method: &Method| {
            let row = method.row();
            row.kind == Kind::Request
                && match row.capability {
                    None => true,
                    Some(Capability::Resources) => self.resources.is_served(),
                    Some(Capability::ResourcesSubscribe) => self.tells.updates,
                    Some(Capability::Tools) => self.tools.is_served(),
                    Some(Capability::Prompts) => self.prompts.is_served(),
                    Some(Capability::Completions) => self.discovery.may_complete(),
                    Some(Capability::Logging) => self.discovery.may_log(),
                    Some(Capability::Tasks) => self.discovery.has_tasks(),
                    Some(_) => false,
                }
        };
        Method::find(name, peer.revision)
            .filter(served)
            .ok_or_else(|| ProtocolError::method_not_found(name))
    }
}

impl Server {
    /// Starts what `method` leads to. Nothing of the request is borrowed by what then runs.
    pub(super) fn route(
        &self,
        method: Method,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let raw = params;
        let discovery = &self.0.routes.discovery;
        Ok(match method {
            Method::Discover => now(Answer::Discover(discovery.discover())),
            Method::Ping => now(Answer::Empty(EmptyResult::new())),
            Method::ListTools => self.list_tools(&read(params)?, scope)?,
            Method::CallTool => self.call_tool(&read(params)?, raw, scope)?,
            Method::ListResources => self.list_resources(read(params)?, scope)?,
            Method::ListResourceTemplates => self.list_templates(&read(params)?, scope)?,
            Method::ReadDirectory => self.read_directory(read(params)?, scope)?,
            Method::ReadResource => self.read_resource(read(params)?, raw, scope)?,
            Method::ResourceMetadata => self.resource_metadata(read(params)?, scope),
            Method::ListPrompts => self.list_prompts(&read(params)?, scope)?,
            Method::GetPrompt => self.get_prompt(read(params)?, raw, scope)?,
            Method::Complete => self.complete(read(params)?, scope)?,
            Method::Listen => {
                let params: ListenParams = read(params)?;
                Step::Listen(params.notifications)
            }
            Method::GetTask => self.get_task(read_for_task(params, scope)?, scope),
            Method::UpdateTask => self.update_task(read_for_task(params, scope)?, scope),
            Method::CancelTask => self.cancel_task(read_for_task(params, scope)?, scope),
            Method::SetLevel => set_level(read(params)?, scope)?,
            Method::Subscribe => self.subscribe(read(params)?, scope)?,
            Method::Unsubscribe => self.unsubscribe(read(params)?, scope)?,
            Method::Initialize
            | Method::Initialized
            | Method::Cancelled
            | Method::Progress
            | Method::ResourceUpdated
            | Method::ResourcesChanged
            | Method::ToolsChanged
            | Method::PromptsChanged
            | Method::LoggingMessage
            | Method::Acknowledged
            | Method::TaskChanged
            | Method::Elicit
            | Method::CreateMessage
            | Method::ListRoots
            | Method::ElicitationComplete
            | Method::RootsChanged => return Err(ProtocolError::method_not_found(method.name())),
        })
    }

    fn call_tool(
        &self,
        CallToolParams {
            name, arguments, ..
        }: &CallToolParams<'_>,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let Routes { tools, states, .. } = &self.0.routes;
        let call = ToolCall {
            arguments: arguments.map_or("{}", |arguments| arguments.get()),
            subject: self.subject(Method::CallTool, name, params),
            scope,
            states,
        };
        let (audience, running) = tools.call(name, &call)?;
        Ok(Step::Later(audience, running))
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
            seals: &self.0.seals,
        }
    }

    fn list_tools(&self, params: &ListToolsParams, scope: &Scope) -> Result<Step, ProtocolError> {
        let (tools, limits) = (&self.0.routes.tools, self.limits());
        check_cursor(params.cursor.as_ref(), limits.cursor_bytes)?;
        let (peer, cursors) = (scope.peer(), self.0.cursors.of(scope.peer()));
        let page = tools.list(params, peer.revision, cursors, limits.page_entries)?;
        Ok(now(Answer::ListTools(page, tools.cache_hint())))
    }

    fn list_templates(
        &self,
        params: &ListResourceTemplatesParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let limits = self.limits();
        check_cursor(params.cursor.as_ref(), limits.cursor_bytes)?;
        let (resources, cursors) = (&self.0.routes.resources, self.0.cursors.of(scope.peer()));
        let listed = resources.list_templates(params, cursors, limits.page_entries)?;
        Ok(now(Answer::ListResourceTemplates(listed)))
    }

    fn read_resource(
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

    fn list_prompts(
        &self,
        params: &ListPromptsParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let limits = self.limits();
        check_cursor(params.cursor.as_ref(), limits.cursor_bytes)?;
        let prompts = &self.0.routes.prompts;
        let page = prompts.list(params, self.0.cursors.of(scope.peer()), limits.page_entries)?;
        Ok(now(Answer::ListPrompts(page, prompts.cache_hint())))
    }

    fn get_prompt(
        &self,
        GetPromptParams {
            name, arguments, ..
        }: GetPromptParams,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let Routes {
            prompts, states, ..
        } = &self.0.routes;
        let call = PromptCall {
            arguments: &arguments.unwrap_or_default(),
            subject: self.subject(Method::GetPrompt, &name, params),
            scope,
            states,
        };
        Ok(Step::Later(Audience::Code, prompts.find(&name)?.get(&call)))
    }

    fn complete(
        &self,
        CompleteParams {
            reference,
            argument,
            context,
            ..
        }: CompleteParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let Routes {
            prompts,
            resources,
            states,
            ..
        } = &self.0.routes;
        let others = context.and_then(|context| context.arguments);
        let call = CompletionCall {
            text: &argument.value,
            others: &others.unwrap_or_default(),
            scope,
            states,
        };
        let completing = match &reference {
            Reference::Prompt { name } => {
                let prompt = prompts.find(name)?;
                prompt.completable().complete(&argument.name, &call)?
            }
            Reference::Resource { uri } => {
                let template = resources.completable(uri)?;
                template.complete(&argument.name, &call)?
            }
        };
        Ok(Step::Later(Audience::Code, completing))
    }

    fn list_resources(
        &self,
        ListResourcesParams { uri, cursor, .. }: ListResourcesParams,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        if let Some(parent) = uri {
            let method = Method::ListResources;
            return self.list_children(method, parent, cursor, scope, Answer::ListResources);
        }
        check_cursor(cursor.as_ref(), self.limits().cursor_bytes)?;
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

    fn read_directory(
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
        check_cursor(cursor.as_ref(), self.limits().cursor_bytes)?;
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

    fn resource_metadata(
        &self,
        ResourceMetadataParams { uri, .. }: ResourceMetadataParams,
        scope: &Scope,
    ) -> Step {
        let (server, scope) = (self.clone(), scope.clone());
        let finding = async move {
            let found = server.metadata(&uri, &scope).await?;
            Ok(Answer::ResourceMetadata(found))
        };
        Step::Later(Audience::Code, Box::pin(finding))
    }

    /// What is known of the resource at `uri`.
    pub(super) async fn metadata(
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

/// Only who has a session is of a revision that has the method.
fn set_level(params: SetLevelParams, scope: &Scope) -> Result<Step, ProtocolError> {
    let method = Method::SetLevel;
    let session = scope.session();
    session
        .ok_or_else(|| ProtocolError::method_not_found(method.name()))?
        .set_level(params.level);
    Ok(now(Answer::Empty(EmptyResult::new())))
}

fn now(answer: Answer) -> Step {
    Step::Now(Box::new(answer))
}

/// The parameters of a method of tasks, of a client that can deal with them.
fn read_for_task<'a, T: Deserialize<'a>>(
    params: Option<&Object<'a>>,
    scope: &Scope,
) -> Result<T, ProtocolError> {
    tasks::check(scope.peer())?;
    read(params)
}

/// By its MIME type a client of `resources/directory/read` tells a directory.
fn as_directory(resource: &mut Resource) {
    if resource.is_collection == Some(true) {
        resource.mime_type = Some("inode/directory".to_owned());
    }
}

/// The parameters as the type that the method has; absent ones count as `{}`.
pub(super) fn read<'a, T: Deserialize<'a>>(
    params: Option<&Object<'a>>,
) -> Result<T, ProtocolError> {
    let read = match params {
        Some(params) => params.read(),
        None => serde_json::from_str("{}"),
    };
    read.map_err(|error| ProtocolError::invalid_params(format!("Invalid params: {error}")))
}

fn check_cursor(cursor: Option<&Cursor>, limit: usize) -> Result<(), ProtocolError> {
    match cursor {
        Some(cursor) if cursor.as_str().len() > limit => Err(InvalidParams::InvalidCursor.into()),
        _ => Ok(()),
    }
}
