//! From a method to what serves it. Parameters are parsed here, into the type that the method has.

use std::sync::Arc;

use plainly_errors::{InvalidParams, ProtocolError};
use plainly_protocol::envelope::Object;
use plainly_protocol::method::{Capability, Kind, Method};
use plainly_protocol::peer::Peer;
use plainly_protocol::types::{
    CacheHint, CallToolParams, Cursor, EmptyResult, ListResourceTemplatesParams,
    ListResourceTemplatesResult, ListResourcesParams, ListResourcesResult, ListToolsParams,
    ReadDirectoryParams, ReadResourceParams, Resource, ResourceMetadataParams,
};
use serde::Deserialize;

use super::Server;
use super::answer::{Answer, AnswerFuture};
use super::audience::Audience;
use super::discovery::Discovery;
use super::extract::{ResourceCall, ToolCall};
use super::resources::{Listing, Resources};
use super::state::States;
use super::tools::Tools;

/// What a server serves.
#[derive(Debug)]
pub(super) struct Routes {
    pub(super) discovery: Discovery,
    pub(super) tools: Tools,
    pub(super) resources: Resources,
    pub(super) states: States,
}

/// What a request leads to.
pub(super) enum Step {
    /// It is answered.
    Now(Box<Answer>),
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
                    Some(Capability::Resources) => !self.resources.is_empty(),
                    Some(Capability::Tools) => !self.tools.is_empty(),
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
        peer: &Arc<Peer>,
    ) -> Result<Step, ProtocolError> {
        let Routes {
            discovery,
            tools,
            states,
            ..
        } = &self.0.routes;
        let limits = self.limits();
        Ok(match method {
            Method::Discover => now(Answer::Discover(discovery.discover())),
            Method::Ping => now(Answer::Empty(EmptyResult::new())),
            Method::ListTools => {
                let params: ListToolsParams = read(params)?;
                check_cursor(params.cursor.as_ref(), limits.cursor_bytes)?;
                let page = tools.list(&params, &self.0.cursors, limits.page_entries)?;
                now(Answer::ListTools(page))
            }
            Method::CallTool => {
                let params: CallToolParams<'_> = read(params)?;
                let arguments = params.arguments.map_or("{}", |arguments| arguments.get());
                {
                    let call = ToolCall {
                        arguments,
                        peer,
                        states,
                    };
                    let (audience, running) = tools.call(&params.name, &call)?;
                    Step::Later(audience, running)
                }
            }
            Method::ListResources => self.list_resources(read(params)?, peer)?,
            Method::ListResourceTemplates => {
                let params: ListResourceTemplatesParams = read(params)?;
                if params.cursor.is_some() {
                    return Err(InvalidParams::InvalidCursor.into());
                }
                now(Answer::ListResourceTemplates(
                    ListResourceTemplatesResult::new([]),
                ))
            }
            Method::ReadDirectory => self.read_directory(read(params)?, peer)?,
            Method::ReadResource => self.read_resource(read(params)?, peer)?,
            Method::ResourceMetadata => self.resource_metadata(read(params)?),
            Method::Initialize
            | Method::Subscribe
            | Method::Unsubscribe
            | Method::ListPrompts
            | Method::GetPrompt
            | Method::Complete
            | Method::Listen
            | Method::Initialized
            | Method::Cancelled
            | Method::Progress
            | Method::ResourceUpdated
            | Method::ResourcesChanged
            | Method::ToolsChanged
            | Method::PromptsChanged
            | Method::Acknowledged => return Err(ProtocolError::method_not_found(method.name())),
        })
    }

    fn read_resource(
        &self,
        ReadResourceParams { uri, .. }: ReadResourceParams,
        peer: &Arc<Peer>,
    ) -> Result<Step, ProtocolError> {
        let Routes {
            resources, states, ..
        } = &self.0.routes;
        resources
            .read(
                &uri,
                &ResourceCall {
                    uri: &uri,
                    peer,
                    states,
                },
                self.limits(),
            )
            .map(|reading| Step::Later(Audience::Code, reading))
    }

    fn list_resources(
        &self,
        ListResourcesParams { uri, cursor, .. }: ListResourcesParams,
        peer: &Arc<Peer>,
    ) -> Result<Step, ProtocolError> {
        if let Some(parent) = uri {
            let method = Method::ListResources;
            return self.list_children(method, parent, cursor, peer, Answer::ListResources);
        }
        check_cursor(cursor.as_ref(), self.limits().cursor_bytes)?;
        let server = self.clone();
        Ok(Step::Later(
            Audience::Code,
            Box::pin(async move {
                let resources = &server.0.routes.resources;
                let result = resources
                    .list(cursor.as_ref(), &server.0.cursors, server.limits())
                    .await?;
                Ok(Answer::ListResources(result, resources.cache_hint(None)))
            }),
        ))
    }

    fn read_directory(
        &self,
        ReadDirectoryParams { uri, cursor, .. }: ReadDirectoryParams,
        peer: &Arc<Peer>,
    ) -> Result<Step, ProtocolError> {
        let answer = |mut result: ListResourcesResult, _| {
            result.resources.iter_mut().for_each(as_directory);
            Answer::ReadDirectory(result)
        };
        self.list_children(Method::ReadDirectory, uri, cursor, peer, answer)
    }

    /// The children of `parent`, for the two methods that list them.
    fn list_children(
        &self,
        method: Method,
        parent: String,
        cursor: Option<Cursor>,
        peer: &Arc<Peer>,
        answer: impl FnOnce(ListResourcesResult, CacheHint) -> Answer + Send + 'static,
    ) -> Result<Step, ProtocolError> {
        check_cursor(cursor.as_ref(), self.limits().cursor_bytes)?;
        let Routes {
            resources, states, ..
        } = &self.0.routes;
        let call = ResourceCall {
            uri: &parent,
            peer,
            states,
        };
        let reading = resources.read_to_list(&parent, &call, self.limits())?;
        let server = self.clone();
        Ok(Step::Later(
            Audience::Code,
            Box::pin(async move {
                let resources = &server.0.routes.resources;
                let listing = Listing {
                    name: &format!("{} {parent}", method.name()),
                    parent: &parent,
                    cursor: cursor.as_ref(),
                    cursors: &server.0.cursors,
                    limits: server.limits(),
                };
                let result = match reading {
                    Some(reading) => listing.list_read(reading?.await?)?,
                    None => resources.list_stored(&listing).await?,
                };
                Ok(answer(result, resources.cache_hint(Some(&parent))))
            }),
        ))
    }

    fn resource_metadata(
        &self,
        ResourceMetadataParams { uri, .. }: ResourceMetadataParams,
    ) -> Step {
        let server = self.clone();
        Step::Later(
            Audience::Code,
            Box::pin(async move {
                let resources = &server.0.routes.resources;
                let metadata = resources.metadata(&uri, server.limits()).await?;
                Ok(Answer::ResourceMetadata(metadata))
            }),
        )
    }
}

fn now(answer: Answer) -> Step {
    Step::Now(Box::new(answer))
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
