//! The details of the kinds whose `data` the specification leaves free. Each is written as an object with a `kind`, so
//! that failures that share one code can be told apart: five share -32602.

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
    /// It is JSON, but not a JSON-RPC message of the peer's revision; the message names the fault.
    /// The one to choose where none of the others fits.
    Malformed,
    /// Another request with this id is still being served on the connection. That one keeps its answer.
    DuplicateId,
    /// The revision works by sessions, and the request names none: the client sends `initialize` first.
    SessionRequired,
    /// The session that it names does not exist, has expired or has been ended: the client sends `initialize` again.
    SessionNotFound,
    /// The HTTP request was refused before its body was read as a message; the refusal has the
    /// reason. For headers that mirror the body choose
    /// [`HeaderMismatch`](super::ErrorKind::HeaderMismatch).
    Refused {
        /// The reason.
        #[serde(flatten)]
        refusal: Refusal,
    },
}

/// The reason why an HTTP request was refused before its body was read as a message. Each has its
/// own HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "refusal", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Refusal {
    /// 400: the HTTP request is contradictory or malformed, as with two `Host` headers or a body that breaks off.
    BadRequest,
    /// 401: the access token is missing or rejected. The header `WWW-Authenticate` names the
    /// reason.
    Unauthorized,
    /// 403: the access token lacks a scope that the request needs, which the header `WWW-Authenticate` names.
    InsufficientScope,
    /// 403: the `Host` is not one that this server answers to.
    ForbiddenHost,
    /// 403: the `Origin` is not allowed.
    ForbiddenOrigin,
    /// 404: this path is not the MCP endpoint.
    UnknownPath,
    /// 405: the endpoint takes `POST`, and with a session `GET` and `DELETE`.
    MethodNotAllowed,
    /// 406: the client does not accept both `application/json` and `text/event-stream`.
    NotAcceptable,
    /// 408: the body did not arrive in time.
    RequestTimeout,
    /// 409: the session's stream is already open, and stays with who opened it.
    StreamTaken,
    /// 413: the message is larger than the server reads.
    TooLarge {
        /// The most that is read, in bytes. `None` only when a peer did not name it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        limit: Option<u64>,
    },
    /// 415: the body is not declared as plain `application/json`.
    UnsupportedMediaType,
    /// 429: too many tokens that are not taken came from one address.
    TooManyFailures,
}

/// The reason why a server can't serve a request now, though it may later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Unavailable {
    /// The server has as many requests in flight as it allows: send it again after a pause.
    Overloaded,
    /// The server is shutting down: send it to the next one.
    ShuttingDown,
    /// The server can't reach who verifies access tokens: send it again after a pause.
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
    /// They are not what the method takes. The one to choose where none of the others fits.
    Malformed {
        /// Everything that is wrong with them, as far as it is known member by member. Places are those in `params`, or
        /// in the arguments of a prompt.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        problems: Vec<Mistake>,
    },
    /// They are there and no JSON object, whatever the method.
    NotAnObject,
    /// The fields of `_meta` that every request must carry are missing or wrong (2026-07-28). A version that is there and
    /// not spoken is [`UnsupportedProtocolVersion`](super::ErrorKind::UnsupportedProtocolVersion).
    MissingMeta {
        /// The keys that are missing or wrong.
        keys: Vec<String>,
        /// Everything that is wrong with the parameters, member by member.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        problems: Vec<Mistake>,
    },
    /// There is no tool of this name.
    UnknownTool {
        /// The name as requested, without its middle if it is too long for any.
        name: String,
    },
    /// There is no prompt of this name.
    UnknownPrompt {
        /// The name as requested, without its middle if it is too long for any.
        name: String,
    },
    /// There is no skill whose `SKILL.md` has this URI (extension `io.modelcontextprotocol/skills`).
    UnknownSkill {
        /// The URI as requested, without its middle if it is too long for any.
        uri: String,
    },
    /// The cursor was not given out by this server for this listing, or has expired: the client starts again without.
    InvalidCursor,
    /// The `requestState` was not given out by this server to this client for this very request, or has expired: the client
    /// starts again without (2026-07-28, Multi Round-Trip Requests).
    InvalidRequestState,
    /// The answer to a question of the server's is not of the kind that was asked for. One that is not there is no error:
    /// it is asked for again.
    InvalidInputResponse {
        /// The key of the question.
        key: String,
        /// The mistakes in the answer. Places are those in `params`.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        problems: Vec<Mistake>,
    },
    /// There is no task of this name, or not for this caller, or not any more (extension `io.modelcontextprotocol/tasks`).
    UnknownTask,
    /// The text is not a URI that this server could ever have given out. One that it could have, to nothing, is
    /// [`ResourceNotFound`](super::ErrorKind::ResourceNotFound).
    InvalidUri {
        /// The text as requested, without its middle if it is too long for any URI.
        uri: String,
        /// The mistakes in the variables of its template. Places start with the name of the
        /// variable.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        problems: Vec<Mistake>,
    },
    /// The resource exists and has no children to list, not even none.
    NotACollection {
        /// The URI as requested.
        uri: String,
    },
    /// The resource is larger than the server reads.
    ResourceTooLarge {
        /// The URI as requested.
        uri: String,
        /// Its size in bytes.
        size: u64,
        /// The most that is read, in bytes.
        limit: u64,
        /// URIs of parts of it that can be read instead, as examples.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        parts: Vec<String>,
    },
    /// The resource is shorter than where the part that was asked for begins.
    NoSuchPart {
        /// The URI as requested.
        uri: String,
        /// The length of the resource, in the unit of the part: bytes or lines.
        size: u64,
    },
}

impl InvalidParams {
    /// Mistakes that only the message describes.
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
    /// Unspecified; the message contains everything that is public. The one to choose where none of
    /// the others fits. Has no data.
    #[serde(skip)]
    Failed,
    /// A failure that only the server's log describes.
    Incident {
        /// Its name in the log.
        incident: String,
    },
    /// The request took longer than the server allows. The time that a *client* allows is a local error and has no code.
    DeadlineExceeded {
        /// The time allowed, in milliseconds.
        limit_ms: u64,
    },
    /// The reply would be larger than the server sends. For a resource whose size is known before it is read choose
    /// [`InvalidParams::ResourceTooLarge`].
    ReplyTooLarge {
        /// The most that is sent, in bytes.
        limit: u64,
    },
}

/// A URL that the user must visit, as in `ElicitRequestURLParams` of 2025-11-25.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename = "url", rename_all = "camelCase")]
#[non_exhaustive]
pub struct UrlElicitation {
    /// Names this elicitation when its completion is announced, and in the client's answer to it: the same for as long as
    /// the same is wanted of the same user, or one who declined is asked again.
    pub elicitation_id: String,
    /// The URL to visit.
    pub url: String,
    /// The reason, for the user.
    pub message: String,
}

impl UrlElicitation {
    /// Asks the user to visit `url`, because of `message`.
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

    /// Whether it is on the web, by `http` or `https`. A user should be sent nowhere else: another scheme may run a script,
    /// open a file or start a program.
    pub fn is_web(&self) -> bool {
        let scheme = self.url.split_once("://").map(|(scheme, _)| scheme);
        scheme.is_some_and(|scheme| {
            ["http", "https"]
                .iter()
                .any(|web| scheme.eq_ignore_ascii_case(web))
        })
    }
}
