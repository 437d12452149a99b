//! Which kinds of change a server announces to its clients.

use super::changes::Topic;
use super::features::Features;
use super::source::Sources;

/// The kinds of change that a server announces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Announcements {
    /// The program announces changes of whatever it offers.
    pub(super) all: bool,
    pub(super) tools: bool,
    pub(super) prompts: bool,
    /// That the list of resources has changed.
    pub(super) resources: bool,
    /// That one resource has changed.
    pub(super) updates: bool,
}

impl Announcements {
    /// With `all`, the program announces changes of whatever it offers.
    pub(super) fn new(all: bool, sources: &Sources) -> Self {
        let Features {
            tools,
            prompts,
            resources,
            ..
        } = &**sources.features();
        // Which of these a source has can differ from client to client.
        let from_sources = all && !sources.is_plain();
        let updates = from_sources || all && resources.is_served() || resources.can_watch();
        Self {
            all,
            tools: from_sources || all && tools.is_served() || tools.is_dynamic(),
            prompts: from_sources || all && prompts.is_served() || prompts.is_dynamic(),
            resources: updates || resources.fixed().is_dynamic(),
            updates,
        }
    }

    /// The lists whose changes are announced.
    pub(super) fn lists(self) -> Vec<Topic> {
        let lists = [
            (self.tools, Topic::Tools),
            (self.prompts, Topic::Prompts),
            (self.resources, Topic::Resources),
        ];
        lists
            .into_iter()
            .filter_map(|(is_told, list)| is_told.then_some(list))
            .collect()
    }
}
