//! The details of the kinds whose `data` the specification does not define. Each is written as an
//! object with a `kind`, so that receivers can distinguish failures with the same code: five share
//! -32602.

use serde::{Deserialize, Serialize};

use crate::mistake::Mistake;

/// The reason why a message is not a request that can be served here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum InvalidRequest {
    /// The message is JSON, but not a JSON-RPC message of the peer's revision; the error message
    /// names the fault. Choose this if no other variant fits.
    Malformed,
    /// Another request with this id is still in progress on the connection. That request keeps its
    /// response.
    DuplicateId,
    /// The revision uses sessions, and the request names none: the client sends `initialize` first.
    SessionRequired,
    /// The session does not exist, has expired or was ended: the client sends `initialize` again.
    SessionNotFound,
    /// The HTTP request was rejected before its body was read as a message; the refusal has the
    /// reason. For headers that mirror the body, choose
    /// [`HeaderMismatch`](super::ErrorKind::HeaderMismatch).
    Refused {
        /// The reason.
        #[serde(flatten)]
        refusal: Refusal,
    },
}

/// The reason why an HTTP request was rejected before its body was read as a message. Each reason
/// has its own HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "refusal", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Refusal {
    /// 400: the HTTP request is contradictory or malformed, for example with two `Host` headers or
    /// an incomplete body.
    BadRequest,
    /// 401: the access token is missing or rejected. The header `WWW-Authenticate` names the
    /// reason.
    Unauthorized,
    /// 403: the access token lacks a scope that the request needs. The header `WWW-Authenticate`
    /// names the scope.
    InsufficientScope,
    /// 403: the server does not accept this `Host`.
    ForbiddenHost,
    /// 403: the server does not allow this `Origin`.
    ForbiddenOrigin,
    /// 404: this path is not the MCP endpoint.
    UnknownPath,
    /// 405: the endpoint accepts `POST`, and with sessions `GET` and `DELETE`.
    MethodNotAllowed,
    /// 406: the client does not accept both `application/json` and `text/event-stream`.
    NotAcceptable,
    /// 408: the body did not arrive in time.
    RequestTimeout,
    /// 409: the session's stream is already open, and remains with the client connection that
    /// opened it.
    StreamTaken,
    /// 413: the message is larger than the server accepts.
    TooLarge {
        /// The maximum size in bytes. `None` only if a peer did not name it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<u64>,
    },
    /// 415: the body is not declared as plain `application/json`.
    UnsupportedMediaType,
    /// 429: too many rejected tokens came from one address.
    TooManyFailures,
}

/// The reason why a server can't process a request now, but may later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Unavailable {
    /// The server has the maximum number of requests in flight: send the request again after a
    /// pause.
    Overloaded,
    /// The server is shutting down: send the request to its successor.
    ShuttingDown,
    /// The server can't reach the service that verifies access tokens: send the request again after
    /// a pause.
    CannotVerify,
}

