//! Changes that a server reports, which make cached results outdated.

use plainly_protocol::method::Method;

/// A change that a server reports.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The resource at this URI has changed, or is no longer there. It is a resource that was
    /// subscribed to, or one inside of it.
    Resource(String),
    /// The list of resources has changed.
    Resources,
    /// The list of tools has changed.
    Tools,
    /// The list of prompts has changed.
    Prompts,
    /// The task with this id has a new state: [get](crate::TaskHandle::get) it.
    Task(String),
    /// Changes were lost, because more came than the client stores, or because the stream was
    /// interrupted. Read again all that matters.
    Missed,
}

impl Change {
    /// The change of a listing that a notification of `method` reports, if it reports one.
    pub(crate) fn of_listing(method: Method) -> Option<Self> {
        let rows = [
            (Method::ResourcesChanged, Self::Resources),
            (Method::ToolsChanged, Self::Tools),
            (Method::PromptsChanged, Self::Prompts),
        ];
        let row = rows.into_iter().find(|(row, _)| *row == method);
        row.map(|(_, change)| change)
    }
}

/// Whether the resource at `uri` is `asked` or a sub-resource of it, because an update may be about
/// a sub-resource as well (`ResourceUpdatedNotification`). The specification doesn't define
/// sub-resources, so URIs are compared by their parts.
pub(crate) fn is_inside(uri: &str, asked: &str) -> bool {
    let rest = uri.strip_prefix(asked);
    rest.is_some_and(|rest| {
        rest.is_empty() || asked.ends_with('/') || rest.starts_with(['/', '?', '#'])
    })
}
