//! THE table: one row for each error code that JSON-RPC or any revision of MCP ever defined. The dialects, the
//! recogniser, the policy and the documentation read it; the numbers stand nowhere else.

use std::fmt;

use crate::code::{ApplicationCode, Code};
use crate::revision::Revision;

pub(crate) const PARSE_ERROR: Code = Code::new(-32700);
pub(crate) const INVALID_REQUEST: Code = Code::new(-32600);
pub(crate) const METHOD_NOT_FOUND: Code = Code::new(-32601);
pub(crate) const INVALID_PARAMS: Code = Code::new(-32602);
pub(crate) const INTERNAL_ERROR: Code = Code::new(-32603);
pub(crate) const RESOURCE_NOT_FOUND: Code = Code::new(-32002);
pub(crate) const HEADER_MISMATCH: Code = Code::new(-32020);
pub(crate) const MISSING_CLIENT_CAPABILITY: Code = Code::new(-32021);
pub(crate) const UNSUPPORTED_VERSION: Code = Code::new(-32022);
pub(crate) const URL_ELICITATION_REQUIRED: Code = Code::new(-32042);

/// Ours, not the protocol's: the server takes no more requests now. An application code, as every code of our own.
pub(crate) const UNAVAILABLE: ApplicationCode = ApplicationCode::of::<503>();

/// What is known of one code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Entry {
    /// The code.
    pub code: Code,
    /// Its name in the specification that defines it.
    pub name: &'static str,
    /// What it says.
    pub meaning: &'static str,
    /// The first revision that defines it; `None`: defined by JSON-RPC, so by all, or never by a released one.
    pub first: Option<Revision>,
    /// The last revision that defines it; `None`: still defined.
    pub last: Option<Revision>,
    /// Whether we may send it.
    pub emit: Emit,
    /// What a receiver may assume.
    pub receive: &'static str,
    /// The shape of `data`.
    pub data: &'static str,
    /// The status of the HTTP response that carries it.
    pub http_status: &'static str,
    /// Whether sending the request again helps.
    pub retry: Retry,
    /// What whoever receives it does about it.
    pub advice: &'static str,
    /// The document that says so.
    pub source: &'static str,
}

/// Whether a code may be sent by us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Emit {
    /// On the revisions that define it.
    Defined,
    /// On the revisions that define it, but only with [`Dialect::PerRevision`](crate::Dialect::PerRevision).
    PerRevision,
    /// Never: it is history.
    Never,
}

/// Whether sending the same request again may succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Retry {
    /// No.
    Never,
    /// Once what is wrong with the request is mended.
    AfterFix,
    /// After a pause, if the request may be sent twice.
    AfterDelay,
    /// At once.
    Immediately,
}

impl Retry {
    /// Its name: `never`, `after-fix`, `after-delay` or `immediately`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Never => "never",
            Self::AfterFix => "after-fix",
            Self::AfterDelay => "after-delay",
            Self::Immediately => "immediately",
        }
    }

    /// What to do about an error of which nothing else is known.
    pub const fn advice(self) -> &'static str {
        match self {
            Self::Never => "don't send the request again: it would fail again",
            Self::AfterFix => "mend what the message names, and send the request again",
            Self::AfterDelay => {
                "send the request again after a pause, as long as the error says, if it may be served twice"
            }
            Self::Immediately => "send the request again at once",
        }
    }
}

impl fmt::Display for Retry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

const JSON_RPC: &str = "JSON-RPC 2.0, section 5.1";
const ERROR_CODES: &str = "MCP 2026-07-28, basic/index, Error Codes";
const RELEASE_CANDIDATE: &str =
    "MCP 2026-07-28 release candidate, renumbered by the error code allocation policy";
const ANY: &str = "assume its meaning, on every revision";
const NOTHING: &str = "assume nothing: implementations used it for different things";

