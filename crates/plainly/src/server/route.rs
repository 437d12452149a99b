//! From a method to what serves it. Parameters are parsed here, into the type that the method has.

use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Object;
use plainly_protocol::method::{Kind, Method};
use plainly_protocol::peer::Peer;
use plainly_protocol::types::{EmptyResult, ListenParams, SetLevelParams};
use serde::Deserialize;

use super::Server;
use super::answer::{Answer, AnswerFuture};
use super::audience::Audience;
use super::discovery::Discovery;
use super::listening::Tells;
use super::request::{Scope, check_tasks};

/// What a server says that it serves.
#[derive(Debug)]
pub(super) struct Routes {
    pub(super) discovery: Discovery,
    pub(super) tells: Tells,
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
        Method::find(name, peer.revision)
            .filter(|method| {
                let row = method.row();
                row.kind == Kind::Request && row.capability.is_none_or(|it| self.discovery.has(it))
            })
            .ok_or_else(|| ProtocolError::method_not_found(name))
    }
}

impl Server {
    /// Starts what `method` leads to. Nothing of the request is borrowed by what then runs.
    pub(super) fn route(
        &self,
        method: Method,
        id: &str,
        params: Option<&Object<'_>>,
        scope: &Scope,
    ) -> Result<Step, ProtocolError> {
        let raw = params;
        let (discovery, features) = (&self.0.routes.discovery, &self.0.features);
        Ok(match method {
            Method::Discover => now(Answer::Discover(Box::new(discovery.discover()))),
            Method::Ping => now(Answer::Empty(EmptyResult::new())),
            Method::ListTools => features.list_tools(&read(params)?, scope)?,
            Method::CallTool => features.call_tool(&read(params)?, raw, scope)?,
            Method::ListResources => features.list_resources(read(params)?, scope),
            Method::ListResourceTemplates => features.list_templates(&read(params)?, scope)?,
            Method::ReadDirectory => features.read_directory(read(params)?, scope),
            Method::ReadResource => features.read_resource(read(params)?, raw, scope)?,
            Method::ResourceMetadata => features.resource_metadata(read(params)?, scope),
            Method::ListPrompts => features.list_prompts(&read(params)?, scope)?,
            Method::GetPrompt => features.get_prompt(read(params)?, raw, scope)?,
            Method::Complete => features.complete(read(params)?, scope)?,
            Method::Listen => {
                let ListenParams { notifications, .. } = read(params)?;
                now(self.listen(id, notifications, scope)?)
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

pub(super) fn now(answer: Answer) -> Step {
    Step::Now(Box::new(answer))
}

/// The parameters of a method of tasks, of a client that can deal with them.
fn read_for_task<'a, T: Deserialize<'a>>(
    params: Option<&Object<'a>>,
    scope: &Scope,
) -> Result<T, ProtocolError> {
    check_tasks(scope.peer())?;
    read(params)
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
