//! What a program defines, before it is served.

use super::catalogue::Item;
use super::error::BuildError;
use super::prompts::Prompt;
use super::resources::{ErasedStore, Resource, ResourceTemplate};
use super::tools::Tool;
use crate::limits::Limits;
use crate::server::extract::Needs;
use crate::server::state::States;

/// A tool, prompt or resource as the program wrote it.
pub(in crate::server) trait Definition {
    /// What it is once it was found to be in order.
    type Served: Item;

    /// The option of the builder that lets its kind come and go while the server runs.
    const DYNAMIC_OPTION: &'static str;

    /// What it is called in errors: its kind and its name.
    fn subject(&self) -> String;

    /// Whether it can be served; everything that is wrong with it goes to `errors`.
    fn check(
        self,
        states: &States,
        limits: &Limits,
        errors: &mut Vec<BuildError>,
    ) -> Option<Self::Served>;
}

/// Everything that a program defined for one server.
#[derive(Debug, Default)]
pub(in crate::server) struct Definitions {
    pub(in crate::server) tools: Vec<Tool>,
    pub(in crate::server) prompts: Vec<Prompt>,
    pub(in crate::server) resources: Vec<Resource>,
    pub(in crate::server) templates: Vec<ResourceTemplate>,
    pub(in crate::server) stores: Vec<Box<dyn ErasedStore>>,
    /// What handlers share.
    pub(in crate::server) states: States,
    pub(in crate::server) dynamic: Dynamic,
}

/// Which kinds may come and go while the server runs.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::server) struct Dynamic {
    pub(in crate::server) tools: bool,
    pub(in crate::server) prompts: bool,
    pub(in crate::server) resources: bool,
}

impl Definitions {
    /// Whether any handler may write log messages. What is added later may: its needs are not known yet.
    pub(super) fn may_log(&self) -> bool {
        let Dynamic {
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

    /// What the handlers need.
    fn needs(&self) -> impl Iterator<Item = &Needs> {
        let tools = self.tools.iter().map(Tool::needs);
        let prompts = self.prompts.iter().flat_map(Prompt::all_needs);
        let resources = self.resources.iter().map(Resource::needs);
        let templates = self.templates.iter().flat_map(ResourceTemplate::all_needs);
        tools.chain(prompts).chain(resources).chain(templates)
    }
}