static REGISTRY: [Entry; 14] = [
    Entry {
        code: PARSE_ERROR,
        name: "ParseError",
        meaning: "the message is not JSON in UTF-8",
        first: None,
        last: None,
        emit: Emit::Defined,
        receive: ANY,
        data: "none",
        http_status: "400",
        retry: Retry::AfterFix,
        advice: "mend what writes the messages: they must be JSON in UTF-8",
        source: JSON_RPC,
    },
    Entry {
        code: INVALID_REQUEST,
        name: "InvalidRequest",
        meaning: "the JSON is not a request that can be served here",
        first: None,
        last: None,
        emit: Emit::Defined,
        receive: ANY,
        data: "none, or an object with kind",
        http_status: "400; 404 for an unknown session; what HTTP has for a refusal (403, 405, 406, 408, 409, 413, 415)",
        retry: Retry::AfterFix,
        advice: "data.kind says what is wrong; where a session is missing or unknown, send initialize again",
        source: JSON_RPC,
    },
    Entry {
        code: METHOD_NOT_FOUND,
        name: "MethodNotFound",
        meaning: "nobody serves the method",
        first: None,
        last: None,
        emit: Emit::Defined,
        receive: ANY,
        data: "{ method }",
        http_status: "404 on 2026-07-28, 200 before",
        retry: Retry::Never,
        advice: "ask only for what the server declares among its capabilities",
        source: JSON_RPC,
    },
    Entry {
        code: INVALID_PARAMS,
        name: "InvalidParams",
        meaning: "the parameters are wrong; with data exactly { uri }: the resource does not exist",
        first: None,
        last: None,
        emit: Emit::Defined,
        receive: ANY,
        data: "{ uri } for a missing resource; { requiredCapabilities } or { supported, requested } before 2026-07-28; \
               else none, an object with kind or a problem's with code",
        http_status: "200; 400 where params is not an object, or _meta or the version is wrong",
        retry: Retry::AfterFix,
        advice: "with data exactly { uri }: list the resources again; else correct the parameters as the message says",
        source: "JSON-RPC 2.0, section 5.1; SEP-2164",
    },
    Entry {
        code: INTERNAL_ERROR,
        name: "InternalError",
        meaning: "something failed inside the server",
        first: None,
        last: None,
        emit: Emit::Defined,
        receive: ANY,
        data: "none; { elicitations } on the revisions without -32042; else an object with kind or a problem's with code",
        http_status: "200",
        retry: Retry::AfterDelay,
        advice: "try again after a pause if the request may be served twice; then ask who runs the server, whose log has the cause",
        source: JSON_RPC,
    },
    Entry {
        code: HEADER_MISMATCH,
        name: "HeaderMismatch",
        meaning: "HTTP headers that mirror the body are missing, malformed or contradict it",
        first: Some(Revision::V2026_07_28),
        last: None,
        emit: Emit::Defined,
        receive: ANY,
        data: "none",
        http_status: "400",
        retry: Retry::AfterFix,
        advice: "list the tools again, write the headers from the body anew, and send the request again",
        source: "MCP 2026-07-28, basic/transports/streamable-http, Server Validation",
    },
    Entry {
        code: MISSING_CLIENT_CAPABILITY,
        name: "MissingRequiredClientCapability",
        meaning: "the request takes a capability that the client did not declare",
        first: Some(Revision::V2026_07_28),
        last: None,
        emit: Emit::Defined,
        receive: ANY,
        data: "{ requiredCapabilities }",
        http_status: "400",
        retry: Retry::AfterFix,
        advice: "declare the capabilities in data.requiredCapabilities if the client has them, and send the request again",
        source: ERROR_CODES,
    },
    Entry {
        code: UNSUPPORTED_VERSION,
        name: "UnsupportedProtocolVersion",
        meaning: "the server does not speak the version that the request names",
        first: Some(Revision::V2026_07_28),
        last: None,
        emit: Emit::Defined,
        receive: ANY,
        data: "{ supported, requested }",
        http_status: "400",
        retry: Retry::AfterFix,
        advice: "choose one of data.supported, and send the request again",
        source: ERROR_CODES,
    },
    Entry {
        code: RESOURCE_NOT_FOUND,
        name: "ResourceNotFound",
        meaning: "the resource does not exist; -32602 says it since SEP-2164",
        first: Some(Revision::V2024_11_05),
        last: Some(Revision::V2025_11_25),
        emit: Emit::PerRevision,
        receive: "take it for resource not found, on every revision",
        data: "{ uri }",
        http_status: "200",
        retry: Retry::Never,
        advice: "list the resources again; servers write -32602 with data exactly { uri } instead",
        source: "MCP 2024-11-05 to 2025-11-25, server/resources, Error Handling",
    },
    Entry {
        code: URL_ELICITATION_REQUIRED,
        name: "UrlElicitationRequired",
        meaning: "the user must visit URLs before the request can be served",
        first: Some(Revision::V2025_11_25),
        last: Some(Revision::V2025_11_25),
        emit: Emit::Defined,
        receive: "assume its meaning from a server of 2025-11-25",
        data: "{ elicitations }",
        http_status: "200",
        retry: Retry::AfterFix,
        advice: "let the user visit the URLs in data.elicitations, and send the request again",
        source: "MCP 2025-11-25, client/elicitation, URL Mode With Elicitation Required Error",
    },
    Entry {
        code: Code::new(-32001),
        name: "HeaderMismatch (release candidate)",
        meaning: "what -32020 says; elsewhere request timeout or session not found",
        first: None,
        last: None,
        emit: Emit::Never,
        receive: NOTHING,
        data: "any",
        http_status: "any",
        retry: Retry::Never,
        advice: "show the message; a server writes -32020 instead",
        source: RELEASE_CANDIDATE,
    },
    Entry {
        code: Code::new(-32003),
        name: "MissingRequiredClientCapability (release candidate)",
        meaning: "what -32021 says",
        first: None,
        last: None,
        emit: Emit::Never,
        receive: NOTHING,
        data: "any",
        http_status: "any",
        retry: Retry::Never,
        advice: "show the message; a server writes -32021 instead",
        source: RELEASE_CANDIDATE,
    },
    Entry {
        code: Code::new(-32004),
        name: "UnsupportedProtocolVersion (release candidate)",
        meaning: "what -32022 says",
        first: None,
        last: None,
        emit: Emit::Never,
        receive: NOTHING,
        data: "any",
        http_status: "any",
        retry: Retry::Never,
        advice: "show the message; a server writes -32022 instead",
        source: RELEASE_CANDIDATE,
    },
    Entry {
        code: Code::new(-1),
        name: "UserRejected",
        meaning: "the user declined a sampling request; an example of the specification, sent by clients",
        first: Some(Revision::V2024_11_05),
        last: Some(Revision::V2025_11_25),
        emit: Emit::Defined,
        receive: "assume its meaning in answer to sampling/createMessage",
        data: "any",
        http_status: "200",
        retry: Retry::Never,
        advice: "do without the sample, or ask the user another time",
        source: "MCP 2024-11-05 to 2025-11-25, client/sampling, Error Handling",
    },
];

/// Every row.
pub fn registry() -> &'static [Entry] {
    &REGISTRY
}

/// The row of `code`, if JSON-RPC or MCP ever defined it.
pub fn lookup(code: Code) -> Option<&'static Entry> {
    REGISTRY.iter().find(|entry| entry.code == code)
}

impl Entry {
    /// The revisions that define it, in words: `all`, `from 2026-07-28`, `2024-11-05 to 2025-11-25`, `2025-11-25`, or
    /// `no released one`.
    pub fn revisions(&self) -> String {
        match (self.first, self.last) {
            (None, None) if self.emit == Emit::Never => "no released one".to_owned(),
            (None, None) => "all".to_owned(),
            (Some(first), None) => format!("from {first}"),
            (None, Some(last)) => format!("to {last}"),
            (Some(first), Some(last)) if first == last => first.to_string(),
            (Some(first), Some(last)) => format!("{first} to {last}"),
        }
    }

    /// Whether `revision` defines it.
    pub fn defined_in(&self, revision: Revision) -> bool {
        self.emit != Emit::Never && revision.within(self.first, self.last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_code_has_one_row() {
        let mut codes: Vec<_> = registry().iter().map(|entry| entry.code).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), registry().len());
    }
}
