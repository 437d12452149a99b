//! The facts that a client learned about its server while connecting.

use plainly_errors::Revision;
use plainly_protocol::method::{Capability, Method};
use plainly_protocol::types::{
    DiscoverResult, Implementation, InitializeResult, RESOURCES_EXTENSION, SKILLS_EXTENSION,
    ServerCapabilities,
};
use serde_json::Value;

use crate::message::reply::TypedResult;

/// The facts that a client learned about its server while connecting.
#[derive(Debug)]
pub(crate) struct ServerDescription {
    pub(crate) revision: Revision,
    pub(crate) implementation: Option<Implementation>,
    pub(crate) capabilities: ServerCapabilities,
    pub(crate) instructions: Option<String>,
    pub(crate) supported_versions: Vec<String>,
}

impl ServerDescription {
    /// The capability of `method`, if the server declares capabilities and lacks this one.
    pub(crate) fn lacks(&self, method: Method) -> Option<&'static str> {
        let has = &self.capabilities;
        let capability = method.row().capability?;
        // A server that declares no capabilities at all more likely omits them than lacks them all.
        // Skills are an extension, which is only used with servers that declare it.
        if *has == ServerCapabilities::new() && capability != Capability::Skills {
            return None;
        }
        let (name, is_there) = match capability {
            Capability::Resources | Capability::ResourcesSubscribe => {
                ("resources", has.resources.is_some())
            }
            Capability::Tools => ("tools", has.tools.is_some()),
            Capability::Prompts => ("prompts", has.prompts.is_some()),
            Capability::Skills => ("skills", has.extension(SKILLS_EXTENSION).is_some()),
            // Older revisions have completion without a capability for it. The client does not call
            // the others on its own.
            Capability::Completions | Capability::Logging | Capability::Tasks | _ => return None,
        };
        (!is_there).then_some(name)
    }

    /// The settings of collections, from the extension, or from the experimental capabilities of
    /// servers that have no extensions yet.
    fn collections(&self) -> Option<&Value> {
        let experimental = self.capabilities.experimental.as_ref();
        let extension = self.capabilities.extension(RESOURCES_EXTENSION);
        extension.or_else(|| experimental?.get(RESOURCES_EXTENSION))
    }

    /// Whether the server declares collections.
    pub(crate) fn knows_collections(&self) -> bool {
        self.collections().is_some()
    }

    /// Whether the server declares that it answers conditional reads.
    pub(crate) fn reads_conditionally(&self) -> bool {
        self.declares_of_collections("conditional")
    }

    /// Whether the server declares that it reports all changes below a collection.
    pub(crate) fn reports_below(&self) -> bool {
        self.declares_of_collections("recursive")
    }

    fn declares_of_collections(&self, setting: &str) -> bool {
        let settings = self.collections();
        settings.is_some_and(|settings| settings[setting] == true)
    }

    /// Whether the server declares that it lists directories (SEP-2640). Otherwise, clients must
    /// not request that.
    pub(crate) fn reads_directories(&self) -> bool {
        let settings = self.capabilities.extension(SKILLS_EXTENSION);
        settings.is_some_and(|settings| settings["directoryRead"] == true)
    }

    pub(crate) fn discovered(revision: Revision, answer: TypedResult<DiscoverResult>) -> Self {
        Self {
            revision,
            implementation: answer.fields.server_info(),
            capabilities: answer.body.capabilities,
            instructions: answer.body.instructions,
            supported_versions: answer.body.supported_versions,
        }
    }

    pub(crate) fn initialized(revision: Revision, result: InitializeResult) -> Self {
        Self {
            revision,
            implementation: Some(result.server_info),
            capabilities: result.capabilities,
            instructions: result.instructions,
            supported_versions: vec![result.protocol_version],
        }
    }
}
