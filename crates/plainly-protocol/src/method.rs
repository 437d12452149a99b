//! The table of methods: the revisions that have each one, its sender, the capability that it needs
//! and the header that mirrors it. A method that a revision does not have is absent for it, so that
//! the caller gets the right error.

use plainly_errors::Revision;
use plainly_errors::revision::Revisions;

/// The facts about one method.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MethodRow {
    /// The method.
    pub method: Method,
    /// The name of the method on the wire.
    pub name: &'static str,
    /// Whether it is a request or a notification.
    pub kind: MessageKind,
    /// The side that sends the message.
    pub sender: Sender,
    /// The revisions that have the method.
    pub revisions: Revisions,
    /// The capability without which a server does not serve the method.
    pub capability: Option<Capability>,
    /// The member of `params` that names the tool, prompt, resource or task of the message.
    pub subject: Option<&'static str>,
    /// The member of `params` that the `Mcp-Name` header mirrors (2026-07-28, Standard Request Headers).
    pub name_header: Option<&'static str>,
    /// Whether the method changes nothing at the receiver, so that a failed request may be sent
    /// again.
    pub is_read_only: bool,
    /// Whether the result carries cache hints (2026-07-28, Caching).
    pub cacheable: bool,
    /// The member of the result that lists all items of one kind that a server has, page by page.
    pub listing: Option<&'static str>,
    /// The notification that the listing has changed.
    pub listing_changed: Option<Method>,
    /// Whether the server may ask for input before it answers (2026-07-28, Multi Round-Trip Requests).
    pub may_ask: bool,
    /// Whether the server may answer with the handle of a task (extension `io.modelcontextprotocol/tasks`, "Supported
    /// Methods").
    pub may_continue: bool,
}

/// Whether a message expects a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "JSON-RPC has these two")]
pub enum MessageKind {
    /// A request, which expects a response.
    Request,
    /// A notification, which expects none.
    Notification,
}

/// The side that sends a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "there are two sides")]
pub enum Sender {
    /// Only a client sends it.
    Client,
    /// Only a server sends it.
    Server,
    /// Either side may send it.
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
    /// `extensions["io.modelcontextprotocol/skills"]`
    Skills,
}

// The revisions that have each feature, oldest first.
/// The later revision asks inside results.
const ELICITATION: Revisions = Revisions([false, false, true, true, false]);
const ELICITATION_COMPLETE: Revisions = Revisions([false, false, false, true, false]);

const REQUEST: MethodRow = MethodRow {
    method: Method::Ping,
    name: "",
    kind: MessageKind::Request,
    sender: Sender::Client,
    revisions: Revisions::ALL,
    capability: None,
    subject: None,
    name_header: None,
    is_read_only: false,
    cacheable: false,
    listing: None,
    listing_changed: None,
    may_ask: false,
    may_continue: false,
};
const READ: MethodRow = MethodRow {
    is_read_only: true,
    ..REQUEST
};
const CLIENT_NOTIFICATION: MethodRow = MethodRow {
    kind: MessageKind::Notification,
    ..REQUEST
};
const RESOURCES: MethodRow = MethodRow {
    capability: Some(Capability::Resources),
    subject: Some("uri"),
    ..REQUEST
};
const TOOLS: MethodRow = MethodRow {
    capability: Some(Capability::Tools),
    ..REQUEST
};
const SKILLS: MethodRow = MethodRow {
    capability: Some(Capability::Skills),
    ..REQUEST
};
const PROMPTS: MethodRow = MethodRow {
    capability: Some(Capability::Prompts),
    ..REQUEST
};
const TASKS: MethodRow = MethodRow {
    capability: Some(Capability::Tasks),
    revisions: Revisions::MODERN,
    subject: Some("taskId"),
    name_header: Some("taskId"),
    ..REQUEST
};
const SERVER_NOTIFICATION: MethodRow = MethodRow {
    sender: Sender::Server,
    ..CLIENT_NOTIFICATION
};
/// A request that a server sends in legacy revisions. The later revision asks inside results.
const QUESTION: MethodRow = MethodRow {
    sender: Sender::Server,
    revisions: Revisions::LEGACY,
    ..REQUEST
};
const SUBSCRIBE: MethodRow = MethodRow {
    capability: Some(Capability::ResourcesSubscribe),
    revisions: Revisions::LEGACY,
    subject: Some("uri"),
    ..REQUEST
};

/// A method that lists the items of the methods in `base`.
const fn list(base: MethodRow, member: &'static str, changed: Method) -> MethodRow {
    MethodRow {
        is_read_only: true,
        cacheable: true,
        listing: Some(member),
        listing_changed: Some(changed),
        ..base
    }
}

