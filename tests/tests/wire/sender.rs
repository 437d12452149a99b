//! The senders of requests: a modern client, and one with a session of an older revision.

use plainly::errors::Revision;
use plainly_tests::valid::Conversation;

/// The revision without sessions.
pub(crate) const MODERN: &str = "2026-07-28";

/// The revisions with sessions, oldest first.
pub(crate) const LEGACY: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

/// The `_meta` of each request of a modern client.
pub(crate) const META: &str = r#"{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// A client of one revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sender {
    Modern,
    Legacy(&'static str),
}

impl Sender {
    /// Senders of all revisions.
    pub(crate) fn all() -> Vec<Self> {
        let legacy = LEGACY.map(Self::Legacy);
        [&[Self::Modern], &legacy[..]].concat()
    }

    /// Senders of all legacy revisions.
    pub(crate) fn legacy() -> Vec<Self> {
        LEGACY.map(Self::Legacy).to_vec()
    }

    /// Replaces each `META` in `template` with this client's `_meta`.
    pub(crate) fn fill(self, template: &[u8]) -> Vec<u8> {
        let meta = match self {
            Self::Modern => META,
            Self::Legacy(_) => "{}",
        };
        let Ok(text) = std::str::from_utf8(template) else {
            return replace(template, b"META", meta.as_bytes());
        };
        text.replace("META", meta).into_bytes()
    }

    /// The sender's revision.
    pub(crate) fn revision(self) -> Revision {
        match self {
            Self::Modern => Revision::LATEST,
            Self::Legacy(revision) => revision.parse().unwrap(),
        }
    }

    /// The conversation of this client, once its session is open, if it has one.
    pub(crate) fn conversation(self) -> Conversation {
        match self {
            Self::Modern => Conversation::new(),
            Self::Legacy(_) => Conversation::of_session(self.revision()),
        }
    }

    /// Whether the revision has error responses without an id.
    pub(crate) fn has_errors_without_id(self) -> bool {
        matches!(self, Self::Modern | Self::Legacy("2025-11-25"))
    }
}

fn replace(bytes: &[u8], what: &[u8], by: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = bytes;
    while let Some(at) = rest.windows(what.len()).position(|window| window == what) {
        out.extend_from_slice(&rest[..at]);
        out.extend_from_slice(by);
        rest = &rest[at + what.len()..];
    }
    out.extend_from_slice(rest);
    out
}

/// The `initialize` request for a revision.
pub(crate) fn initialize(id: &str, revision: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"initialize","params":{{"protocolVersion":"{revision}","capabilities":{{}},"clientInfo":{{"name":"client","version":"1"}}}}}}"#
    )
}

/// A request whose params begin with `_meta`. `more` has their other members, such as
/// `"name":"echo"`.
pub(crate) fn request(id: &str, method: &str, more: &str) -> String {
    let comma = if more.is_empty() { "" } else { "," };
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{"_meta":META{comma}{more}}}}}"#
    )
}

/// A call of a tool.
pub(crate) fn call(id: &str, tool: &str, arguments: &str) -> String {
    request(
        id,
        "tools/call",
        &format!(r#""name":"{tool}","arguments":{arguments}"#),
    )
}

/// A call of the tool `echo` or `slow`.
pub(crate) fn say(id: &str, tool: &str, text: &str) -> String {
    call(id, tool, &format!(r#"{{"text":"{text}"}}"#))
}

/// A cancellation.
pub(crate) fn cancel(id: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"test"}}}}"#
    )
}