/// The reason why the parameters of a method are rejected. A missing resource is a kind of its own,
/// [`ResourceNotFound`](super::ErrorKind::ResourceNotFound), though it has the same code.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum InvalidParams {
    /// The parameters do not match the method. Choose this if no other variant fits.
    Malformed {
        /// All known faults, member by member. Paths are relative to `params`, or to the arguments
        /// of a prompt.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        problems: Vec<Mistake>,
    },
    /// The parameters are not a JSON object, whatever the method.
    NotAnObject,
    /// The fields of `_meta` that every request must have are missing or wrong (2026-07-28). For a
    /// version that is present but not supported, choose
    /// [`UnsupportedProtocolVersion`](super::ErrorKind::UnsupportedProtocolVersion).
    MissingMeta {
        /// The keys that are missing or wrong.
        keys: Vec<String>,
        /// All faults of the parameters, member by member.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        problems: Vec<Mistake>,
    },
    /// No tool has this name.
    UnknownTool {
        /// The name as requested, with its middle removed if it is too long.
        name: String,
    },
    /// No prompt has this name.
    UnknownPrompt {
        /// The name as requested, with its middle removed if it is too long.
        name: String,
    },
    /// No skill has this URI for its `SKILL.md` (extension `io.modelcontextprotocol/skills`).
    UnknownSkill {
        /// The URI as requested, with its middle removed if it is too long.
        uri: String,
    },
    /// This server did not issue the cursor for this listing, or the cursor has expired: the client
    /// starts again without it.
    InvalidCursor,
    /// This server did not issue the `requestState` to this client for this request, or the state
    /// has expired: the client starts again without it (2026-07-28, Multi Round-Trip Requests).
    InvalidRequestState,
    /// The answer to a question of the server has the wrong type. A missing answer is not an error:
    /// the server asks again.
    InvalidInputResponse {
        /// The key of the question.
        key: String,
        /// The faults of the answer. Paths are relative to `params`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        problems: Vec<Mistake>,
    },
    /// The task does not exist, no longer exists, or does not exist for this caller (extension
    /// `io.modelcontextprotocol/tasks`).
    UnknownTask,
    /// The text is not a URI that this server could have issued. If it could have, but no resource
    /// exists there, choose [`ResourceNotFound`](super::ErrorKind::ResourceNotFound).
    InvalidUri {
        /// The text as requested, with its middle removed if it is too long for a URI.
        uri: String,
        /// The faults in the variables of the template. Paths begin with the name of the variable.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        problems: Vec<Mistake>,
    },
    /// The resource exists but is not a collection, so it can't have children.
    NotACollection {
        /// The URI as requested.
        uri: String,
    },
    /// The resource is larger than the server reads.
    ResourceTooLarge {
        /// The URI as requested.
        uri: String,
        /// The size of the resource in bytes.
        size: u64,
        /// The maximum size in bytes.
        limit: u64,
        /// URIs of parts of the resource that can be read instead, as examples.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<String>,
    },
    /// The requested part begins after the end of the resource.
    NoSuchPart {
        /// The URI as requested.
        uri: String,
        /// The length of the resource, in the unit of the part: bytes or lines.
        size: u64,
    },
}

impl InvalidParams {
    /// Mistakes that only the error message describes.
    pub const MALFORMED: Self = Self::Malformed {
        problems: Vec::new(),
    };
}

/// A failure inside a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(
    tag = "kind",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
#[non_exhaustive]
pub enum Internal {
    /// An unspecified failure; the message contains everything that is public. Choose this if no
    /// other variant fits. It has no data.
    #[serde(skip)]
    Failed,
    /// A failure that only the server's log describes.
    Incident {
        /// The id of the failure in the log.
        incident: String,
    },
    /// The request took longer than the server allows. A timeout of the *client* is a local error
    /// without a code.
    DeadlineExceeded {
        /// The time limit in milliseconds.
        limit_ms: u64,
    },
    /// The response would be larger than the server sends. For a resource whose size is known
    /// before it is read, choose [`InvalidParams::ResourceTooLarge`].
    ReplyTooLarge {
        /// The maximum size in bytes.
        limit: u64,
    },
}

/// A URL that the user must visit, as in `ElicitRequestURLParams` of 2025-11-25.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename = "url", rename_all = "camelCase")]
#[non_exhaustive]
pub struct UrlElicitation {
    /// The id of this elicitation in the notification of its completion and in the client's answer.
    /// It stays the same as long as the server requests the same of the same user; otherwise a user
    /// who declined would be asked again.
    pub elicitation_id: String,
    /// The URL to visit.
    pub url: String,
    /// The reason for the visit, for the user.
    pub message: String,
}

impl UrlElicitation {
    /// Asks the user to visit `url`, with `message` as the reason.
    pub fn new(
        elicitation_id: impl Into<String>,
        url: impl Into<String>,
        message: impl Into<String>,
    ) -> Self {
        Self {
            elicitation_id: elicitation_id.into(),
            url: url.into(),
            message: message.into(),
        }
    }

    /// Whether the URL has the scheme `http` or `https`. Do not send users to other URLs, because
    /// another scheme may run a script, open a file or start a program.
    pub fn is_web(&self) -> bool {
        let scheme = self.url.split_once("://").map(|(scheme, _)| scheme);
        scheme.is_some_and(|scheme| {
            ["http", "https"]
                .iter()
                .any(|web| scheme.eq_ignore_ascii_case(web))
        })
    }
}
