//! The capabilities and instructions that a server declares, in the form of each era.

use plainly_errors::{ProtocolError, Revision};
use plainly_protocol::method::{Capability, MessageKind, Method, MethodRow, Sender, methods};
use plainly_protocol::peer::Peer;
use plainly_protocol::shape::Shape;
use plainly_protocol::types::{
    DiscoverResult, Implementation, InitializeResult, JsonObject, ListCapability,
    RESOURCES_EXTENSION, ResourcesCapability, SKILLS_EXTENSION, ServerCapabilities,
    TASKS_EXTENSION,
};
use plainly_schema::closest;
use serde_json::{Value, json};

use super::source::{Sources, declares};
use super::subscriptions::Announcements;

/// The capabilities and instructions of a server.
#[derive(Debug)]
pub(super) struct Discovery {
    pub(super) implementation: Implementation,
    instructions: Option<String>,
    /// The capabilities of the program's features.
    capabilities: ServerCapabilities,
    announces_all: bool,
    sources: Sources,
}

impl Discovery {
    pub(super) fn new(
        implementation: &Implementation,
        instructions: Option<String>,
        sources: Sources,
        announced: Announcements,
    ) -> Self {
        let features = sources.features();
        let mut capabilities = ServerCapabilities::new();
        let mut extensions = features.extensions.clone();
        if features.serves(Capability::Tools) {
            capabilities = capabilities.tools(list_capability(announced.tools));
        }
        if features.serves(Capability::Resources) {
            capabilities = capabilities.resources(resources_capability(announced));
            if features.resources.is_extended() {
                let tells_below = announced.updates && features.resources.can_tell_below();
                let recursive = tells_below.then_some("recursive");
                let settings = ["conditional", "directoryRead", "formats", "parts"];
                let settings = settings.into_iter().chain(recursive);
                let settings = JsonObject::from_iter(settings.map(|name| (name, json!(true))));
                extensions.insert(RESOURCES_EXTENSION.to_owned(), json!(settings));
            }
        }
        if features.serves(Capability::Prompts) {
            capabilities = capabilities.prompts(list_capability(announced.prompts));
        }
        if features.serves(Capability::Completions) {
            capabilities = capabilities.completions(JsonObject::new());
        }
        if features.serves(Capability::Skills) {
            let settings = json!({ "directoryRead": features.serves(Capability::Resources) });
            extensions.insert(SKILLS_EXTENSION.to_owned(), settings);
        }
        if features.may_become_tasks {
            extensions.insert(TASKS_EXTENSION.to_owned(), json!({}));
        }
        if !extensions.is_empty() {
            capabilities = capabilities.extensions(extensions);
        }
        if features.may_log {
            capabilities = capabilities.logging(JsonObject::new());
        }
        Self {
            implementation: implementation.clone(),
            instructions,
            capabilities,
            announces_all: announced.all,
            sources,
        }
    }

    /// The version of the program.
    pub(super) fn version(&self) -> &str {
        &self.implementation.version
    }

    /// Whether `capability` is declared to `peer`.
    fn has(&self, capability: Capability, peer: &Peer) -> bool {
        declares(&self.capabilities, capability)
            || self
                .of_sources(peer)
                .any(|capabilities| declares(&capabilities, capability))
    }

    /// The capabilities of the sources for `peer`. Changes are declared only if the source or the
    /// program reports them.
    fn of_sources(&self, peer: &Peer) -> impl Iterator<Item = ServerCapabilities> {
        let all = self.sources.capabilities(peer);
        all.map(|(mut capabilities, can_watch)| {
            if !self.announces_all && !can_watch {
                let lists = [&mut capabilities.tools, &mut capabilities.prompts];
                for list in lists.into_iter().flatten() {
                    list.list_changed = None;
                }
                if let Some(resources) = &mut capabilities.resources {
                    (resources.list_changed, resources.subscribe) = (None, None);
                }
            }
            capabilities
        })
    }

    /// The capabilities that are declared to `peer`.
    fn capabilities(&self, peer: &Peer) -> ServerCapabilities {
        let own = self.capabilities.clone();
        self.of_sources(peer)
            .fold(own, |all, more| joined(&all, &more).unwrap_or(all))
    }

    /// The method with this name, if the peer's revision has it and the server serves it.
    pub(super) fn find(&self, name: &str, peer: &Peer) -> Result<Method, ProtocolError> {
        Method::find(name, peer.revision)
            .filter(|method| {
                let row = method.row();
                row.kind == MessageKind::Request
                    && row.sender != Sender::Server
                    && row.capability.is_none_or(|it| self.has(it, peer))
            })
            .ok_or_else(|| unknown_method(name, peer))
    }

