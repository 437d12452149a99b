//! All definitions of a program for a server, before they are checked.

use std::sync::Arc;

use plainly_protocol::types::JsonObject;
use sha2::{Digest as _, Sha256};

use super::prompts::Prompt;
use super::resources::{Resource, ResourceTemplate};
use super::tools::Tool;
use crate::extract::Needs;
use crate::skills::ErasedSkills;
use crate::state::States;
use crate::store::Stores;

/// All definitions of a program for one server.
#[derive(Debug, Default)]
pub(crate) struct Definitions {
    pub(crate) tools: Vec<Tool>,
    pub(crate) prompts: Vec<Prompt>,
    pub(crate) resources: Vec<Resource>,
    pub(crate) templates: Vec<ResourceTemplate>,
    pub(crate) stores: Stores,
    pub(crate) skills: Option<Arc<dyn ErasedSkills>>,
    /// The values that handlers share.
    pub(crate) states: States,
    pub(crate) dynamic: DynamicKinds,
    /// Whether layers may hide definitions from some callers.
    pub(crate) is_layered: bool,
    /// Whether the program reports all changes.
    pub(crate) announces_all: bool,
    /// Whether resources are served without the extension `dev.plainly/resources`.
    pub(crate) is_unextended: bool,
    /// The extensions that the program declares, each with its settings.
    pub(crate) extensions: Vec<(String, JsonObject)>,
}

/// The kinds whose items may be added and removed while the server runs.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DynamicKinds {
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    pub(crate) resources: bool,
}

impl Definitions {
    /// A digest of everything that is listed, by which replicas check whether they list the same.
    pub(crate) fn digest(&self) -> String {
        let (tools, prompts) = (&self.tools, &self.prompts);
        let (resources, templates) = (&self.resources, &self.templates);
        let all = format!("{tools:?}{prompts:?}{resources:?}{templates:?}");
        let digest = Sha256::digest(all);
        digest
            .iter()
            .take(4)
            .map(|byte| format!("{byte:02x}"))
            .collect()
    }

    /// Whether any handler may send log messages. A handler that is added later may, because its
    /// needs are not known yet.
    pub(super) fn may_log(&self) -> bool {
        let DynamicKinds {
            tools,
            prompts,
            resources,
        } = self.dynamic;
        tools || prompts || resources || self.needs().any(|needs| needs.may_log)
    }

    /// Whether any tool may become a task. A tool that is added later may.
    pub(super) fn may_become_tasks(&self) -> bool {
        self.dynamic.tools || self.tools.iter().any(Tool::may_become_task)
    }

    /// The needs of all handlers.
    fn needs(&self) -> impl Iterator<Item = &Needs> {
        let tools = self.tools.iter().map(Tool::needs);
        let prompts = self.prompts.iter().flat_map(Prompt::all_needs);
        let resources = self.resources.iter().map(Resource::needs);
        let templates = self.templates.iter().flat_map(ResourceTemplate::all_needs);
        tools.chain(prompts).chain(resources).chain(templates)
    }
}
