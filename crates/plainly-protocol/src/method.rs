//! THE table of methods: which exist in which revision, which way they go, what they need and mirror. A method that a
//! revision does not have is absent for it, so the right error follows by itself.

use plainly_errors::Revision;

/// A method that this implementation knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a new method must be a compile error wherever methods lead somewhere"
)]
pub enum Method {
    /// `server/discover`
    Discover,
    /// `initialize`
    Initialize,
    /// `ping`
    Ping,
    /// `resources/list`
    ListResources,
    /// `resources/templates/list`
    ListResourceTemplates,
    /// `resources/read`
    ReadResource,
    /// `resources/metadata` (SEP-2093)
    ResourceMetadata,
    /// `resources/directory/read` (SEP-2640)
    ReadDirectory,
    /// `resources/subscribe`
    Subscribe,
    /// `resources/unsubscribe`
    Unsubscribe,
    /// `tools/list`
    ListTools,
    /// `tools/call`
    CallTool,
    /// `prompts/list`
    ListPrompts,
    /// `prompts/get`
    GetPrompt,
    /// `completion/complete`
    Complete,
    /// `logging/setLevel`
    SetLevel,
    /// `subscriptions/listen`
    Listen,
    /// `elicitation/create`
    Elicit,
    /// `sampling/createMessage`
    CreateMessage,
    /// `roots/list`
    ListRoots,
    /// `tasks/get` (extension `io.modelcontextprotocol/tasks`, as the next two)
    GetTask,
    /// `tasks/update`
    UpdateTask,
    /// `tasks/cancel`
    CancelTask,
    /// `notifications/initialized`
    Initialized,
    /// `notifications/cancelled`
    Cancelled,
    /// `notifications/progress`
    Progress,
    /// `notifications/message`
    LoggingMessage,
    /// `notifications/resources/updated`
    ResourceUpdated,
    /// `notifications/resources/list_changed`
    ResourcesChanged,
    /// `notifications/tools/list_changed`
    ToolsChanged,
    /// `notifications/prompts/list_changed`
    PromptsChanged,
    /// `notifications/subscriptions/acknowledged`
    Acknowledged,
    /// `notifications/elicitation/complete`
    ElicitationComplete,
    /// `notifications/roots/list_changed`
    RootsChanged,
    /// `notifications/tasks` (extension `io.modelcontextprotocol/tasks`)
    TaskChanged,
}

/// What is known of one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// The method.
    pub method: Method,
    /// Its name on the wire.
    pub name: &'static str,
    /// Request or notification.
    pub kind: Kind,
    /// Who sends it.
    pub sender: Sender,
    /// The first revision that has it.
    pub first: Option<Revision>,
    /// The last revision that has it.
    pub last: Option<Revision>,
    /// The server capability without which a server does not serve it.
    pub capability: Option<Capability>,
    /// The member of `params` that the `Mcp-Name` header mirrors (2026-07-28, Standard Request Headers).
    pub name_header: Option<&'static str>,
    /// Whether its result carries cache hints (2026-07-28, Caching).
    pub cacheable: bool,
    /// Whether the server may ask for input before it answers (2026-07-28, Multi Round-Trip Requests).
    pub may_ask: bool,
}

/// Whether a message wants a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC has these two")]
pub enum Kind {
    /// It does.
    Request,
    /// It does not.
    Notification,
}

/// Which side sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there are two sides")]
pub enum Sender {
    /// Only a client does.
    Client,
    /// Only a server does.
    Server,
    /// Either side may.
    Either,
}

/// A server capability that methods depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Capability {
    /// `resources`
    Resources,
    /// `resources.subscribe`
    ResourcesSubscribe,
    /// `tools`
    Tools,
    /// `prompts`
    Prompts,
    /// `completions`
    Completions,
    /// `logging`
    Logging,
    /// `extensions["io.modelcontextprotocol/tasks"]`
    Tasks,
}

const LEGACY: Option<Revision> = Some(Revision::LATEST_LEGACY);
const MODERN: Option<Revision> = Some(Revision::V2026_07_28);

const ELICITATION: Option<Revision> = Some(Revision::V2025_06_18);

const REQUEST: Row = Row {
    method: Method::Ping,
    name: "",
    kind: Kind::Request,
    sender: Sender::Client,
    first: None,
    last: None,
    capability: None,
    name_header: None,
    cacheable: false,
    may_ask: false,
};
const NOTIFICATION: Row = Row {
    kind: Kind::Notification,
    ..REQUEST
};
const RESOURCES: Row = Row {
    capability: Some(Capability::Resources),
    ..REQUEST
};
const TOOLS: Row = Row {
    capability: Some(Capability::Tools),
    ..REQUEST
};
const PROMPTS: Row = Row {
    capability: Some(Capability::Prompts),
    ..REQUEST
};
const TASKS: Row = Row {
    capability: Some(Capability::Tasks),
    first: MODERN,
    name_header: Some("taskId"),
    ..REQUEST
};
const NEWS: Row = Row {
    sender: Sender::Server,
    ..NOTIFICATION
};
/// Later revisions ask within results.
const QUESTION: Row = Row {
    sender: Sender::Server,
    last: LEGACY,
    ..REQUEST
};
const SUBSCRIBE: Row = Row {
    capability: Some(Capability::ResourcesSubscribe),
    last: LEGACY,
    ..REQUEST
};

