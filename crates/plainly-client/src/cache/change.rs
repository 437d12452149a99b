//! Changes that a server reports, of which cached results are outdated.

use plainly_protocol::method::Method;

/// A change that a server reports.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Change {
    /// The resource at this URI is another, or it is no longer there: one that was subscribed to, or one inside of it.
    Resource(String),
    /// There are other resources to be listed.
    Resources,
    /// There are other tools.
    Tools,
    /// There are other prompts.
    Prompts,
    /// The task of this id has come further: [ask](crate::TaskHandle::get) how far.
    Task(String),
    /// More changed than was kept until it was read, or the stream was interrupted: look again at all that matters.
    Missed,
}

impl Change {
    /// The change of a listing in a notification of `method`, if it is about one.
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

/// Whether the resource at `uri` is `asked`, or a sub-resource of it, which an update may be about as well
/// (`ResourceUpdatedNotification`). The specification doesn't define these, so URIs are compared by their parts.
pub(crate) fn is_inside(uri: &str, asked: &str) -> bool {
    let rest = uri.strip_prefix(asked);
    rest.is_some_and(|rest| {
        rest.is_empty() || asked.ends_with('/') || rest.starts_with(['/', '?', '#'])
    })
}
