//! The tools, resources and prompts of the program, and the handlers of their methods. This module
//! knows the sender only by the [`Scope`](super::request::Scope) of a request, but no connection
//! and no transport.

mod app;
mod catalogue;
mod completion;
mod cursor;
mod declared;
mod definitions;
mod error;
mod extensions;
mod methods;
mod prompts;
mod resources;
mod setters;
mod skills;
mod tools;
mod values;

use std::sync::Arc;

use plainly_protocol::method::Capability;
use plainly_protocol::types::JsonObject;

pub use self::app::App;
pub(super) use self::app::UI_EXTENSION;
use self::catalogue::{Catalogue, Definition};
use self::cursor::Cursors;
pub(super) use self::definitions::Definitions;
pub use self::error::{BuildError, BuildErrors};
pub(super) use self::methods::ACCEPT;
#[cfg(test)]
pub(super) use self::methods::FEATURE_HANDLERS;
pub use self::prompts::Prompt;
use self::prompts::Prompts;
pub(super) use self::resources::check_length;
pub use self::resources::{Resource, ResourceTemplate};
use self::resources::{ResourceSettings, Resources};
pub(super) use self::tools::Tools;
pub use self::tools::{Tool, ToolAdapter};
use super::asking::Seals;
use super::changes::Spellings;
use super::state::States;
use crate::limits::Limits;
use crate::skills::ErasedSkills;
use plainly_transport::seal::{Keys, Sealer};

/// The tools, resources and prompts of a server, and all data needed to serve them.
#[derive(Debug)]
pub(super) struct Features {
    pub(super) tools: Tools,
    pub(super) resources: Resources,
    pub(super) prompts: Prompts,
    /// Whether any handler may send log messages.
    pub(super) may_log: bool,
    /// Whether any tool may become a task.
    pub(super) may_become_tasks: bool,
    pub(super) skills: Option<Arc<dyn ErasedSkills>>,
    /// The extensions that the program declares.
    pub(super) extensions: JsonObject,
    states: States,
    cursors: Cursors,
    /// Seals the data that clients return from one round of questions to the next.
    pub(super) seals: Seals,
    limits: Limits,
}

impl Spellings for Features {
    fn listed(&self, uri: &str) -> Option<String> {
        self.resources.listed(uri)
    }
}

impl Features {
    /// The features of the server with this name, or all mistakes in the definitions.
    pub(super) fn new(
        definitions: Definitions,
        server: &str,
        keys: Option<Keys>,
        limits: &Limits,
    ) -> Result<Self, BuildErrors> {
        let (may_log, may_become_tasks) = (definitions.may_log(), definitions.may_become_tasks());
        let Definitions {
            tools,
            prompts,
            resources,
            templates,
            stores,
            skills,
            states,
            dynamic,
            is_layered,
            announces_all,
            is_unextended,
            extensions,
        } = definitions;
        let mut errors = Vec::new();
        let tools = Catalogue::build(tools, dynamic.tools, &states, limits, &mut errors);
        let prompts = Catalogue::build(prompts, dynamic.prompts, &states, limits, &mut errors);
        let fixed = Catalogue::build(resources, dynamic.resources, &states, limits, &mut errors);
        let templates = resources::check_templates(templates, &states, &mut errors);
        resources::check_stores(&stores, &mut errors);
        let extensions = extensions::check_extensions(extensions, &mut errors);
        if !errors.is_empty() {
            return Err(BuildErrors::of("the server can't be built", errors));
        }
        let sealer = Arc::new(Sealer::new(keys));
        Ok(Self {
            tools,
            resources: Resources::new(
                fixed,
                templates,
                stores,
                ResourceSettings {
                    is_open: !is_layered,
                    announces_all,
                    is_extended: !is_unextended,
                },
            ),
            prompts,
            may_log,
            may_become_tasks,
            skills,
            extensions,
            states,
            cursors: Cursors::new(Arc::clone(&sealer), server, limits),
            seals: Seals::new(sealer, server, limits),
            limits: limits.clone(),
        })
    }

    /// Whether there are features for `capability`.
    pub(super) fn serves(&self, capability: Capability) -> bool {
        match capability {
            Capability::Tools => self.tools.is_served(),
            Capability::Resources => self.resources.is_served(),
            Capability::Prompts => self.prompts.is_served(),
            Capability::Skills => self.skills.is_some(),
            Capability::Completions => self.prompts.can_complete() || self.resources.can_complete(),
            Capability::ResourcesSubscribe | Capability::Logging | Capability::Tasks | _ => false,
        }
    }

    /// Adds a definition while the server runs.
    pub(super) fn add<D: Definition>(
        &self,
        definition: D,
        to: &Catalogue<D::Served>,
    ) -> Result<(), BuildErrors> {
        let subject = definition.subject();
        let mut errors = Vec::new();
        if !to.is_dynamic() {
            let option = D::DYNAMIC_OPTION;
            let problem = format!("needs {option}, which the server was built without");
            errors.push(BuildError::new(&subject, problem));
        }
        let served = definition.check(&self.states, &self.limits, &mut errors);
        if errors.is_empty()
            && let Some(served) = served
            && !to.add(served)
        {
            errors.push(BuildError::twice(&subject));
        }
        match errors.is_empty() {
            true => Ok(()),
            false => Err(BuildErrors::of("it can't be added", errors)),
        }
    }
}