    /// Answers `initialize`.
    pub(super) fn initialize(&self, peer: &Peer) -> InitializeResult {
        let revision = peer.revision;
        let mut capabilities = self.capabilities(peer);
        capabilities.shape(revision);
        let mut result =
            InitializeResult::new(revision.as_str(), capabilities, self.implementation.clone());
        result.instructions.clone_from(&self.instructions);
        result
    }

    /// Answers `server/discover`. It lists only modern revisions, because clients choose one for
    /// the very next request.
    pub(super) fn discover(&self, peer: &Peer) -> DiscoverResult {
        let mut result = DiscoverResult::new(modern_versions(), self.capabilities(peer));
        result.instructions.clone_from(&self.instructions);
        result
    }
}

/// The union of both capabilities.
fn joined(one: &ServerCapabilities, other: &ServerCapabilities) -> Option<ServerCapabilities> {
    let mut all = serde_json::to_value(one).ok()?;
    join(&mut all, serde_json::to_value(other).ok()?);
    serde_json::from_value(all).ok()
}

/// Adds the members of `more` to `all`, deeply.
fn join(all: &mut Value, more: Value) {
    match (all, more) {
        (Value::Object(all), Value::Object(more)) => {
            for (name, value) in more {
                join(all.entry(name).or_insert(Value::Null), value);
            }
        }
        (all, more) => *all = more,
    }
}

/// The error for a method that is not served, with the reason if no server of the revision serves
/// it, or else the name that was probably meant.
fn unknown_method(name: &str, peer: &Peer) -> ProtocolError {
    let error = ProtocolError::method_not_found(name);
    let hint = match methods().iter().find(|row| row.name == name) {
        Some(row) => why_not(row, peer.revision),
        None => nearest_method(name, peer.revision),
    };
    match hint {
        Some(hint) => {
            let message = format!("{} ({hint})", error.message());
            error.with_message(message)
        }
        None => error,
    }
}

/// The reason why no server of this revision serves the method, if that is the case.
fn why_not(row: &MethodRow, revision: Revision) -> Option<String> {
    match (row.kind, row.sender) {
        (MessageKind::Notification, _) => {
            Some("it is a notification: send it without an id".into())
        }
        (MessageKind::Request, Sender::Server) => Some("only servers ask for it".into()),
        (MessageKind::Request, Sender::Client | Sender::Either) => {
            let mut own_and_later = Revision::ALL.into_iter().skip_while(|it| *it != revision);
            match own_and_later.find(|it| row.revisions.has(*it)) {
                Some(first) if first == revision => None,
                // An older revision may have a method of the same name that differs.
                Some(first) => Some(format!("this server has it from {first}")),
                None => Some(format!("{revision} does not have it")),
            }
        }
    }
}

/// The closest name among the methods of the revision, even if the server lacks their capability. A
/// name is corrected only within its family: one of the tasks family never becomes one of tools.
fn nearest_method(name: &str, revision: Revision) -> Option<String> {
    let family = |name: &str| name.split('/').next().map(str::to_owned);
    let own = family(name);
    let is_known = methods().iter().any(|row| family(row.name) == own);
    let requests = methods()
        .iter()
        .filter(|row| row.kind == MessageKind::Request && row.revisions.has(revision));
    let known = requests.filter(|row| !is_known || family(row.name) == own);
    let close = closest(name, known.map(|row| row.name))?;
    Some(format!("did you mean {close:?}?"))
}

fn list_capability(is_told: bool) -> ListCapability {
    let list = ListCapability::new();
    if is_told {
        list.list_changed(true)
    } else {
        list
    }
}

fn resources_capability(announced: Announcements) -> ResourcesCapability {
    let mut resources = ResourcesCapability::new();
    if announced.updates {
        resources = resources.subscribe(true);
    }
    if announced.resources {
        resources = resources.list_changed(true);
    }
    resources
}

/// The versions that a modern request may name, newest first.
pub(super) fn modern_versions() -> Vec<String> {
    versions(false)
}

/// The versions that a session may name, newest first.
pub(super) fn legacy_versions() -> Vec<String> {
    versions(true)
}

fn versions(with_sessions: bool) -> Vec<String> {
    Revision::ALL
        .iter()
        .rev()
        .filter(|revision| revision.traits().sessions == with_sessions)
        .map(|revision| revision.as_str().to_owned())
        .collect()
}
