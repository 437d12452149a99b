//! From a method to what serves it. Parameters are parsed here, into the type that the method has.

use plainly_errors::ProtocolError;
use plainly_protocol::envelope::Object;
use plainly_protocol::method::{Capability, MessageKind, Method};
use plainly_protocol::peer::Peer;
use plainly_protocol::types::{EmptyResult, ListenParams, SetLevelParams, SubscriptionFilter};
use serde::Deserialize;

use super::Server;
use super::answer::{Answer, AnswerFuture};
use super::asking::Subject;
use super::audience::Audience;
use super::discovery::Discovery;
use super::listening::Tells;
use super::prompts::Prompts;
use super::resources::Resources;
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
            row.kind == MessageKind::Request
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
            Method::Discover => now(Answer::Discover(Box::new(discovery.discover()))),
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

    /// What a request is about that may be answered with questions.
    pub(super) fn subject<'a>(
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
    tasks::check(scope.peer())?;
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
