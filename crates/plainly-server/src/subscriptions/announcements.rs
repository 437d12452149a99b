//! The kinds of change that a server announces, and the part of a client's filter that they cover.

use std::collections::HashSet;

use plainly_protocol::types::SubscriptionFilter;

use crate::changes::Topic;
use crate::features::Features;
use crate::source::Sources;
use crate::store::Viewer;

/// The kinds of change that a server announces.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Announcements {
    /// Whether the program announces changes of everything that it offers.
    pub(crate) all: bool,
    /// Whether changes in sources are announced, by the sources or by the program.
    from_sources: bool,
    pub(crate) tools: bool,
    pub(crate) prompts: bool,
    /// Whether changes of the list of resources are announced.
    pub(crate) resources: bool,
    /// Whether changes of single resources are announced.
    pub(crate) updates: bool,
}

impl Announcements {
    /// The announcements. With `all`, the program announces changes of everything that it offers.
    pub(crate) fn new(all: bool, sources: &Sources) -> Self {
        let Features {
            tools,
            prompts,
            resources,
            ..
        } = &**sources.features();
        // The features of a source may differ between clients.
        let from_sources = all && !sources.is_plain() || sources.can_watch();
        let updates = from_sources || all && resources.is_served() || resources.can_watch();
        Self {
            all,
            from_sources,
            tools: from_sources || all && tools.is_served() || tools.is_dynamic(),
            prompts: from_sources || all && prompts.is_served() || prompts.is_dynamic(),
            resources: updates || resources.fixed().is_dynamic(),
            updates,
        }
    }

    /// The announced part of the changes that a client requests.
    pub(super) fn accept(
        self,
        asked: SubscriptionFilter,
        sources: &Sources,
        viewer: &Viewer,
    ) -> SubscriptionFilter {
        let mut accepted = self.lists_in(&asked);
        // A resource need not exist yet.
        let mut seen = HashSet::new();
        let mut uris = asked.resource_subscriptions.unwrap_or_default();
        uris.retain(|uri| self.has_resource(uri, sources, viewer) && seen.insert(uri.clone()));
        accepted.resource_subscriptions = (!uris.is_empty()).then_some(uris);
        accepted
    }

    /// The lists whose changes are announced.
    pub(super) fn lists(self) -> Vec<Topic> {
        let all = SubscriptionFilter::new()
            .tools_list_changed(true)
            .prompts_list_changed(true)
            .resources_list_changed(true);
        topics(&self.lists_in(&all), false)
    }

    fn lists_in(self, asked: &SubscriptionFilter) -> SubscriptionFilter {
        let mut accepted = SubscriptionFilter::new();
        accepted.tools_list_changed = asked.tools_list_changed.filter(|is| *is && self.tools);
        accepted.prompts_list_changed = asked.prompts_list_changed.filter(|is| *is && self.prompts);
        accepted.resources_list_changed = asked
            .resources_list_changed
            .filter(|is| *is && self.resources);
        accepted
    }

    /// Whether changes of the resource at `uri` are announced.
    pub(super) fn has_resource(self, uri: &str, sources: &Sources, viewer: &Viewer) -> bool {
        let resources = &sources.features().resources;
        resources.can_tell(uri, self.all, viewer) || self.from_sources
    }
}

/// The topics of an accepted filter. With `is_recursive`, also everything below its resources.
pub(super) fn topics(accepted: &SubscriptionFilter, is_recursive: bool) -> Vec<Topic> {
    let lists = [
        (accepted.tools_list_changed, Topic::Tools),
        (accepted.prompts_list_changed, Topic::Prompts),
        (accepted.resources_list_changed, Topic::Resources),
    ];
    let lists = lists
        .into_iter()
        .filter(|(is_accepted, _)| is_accepted.is_some());
    let uris = accepted.resource_subscriptions.iter().flatten();
    lists
        .map(|(_, list)| list)
        .chain(uris.flat_map(|uri| Topic::of_resource(uri, is_recursive)))
        .collect()
}
