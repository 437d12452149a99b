//! The table of the revisions' behaviour, with one row of traits for each. A row names every trait,
//! so a new revision compiles only when each of them is decided. Code that depends on a difference
//! checks the trait and never the revision.

use super::Revision;

/// The traits in which revisions differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a row of this table alone builds one, and must name every trait"
)]
pub struct Traits {
    /// The date that names the revision on the wire.
    pub name: &'static str,
    /// Whether `initialize` opens a session, in which either side may send requests. Otherwise each
    /// request identifies its sender in `_meta` and is independent of others.
    pub sessions: bool,
    /// Whether one message may be an array of several.
    pub batches: bool,
    /// Whether an error response may lack an `id`, if the message had none.
    pub errors_without_id: bool,
    /// Whether HTTP requests within a session carry `MCP-Protocol-Version`, and are rejected if it
    /// is wrong.
    pub version_header: bool,
    /// Whether headers of HTTP requests repeat the method, the name and some of the arguments, and
    /// must match them.
    pub mirrored_headers: bool,
    /// Whether closing the HTTP response cancels the request. Otherwise the client sends
    /// `notifications/cancelled`.
    pub cancelled_by_disconnect: bool,
    /// The part of a response that a client can recover after losing its HTTP connection.
    pub resumption: Resumption,
    /// Whether a server asks its client in the result of the client's request. Otherwise it sends
    /// its own request, if it can ask at all.
    pub asks_in_results: bool,
    /// The forms that a server can ask users to fill in.
    pub forms: Forms,
    /// The way to request that the user first visit a URL.
    pub url_mode: UrlMode,
    /// Whether sampling has tools, the capability `context`, and messages with several blocks.
    pub sampling_with_tools: bool,
}

/// The part of a response that a client can recover after losing its HTTP connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a choice that each revision makes")]
pub enum Resumption {
    /// Nothing: the response is lost with the connection.
    None,
    /// Everything after the last event that the client received, by the id of that event.
    EventIds,
    /// Like `EventIds`; and the first event is only an id, so that the server may close the
    /// connection and let the client poll (SEP-1699).
    Polling,
}

/// The forms that a server can ask users to fill in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a choice that each revision makes")]
pub enum Forms {
    /// No forms.
    None,
    /// Forms with a single choice from a list, a separate list of titles, and defaults only for
    /// yes-or-no questions.
    Simple,
    /// Forms with several choices, titled choices, and defaults for every type of field.
    Full,
}

/// The way to request that the user first visit a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(clippy::exhaustive_enums, reason = "a choice that each revision makes")]
pub enum UrlMode {
    /// Only in text, because the revision has no way to request it.
    None,
    /// By a special error, and a notification when the visit is over.
    Error,
    /// By a result that requests the visit.
    Result,
}

impl Revision {
    /// The behaviour of the revision where revisions differ.
    pub const fn traits(self) -> &'static Traits {
        match self {
            Self::V2024_11_05 => &V2024_11_05,
            Self::V2025_03_26 => &V2025_03_26,
            Self::V2025_06_18 => &V2025_06_18,
            Self::V2025_11_25 => &V2025_11_25,
            Self::V2026_07_28 => &V2026_07_28,
        }
    }
}

const V2024_11_05: Traits = Traits {
    name: "2024-11-05",
    sessions: true,
    batches: false,
    errors_without_id: false,
    version_header: false,
    mirrored_headers: false,
    cancelled_by_disconnect: false,
    resumption: Resumption::None,
    asks_in_results: false,
    forms: Forms::None,
    url_mode: UrlMode::None,
    sampling_with_tools: false,
};

const V2025_03_26: Traits = Traits {
    name: "2025-03-26",
    sessions: true,
    batches: true,
    errors_without_id: false,
    version_header: false,
    mirrored_headers: false,
    cancelled_by_disconnect: false,
    resumption: Resumption::EventIds,
    asks_in_results: false,
    forms: Forms::None,
    url_mode: UrlMode::None,
    sampling_with_tools: false,
};

const V2025_06_18: Traits = Traits {
    name: "2025-06-18",
    sessions: true,
    batches: false,
    errors_without_id: false,
    version_header: true,
    mirrored_headers: false,
    cancelled_by_disconnect: false,
    resumption: Resumption::EventIds,
    asks_in_results: false,
    forms: Forms::Simple,
    url_mode: UrlMode::None,
    sampling_with_tools: false,
};

const V2025_11_25: Traits = Traits {
    name: "2025-11-25",
    sessions: true,
    batches: false,
    errors_without_id: true,
    version_header: true,
    mirrored_headers: false,
    cancelled_by_disconnect: false,
    resumption: Resumption::Polling,
    asks_in_results: false,
    forms: Forms::Full,
    url_mode: UrlMode::Error,
    sampling_with_tools: true,
};

const V2026_07_28: Traits = Traits {
    name: "2026-07-28",
    sessions: false,
    batches: false,
    errors_without_id: true,
    version_header: true,
    mirrored_headers: true,
    cancelled_by_disconnect: true,
    resumption: Resumption::None,
    asks_in_results: true,
    forms: Forms::Full,
    url_mode: UrlMode::Result,
    sampling_with_tools: true,
};