/// Declares the enum and its table from the same rows, so that neither can have a row that the
/// other lacks.
macro_rules! methods {
    ($($(#[doc = $more:literal])? $method:ident = $name:literal { $($facts:tt)* })+) => {
        /// A method that this implementation knows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(
            clippy::exhaustive_enums,
            reason = "a new method must be a compile error wherever methods lead somewhere"
        )]
        pub enum Method {
            $(#[doc = concat!("`", $name, "`" $(, $more)?)] $method,)+
        }

        /// In the order of [`Method`], so that a method can find its row by index.
        static METHODS: &[MethodRow] = &[
            $(MethodRow { method: Method::$method, name: $name, $($facts)* },)+
        ];
    };
}

methods! {
    Discover = "server/discover" { revisions: Revisions::MODERN, cacheable: true, ..READ }
    Initialize = "initialize" { revisions: Revisions::LEGACY, ..REQUEST }
    Ping = "ping" { sender: Sender::Either, revisions: Revisions::LEGACY, ..READ }
    ListResources = "resources/list" { ..list(RESOURCES, "resources", Method::ResourcesChanged) }
    ListResourceTemplates = "resources/templates/list" {
        subject: None, ..list(RESOURCES, "resourceTemplates", Method::ResourcesChanged)
    }
    ReadResource = "resources/read" {
        name_header: Some("uri"), is_read_only: true, cacheable: true, may_ask: true, ..RESOURCES
    }
    /// (SEP-2093)
    ResourceMetadata = "resources/metadata" { is_read_only: true, ..RESOURCES }
    /// (SEP-2640)
    ReadDirectory = "resources/directory/read" { is_read_only: true, ..RESOURCES }
    Subscribe = "resources/subscribe" { ..SUBSCRIBE }
    Unsubscribe = "resources/unsubscribe" { ..SUBSCRIBE }
    ListTools = "tools/list" { ..list(TOOLS, "tools", Method::ToolsChanged) }
    CallTool = "tools/call" { subject: Some("name"), name_header: Some("name"), may_ask: true, may_continue: true, ..TOOLS }
    ListPrompts = "prompts/list" { ..list(PROMPTS, "prompts", Method::PromptsChanged) }
    GetPrompt = "prompts/get" {
        subject: Some("name"), name_header: Some("name"), is_read_only: true, may_ask: true, ..PROMPTS
    }
    Complete = "completion/complete" { capability: Some(Capability::Completions), ..READ }
    SetLevel = "logging/setLevel" { capability: Some(Capability::Logging), revisions: Revisions::LEGACY, ..REQUEST }
    Listen = "subscriptions/listen" { revisions: Revisions::MODERN, ..REQUEST }
    Elicit = "elicitation/create" { revisions: ELICITATION, ..QUESTION }
    CreateMessage = "sampling/createMessage" { ..QUESTION }
    ListRoots = "roots/list" { ..QUESTION }
    /// (extension `io.modelcontextprotocol/tasks`, as the next two)
    GetTask = "tasks/get" { is_read_only: true, ..TASKS }
    UpdateTask = "tasks/update" { ..TASKS }
    CancelTask = "tasks/cancel" { ..TASKS }
    // Skills are resources and have no notification of their own.
    /// (SEP-2640, as the next one)
    ListSkills = "skills/list" { ..list(SKILLS, "skills", Method::ResourcesChanged) }
    GetSkill = "skills/get" { subject: Some("uri"), is_read_only: true, cacheable: true, ..SKILLS }
    Initialized = "notifications/initialized" { revisions: Revisions::LEGACY, ..CLIENT_NOTIFICATION }
    Cancelled = "notifications/cancelled" { sender: Sender::Either, ..CLIENT_NOTIFICATION }
    Progress = "notifications/progress" { sender: Sender::Either, ..CLIENT_NOTIFICATION }
    LoggingMessage = "notifications/message" { ..SERVER_NOTIFICATION }
    ResourceUpdated = "notifications/resources/updated" { ..SERVER_NOTIFICATION }
    ResourcesChanged = "notifications/resources/list_changed" { ..SERVER_NOTIFICATION }
    ToolsChanged = "notifications/tools/list_changed" { ..SERVER_NOTIFICATION }
    PromptsChanged = "notifications/prompts/list_changed" { ..SERVER_NOTIFICATION }
    Acknowledged = "notifications/subscriptions/acknowledged" { revisions: Revisions::MODERN, ..SERVER_NOTIFICATION }
    ElicitationComplete = "notifications/elicitation/complete" { revisions: ELICITATION_COMPLETE, ..SERVER_NOTIFICATION }
    RootsChanged = "notifications/roots/list_changed" { revisions: Revisions::LEGACY, ..CLIENT_NOTIFICATION }
    /// (extension `io.modelcontextprotocol/tasks`)
    TaskChanged = "notifications/tasks" { revisions: Revisions::MODERN, ..SERVER_NOTIFICATION }
}

/// All rows.
pub fn methods() -> &'static [MethodRow] {
    METHODS
}

impl Method {
    /// The method with this name.
    pub fn named(name: &str) -> Option<Self> {
        let row = METHODS.iter().find(|row| row.name == name)?;
        Some(row.method)
    }

    /// The method with this name, if `revision` has it.
    pub fn find(name: &str, revision: Revision) -> Option<Self> {
        // A method of another revision is as unknown here as one that does not exist.
        Self::named(name).filter(|method| method.is_in(revision))
    }

    /// Whether `revision` has the method.
    pub fn is_in(self, revision: Revision) -> bool {
        self.row().revisions.has(revision)
    }

    /// The facts about the method.
    pub fn row(self) -> &'static MethodRow {
        &METHODS[self as usize]
    }

    /// The name of the method on the wire.
    pub fn name(self) -> &'static str {
        self.row().name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_header_mirrors_is_the_subject() {
        for row in methods().iter().filter(|row| row.name_header.is_some()) {
            assert_eq!(row.name_header, row.subject, "{}", row.name);
        }
    }

    #[test]
    fn each_list_has_its_facts_and_what_is_cacheable_only_reads() {
        for row in methods() {
            let is_list = row.sender == Sender::Client && row.name.ends_with("/list");
            assert_eq!(row.listing.is_some(), is_list, "{}", row.name);
            assert!(row.is_read_only || !row.cacheable, "{}", row.name);
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
