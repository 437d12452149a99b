//! The details of the kinds whose `data` the specification leaves free. Each is written as an object with a `kind`, so
//! that failures that share one code can be told apart: five share -32602.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Why a message is not a request that can be served here.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum InvalidRequest {
    /// It is JSON, but not a JSON-RPC message of the peer's revision. The default; has no data.
    #[serde(skip)]
    Malformed,
    /// Another request with this id is still being served on the connection.
    DuplicateId,
    /// The revision works by sessions, and the request names none.
    SessionRequired,
    /// The session does not exist, has expired or has been ended.
    SessionNotFound,
    /// The message was refused before it was read; the refusal says why.
    Refused {
        /// Why.
        refusal: Refusal,
    },
}

/// Why an HTTP request was refused before its body was read as a message. Each has its own HTTP status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Refusal {
    /// 400: the request's head is contradictory or malformed, as with two `Host` headers.
    BadRequest,
    /// 403: the `Host` is not one that this server answers to.
    ForbiddenHost,
    /// 403: the `Origin` is not allowed.
    ForbiddenOrigin,
    /// 404: this path is not the MCP endpoint.
    UnknownPath,
    /// 405: the endpoint takes `POST`, and `DELETE` with a session.
    MethodNotAllowed,
    /// 406: the client does not accept both `application/json` and `text/event-stream`.
    NotAcceptable,
    /// 408: the body did not arrive in time.
    RequestTimeout,
    /// 413: the message is larger than the server reads.
    TooLarge,
    /// 415: the body is not declared as plain `application/json`.
    UnsupportedMediaType,
}

/// Why a server does not take a request now, though it may later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Unavailable {
    /// As many requests are in flight as the server allows.
    Overloaded,
    /// The server is shutting down.
    ShuttingDown,
}

/// What is wrong with the parameters of a method.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum InvalidParams {
    /// They are not of the method's type; the message names what. The default; has no data.
    #[serde(skip)]
    Malformed,
    /// They are there and no JSON object.
    NotAnObject,
    /// The fields of `_meta` that every request must carry are missing or wrong (2026-07-28).
    MissingMeta {
        /// The keys that are missing or wrong.
        keys: Vec<String>,
    },
    /// There is no tool of this name.
    UnknownTool {
        /// The name as requested.
        name: String,
    },
    /// The cursor was not given out by this server for this listing.
    InvalidCursor,
    /// The text is not a URI that this server could ever have given out.
    InvalidUri {
        /// The text as requested.
        uri: String,
    },
    /// The resource has no children to list.
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
    },
    /// Received with data that no rule recognises. Only decoding produces it.
    #[serde(skip)]
    Unrecognised {
        /// The data as received.
        data: Value,
    },
}

/// What failed inside a server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Internal {
    /// Something; the message says as much as may be said. The default; has no data.
    #[serde(skip)]
    Failed,
    /// The request took longer than the server allows.
    DeadlineExceeded {
        /// The time allowed, in milliseconds.
        limit_ms: u64,
    },
    /// The reply would be larger than the server sends.
    ReplyTooLarge {
        /// The most that is sent, in bytes.
        limit: u64,
    },
    /// Received with data that no rule recognises. Only decoding produces it.
    #[serde(skip)]
    Unrecognised {
        /// The data as received.
        data: Value,
    },
}

/// A URL that the user must visit, as in `ElicitRequestURLParams` of 2025-11-25.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename = "url", rename_all = "camelCase")]
#[non_exhaustive]
pub struct UrlElicitation {
    /// Names this elicitation when its completion is announced.
    pub elicitation_id: String,
    /// Where to go.
    pub url: String,
    /// Why, for the user.
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
}
