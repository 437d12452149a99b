//! Everything that a program defines for a server, before it is checked.

use super::prompts::Prompt;
use super::resources::{ErasedStore, Resource, ResourceTemplate};
use super::tools::Tool;
use crate::server::extract::Needs;
use crate::server::state::States;

/// Everything that a program defined for one server.
#[derive(Debug, Default)]
pub(in crate::server) struct Definitions {
    pub(in crate::server) tools: Vec<Tool>,
    pub(in crate::server) prompts: Vec<Prompt>,
    pub(in crate::server) resources: Vec<Resource>,
    pub(in crate::server) templates: Vec<ResourceTemplate>,
    pub(in crate::server) stores: Vec<Box<dyn ErasedStore>>,
    /// The values that handlers share.
    pub(in crate::server) states: States,
    pub(in crate::server) dynamic: DynamicKinds,
    /// Whether layers may keep some of it from some callers.
    pub(in crate::server) is_layered: bool,
}

/// Which kinds may come and go while the server runs.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::server) struct DynamicKinds {
    pub(in crate::server) tools: bool,
    pub(in crate::server) prompts: bool,
    pub(in crate::server) resources: bool,
}

impl Definitions {
    /// Whether any handler may write log messages. What is added later may: its needs are not known yet.
    pub(super) fn may_log(&self) -> bool {
        let DynamicKinds {
            tools,
            prompts,
            resources,
        } = self.dynamic;
        tools || prompts || resources || self.needs().any(|needs| needs.may_log)
    }

    /// Whether any tool may become a task. One that is added later may.
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