/// In the order of [`Method`], so that a method finds its row by position.
#[rustfmt::skip]
static METHODS: [Row; 35] = [
    Row { method: Method::Discover, name: "server/discover", first: MODERN, cacheable: true, ..REQUEST },
    Row { method: Method::Initialize, name: "initialize", last: LEGACY, ..REQUEST },
    Row { method: Method::Ping, name: "ping", sender: Sender::Either, last: LEGACY, ..REQUEST },
    Row { method: Method::ListResources, name: "resources/list", cacheable: true, ..RESOURCES },
    Row { method: Method::ListResourceTemplates, name: "resources/templates/list", cacheable: true, ..RESOURCES },
    Row { method: Method::ReadResource, name: "resources/read", name_header: Some("uri"), cacheable: true, may_ask: true, ..RESOURCES },
    Row { method: Method::ResourceMetadata, name: "resources/metadata", ..RESOURCES },
    Row { method: Method::ReadDirectory, name: "resources/directory/read", ..RESOURCES },
    Row { method: Method::Subscribe, name: "resources/subscribe", ..SUBSCRIBE },
    Row { method: Method::Unsubscribe, name: "resources/unsubscribe", ..SUBSCRIBE },
    Row { method: Method::ListTools, name: "tools/list", cacheable: true, ..TOOLS },
    Row { method: Method::CallTool, name: "tools/call", name_header: Some("name"), may_ask: true, ..TOOLS },
    Row { method: Method::ListPrompts, name: "prompts/list", cacheable: true, ..PROMPTS },
    Row { method: Method::GetPrompt, name: "prompts/get", name_header: Some("name"), may_ask: true, ..PROMPTS },
    Row { method: Method::Complete, name: "completion/complete", capability: Some(Capability::Completions), ..REQUEST },
    Row { method: Method::SetLevel, name: "logging/setLevel", capability: Some(Capability::Logging), last: LEGACY, ..REQUEST },
    Row { method: Method::Listen, name: "subscriptions/listen", first: MODERN, ..REQUEST },
    Row { method: Method::Elicit, name: "elicitation/create", first: ELICITATION, ..QUESTION },
    Row { method: Method::CreateMessage, name: "sampling/createMessage", ..QUESTION },
    Row { method: Method::ListRoots, name: "roots/list", ..QUESTION },
    Row { method: Method::GetTask, name: "tasks/get", ..TASKS },
    Row { method: Method::UpdateTask, name: "tasks/update", ..TASKS },
    Row { method: Method::CancelTask, name: "tasks/cancel", ..TASKS },
    Row { method: Method::Initialized, name: "notifications/initialized", last: LEGACY, ..NOTIFICATION },
    Row { method: Method::Cancelled, name: "notifications/cancelled", sender: Sender::Either, ..NOTIFICATION },
    Row { method: Method::Progress, name: "notifications/progress", sender: Sender::Either, ..NOTIFICATION },
    Row { method: Method::LoggingMessage, name: "notifications/message", ..NEWS },
    Row { method: Method::ResourceUpdated, name: "notifications/resources/updated", ..NEWS },
    Row { method: Method::ResourcesChanged, name: "notifications/resources/list_changed", ..NEWS },
    Row { method: Method::ToolsChanged, name: "notifications/tools/list_changed", ..NEWS },
    Row { method: Method::PromptsChanged, name: "notifications/prompts/list_changed", ..NEWS },
    Row { method: Method::Acknowledged, name: "notifications/subscriptions/acknowledged", first: MODERN, ..NEWS },
    Row { method: Method::ElicitationComplete, name: "notifications/elicitation/complete", first: LEGACY, last: LEGACY, ..NEWS },
    Row { method: Method::RootsChanged, name: "notifications/roots/list_changed", last: LEGACY, ..NOTIFICATION },
    Row { method: Method::TaskChanged, name: "notifications/tasks", first: MODERN, ..NEWS },
];

/// Every row.
pub fn methods() -> &'static [Row] {
    &METHODS
}

impl Method {
    /// The method of this name, if `revision` has it.
    pub fn find(name: &str, revision: Revision) -> Option<Self> {
        let row = METHODS.iter().find(|row| row.name == name)?;
        revision.within(row.first, row.last).then_some(row.method)
    }

    /// What is known of it.
    pub fn row(self) -> &'static Row {
        &METHODS[self as usize]
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_method_finds_its_own_row() {
        for (position, row) in methods().iter().enumerate() {
            assert_eq!(row.method as usize, position, "{}", row.name);
            assert_eq!(row.method.row(), row);
        }
    }

    #[test]
    fn what_a_revision_does_not_have_is_absent_for_it() {
        let cases = [
            (
                "initialize",
                Revision::V2025_11_25,
                Some(Method::Initialize),
            ),
            ("initialize", Revision::V2026_07_28, None),
            ("ping", Revision::V2026_07_28, None),
            ("server/discover", Revision::V2025_11_25, None),
            (
                "server/discover",
                Revision::V2026_07_28,
                Some(Method::Discover),
            ),
            (
                "resources/subscribe",
                Revision::V2024_11_05,
                Some(Method::Subscribe),
            ),
            ("resources/subscribe", Revision::V2026_07_28, None),
            (
                "logging/setLevel",
                Revision::V2025_11_25,
                Some(Method::SetLevel),
            ),
            ("logging/setLevel", Revision::V2026_07_28, None),
            ("tools/call", Revision::V2024_11_05, Some(Method::CallTool)),
            ("tasks/get", Revision::V2025_11_25, None),
            ("tasks/get", Revision::V2026_07_28, Some(Method::GetTask)),
            ("tasks/result", Revision::V2026_07_28, None),
            ("Tools/Call", Revision::V2024_11_05, None),
            ("", Revision::V2026_07_28, None),
        ];
        for (name, revision, expected) in cases {
            assert_eq!(Method::find(name, revision), expected, "{name} {revision}");
        }
    }
}
