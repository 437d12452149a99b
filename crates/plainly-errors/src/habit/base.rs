//! The base rows of the [table](super::table), with the members that several habits share.

use super::{GOING_AWAY, Habit, Meaning, no_prompt, no_resource, no_tool, refused};
use crate::kind::InvalidRequest;
use crate::problem::ProblemCode;
use crate::registry::table::INVALID_PARAMS;

pub(super) const ANY_METHOD: &[&str] = &[];
pub(super) const READ: &[&str] = &[
    "resources/read",
    "resources/metadata",
    "resources/subscribe",
];
pub(super) const TOOL: &[&str] = &["tools/call"];
pub(super) const PROMPT: &[&str] = &["prompts/get"];
pub(super) const EVENTS: &[&str] = &[
    "events/list",
    "events/subscribe",
    "events/unsubscribe",
    "events/poll",
    "events/stream",
];

pub(super) const ANY_DATA: &str = "any";
pub(super) const NOTHING_THERE: &str = "the resource does not exist";
pub(super) const NO_TOOL: &str = "the tool does not exist";
pub(super) const NO_PROMPT: &str = "the prompt does not exist";
pub(super) const NO_SESSION: &str = "the session is unknown or has expired: initialize again";
pub(super) const SESSION_WANTED: &str = "the server works by sessions, and the request names none";
pub(super) const TIMED_OUT: &str = "it took too long, here or behind a proxy";

/// A missing resource, recognised by the message alone. Rows with other meanings override it.
pub(super) const MISSING: Habit = Habit {
    sender: "",
    methods: READ,
    code: INVALID_PARAMS,
    messages: &[],
    data: ANY_DATA,
    http_status: None,
    meaning: NOTHING_THERE,
    source: "",
    read: no_resource,
};
pub(super) const UNKNOWN_TOOL: Habit = Habit {
    methods: TOOL,
    meaning: NO_TOOL,
    read: no_tool,
    ..MISSING
};
pub(super) const UNKNOWN_PROMPT: Habit = Habit {
    methods: PROMPT,
    meaning: NO_PROMPT,
    read: no_prompt,
    ..MISSING
};
pub(super) const LOST_SESSION: Habit = Habit {
    methods: ANY_METHOD,
    meaning: NO_SESSION,
    read: |_, _| Some(refused(InvalidRequest::SessionNotFound)),
    ..MISSING
};
pub(super) const WITHOUT_SESSION: Habit = Habit {
    methods: ANY_METHOD,
    http_status: Some(400),
    meaning: SESSION_WANTED,
    read: |_, _| Some(refused(InvalidRequest::SessionRequired)),
    ..MISSING
};
pub(super) const TIMEOUT: Habit = Habit {
    methods: ANY_METHOD,
    meaning: TIMED_OUT,
    read: |_, _| Some(Meaning::Problem(ProblemCode::Timeout)),
    ..MISSING
};
pub(super) const TOO_MANY: Habit = Habit {
    methods: ANY_METHOD,
    meaning: "too many requests: try again later",
    read: |_, _| Some(Meaning::Problem(ProblemCode::RateLimitExceeded)),
    ..MISSING
};
/// An error of the draft of events, with any message.
pub(super) const EVENT: Habit = Habit {
    sender: "servers with the draft of events",
    methods: EVENTS,
    messages: &["*"],
    source: "experimental-ext-triggers-events, docs/design-sketch-proposal.md; SEP-3415 gives it another number",
    ..MISSING
};
pub(super) const FORBIDDEN: Habit = Habit {
    methods: ANY_METHOD,
    meaning: "this caller may not do that",
    read: |_, _| Some(Meaning::Problem(ProblemCode::AccessDenied)),
    ..MISSING
};

pub(super) const ENDING: Habit = Habit {
    methods: ANY_METHOD,
    meaning: "the server is shutting down, or the one behind a proxy has ended",
    read: |_, _| Some(GOING_AWAY),
    ..MISSING
};
pub(super) const CANDIDATE: Habit = Habit {
    sender: "implementations of the release candidate of 2026-07-28",
    methods: ANY_METHOD,
    messages: &["*"],
    source: "SEP-2243; MCP 2026-07-28, changelog",
    ..MISSING
};
