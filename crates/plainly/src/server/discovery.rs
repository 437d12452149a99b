//! What a server says of itself: capabilities and instructions, in the form of each era.

use plainly_errors::{ProtocolError, Revision};
use plainly_protocol::method::{Capability, MessageKind, Method};
use plainly_protocol::peer::Peer;
use plainly_protocol::shape::Shape;
use plainly_protocol::types::{
    DiscoverResult, Implementation, InitializeResult, JsonObject, ListCapability,
    ResourcesCapability, ServerCapabilities, TASKS_EXTENSION,
};
use serde_json::json;

use super::announcements::Announcements;
use super::features::Features;

/// The extension under which the additions of SEP-2093 are advertised.
const RESOURCES_EXTENSION: &str = "dev.plainly/resources";

/// What a server says of itself.
#[derive(Debug)]
pub(super) struct Discovery {
    implementation: Implementation,
    instructions: Option<String>,
    capabilities: ServerCapabilities,
}

impl Discovery {
    pub(super) fn new(
        implementation: &Implementation,
        instructions: Option<String>,
        features: &Features,
        announced: Announcements,
    ) -> Self {
        let Features {
            tools,
            resources,
            prompts,
            ..
        } = features;
        let mut capabilities = ServerCapabilities::new();
        let mut extensions = JsonObject::new();
        if tools.is_served() {
            capabilities = capabilities.tools(list_capability(announced.tools));
        }
        if resources.is_served() {
            capabilities = capabilities.resources(resources_capability(announced));
            let settings = json!({ "directoryRead": true });
            extensions.insert(RESOURCES_EXTENSION.to_owned(), settings);
        }
        if prompts.is_served() {
            capabilities = capabilities.prompts(list_capability(announced.prompts));
        }
        if prompts.can_complete() || resources.can_complete() {
            capabilities = capabilities.completions(JsonObject::new());
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
        }
    }

    /// Whether the server declares `capability`.
    fn has(&self, capability: Capability) -> bool {
        let declared = &self.capabilities;
        match capability {
            Capability::Resources => declared.resources.is_some(),
            Capability::ResourcesSubscribe => {
                let resources = declared.resources.as_ref();
                resources.is_some_and(|resources| resources.subscribe == Some(true))
            }
            Capability::Tools => declared.tools.is_some(),
            Capability::Prompts => declared.prompts.is_some(),
            Capability::Completions => declared.completions.is_some(),
            Capability::Logging => declared.logging.is_some(),
            Capability::Tasks => declared.extension(TASKS_EXTENSION).is_some(),
            _ => false,
        }
    }

    /// The method of this name, if the peer's revision has it and the server serves it.
    pub(super) fn find(&self, name: &str, peer: &Peer) -> Result<Method, ProtocolError> {
        Method::find(name, peer.revision)
            .filter(|method| {
                let row = method.row();
                row.kind == MessageKind::Request && row.capability.is_none_or(|it| self.has(it))
            })
            .ok_or_else(|| ProtocolError::method_not_found(name))
    }

    /// Answers `initialize`.
    pub(super) fn initialize(&self, revision: Revision) -> InitializeResult {
        let mut capabilities = self.capabilities.clone();
        capabilities.shape(revision);
        let mut result =
            InitializeResult::new(revision.as_str(), capabilities, self.implementation.clone());
        result.instructions.clone_from(&self.instructions);
        result
    }

    /// Answers `server/discover`. Only modern revisions: clients choose from them for the very next request.
    pub(super) fn discover(&self) -> DiscoverResult {
        let mut result = DiscoverResult::new(modern_versions(), self.capabilities.clone());
        result.instructions.clone_from(&self.instructions);
        result
    }
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
