//! The headers that identify a request's sender or mirror its body (2026-07-28, Streamable HTTP,
//! "Server Validation").

use http::header::AsHeaderName;
use http::{HeaderMap, HeaderName, HeaderValue};
use plainly_errors::mistake::{in_quotes, printable};
use plainly_errors::{InvalidRequest, ProtocolError, Revision};
use plainly_protocol::envelope::Request;
use plainly_protocol::header::{self, MCP_METHOD, MCP_NAME, MCP_PROTOCOL_VERSION, MCP_SESSION_ID};
use plainly_protocol::method::methods;

static VERSION: HeaderName = HeaderName::from_static(MCP_PROTOCOL_VERSION);
static SESSION: HeaderName = HeaderName::from_static(MCP_SESSION_ID);
static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
static METHOD: HeaderName = HeaderName::from_static(MCP_METHOD);
static NAME: HeaderName = HeaderName::from_static(MCP_NAME);

/// A header that may occur only once.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Header<'a> {
    Absent,
    One(&'a str),
    Unclear(Unclear<'a>),
}

/// The reason why the value of a header is unclear.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Unclear<'a> {
    /// A second occurrence, with its value.
    Twice(&'a HeaderValue),
    /// A value that is not visible ASCII.
    Foreign(&'a HeaderValue),
}

impl<'a> Header<'a> {
    pub(super) fn of(headers: &'a HeaderMap, name: impl AsHeaderName) -> Self {
        let mut values = headers.get_all(name).iter();
        let Some(value) = values.next() else {
            return Self::Absent;
        };
        match (value.to_str(), values.next()) {
            (_, Some(again)) => Self::Unclear(Unclear::Twice(again)),
            (Ok(text), None) => Self::One(text.trim_ascii()),
            (Err(_), None) => Self::Unclear(Unclear::Foreign(value)),
        }
    }

    /// Whether the header names a revision without sessions.
    pub(super) fn is_without_sessions(&self) -> bool {
        let named = match self {
            Self::One(text) => text.parse::<Revision>().ok(),
            Self::Absent | Self::Unclear(_) => None,
        };
        named.is_some_and(|revision| !revision.traits().sessions)
    }

    /// The contradiction with `body`, if any. Without a value in the body nothing is compared.
    pub(super) fn contradicts(&self, name: &str, body: Option<&str>) -> Option<String> {
        match (self, body) {
            (Self::Unclear(unclear), _) => Some(unclear.of(name)),
            (Self::Absent, Some(_)) => Some(format!("{name} is missing")),
            (Self::One(text), Some(body)) if *text != body => Some(format!(
                "{name} header value {} does not match body value {}",
                in_quotes(text),
                in_quotes(body)
            )),
            (Self::Absent | Self::One(_), _) => None,
        }
    }
}

impl Unclear<'_> {
    /// The description of the fault of the header `name`, whose value may be repeated.
    pub(super) fn of(&self, name: &str) -> String {
        match self {
            Self::Twice(again) => {
                format!("{name} is given more than once, also as {}", shown(again))
            }
            Self::Foreign(value) => {
                format!("{name} is {}, which is not visible ASCII", shown(value))
            }
        }
    }

    /// Like `of`, for a header that mirrors text of the body, which can be encoded.
    fn of_text(&self, name: &str, body: &str) -> String {
        match self {
            Self::Twice(_) => self.of(name),
            Self::Foreign(_) => format!(
                "{}: encode it, as {}",
                self.of(name),
                printable(&header::encode(body))
            ),
        }
    }

    /// Like `of`, without the value.
    pub(super) fn of_secret(&self, name: &str) -> String {
        match self {
            Self::Twice(_) => format!("{name} is given more than once"),
            Self::Foreign(_) => {
                format!("{name} is not visible ASCII: encode it, as =?base64?...?=")
            }
        }
    }
}

fn shown(value: &HeaderValue) -> String {
    format!(
        "\"{}\"",
        printable(&String::from_utf8_lossy(value.as_bytes()))
    )
}

/// The header `MCP-Protocol-Version`.
pub(super) fn version(headers: &HeaderMap) -> Header<'_> {
    Header::of(headers, &VERSION)
}

/// The header `Mcp-Session-Id`. An unclear value becomes the empty name, which no session has.
pub(crate) fn session_name(headers: &HeaderMap) -> Option<&str> {
    match Header::of(headers, &SESSION) {
        Header::Absent => None,
        Header::One(name) => Some(name),
        Header::Unclear(_) => Some(""),
    }
}

/// The error for a request that names an unknown session. An unclear name has another error,
/// because a client that is told that its session is unknown opens a new one.
pub(super) fn unknown_session(headers: &HeaderMap) -> ProtocolError {
    let why = match Header::of(headers, &SESSION) {
        Header::Absent | Header::One(_) => return InvalidRequest::SessionNotFound.into(),
        Header::Unclear(Unclear::Twice(_)) => "Mcp-Session-Id is given more than once",
        Header::Unclear(Unclear::Foreign(_)) => "Mcp-Session-Id is not visible ASCII",
    };
    ProtocolError::invalid_request(format!("Invalid request: {why}"))
}

/// The header `Last-Event-ID`. An unclear value becomes the empty name, which no event has.
pub(crate) fn last_event_id(headers: &HeaderMap) -> Option<&str> {
    match Header::of(headers, &LAST_EVENT_ID) {
        Header::Absent => None,
        Header::One(id) => Some(id),
        Header::Unclear(_) => Some(""),
    }
}

/// Whether `Mcp-Method` or `Mcp-Name` occurs twice or is not visible ASCII.
pub(super) fn are_unclear(headers: &HeaderMap) -> bool {
    [&METHOD, &NAME]
        .into_iter()
        .any(|name| matches!(Header::of(headers, name), Header::Unclear(_)))
}

/// The contradictions between the request and `Mcp-Method` and `Mcp-Name`.
pub(super) fn mirrored(headers: &HeaderMap, request: &Request<'_>) -> Vec<String> {
    let method = Header::of(headers, &METHOD).contradicts("Mcp-Method", Some(&request.method));
    method
        .into_iter()
        .chain(name_mirrored(headers, request))
        .collect()
}

fn name_mirrored(headers: &HeaderMap, request: &Request<'_>) -> Option<String> {
    let row = methods().iter().find(|row| row.name == request.method)?;
    let body = request.params.as_ref()?.text(row.subject?)?;
    let header = Header::of(headers, &NAME);
    let text = match header {
        Header::One(text) => text,
        Header::Unclear(unclear) => return Some(unclear.of_text("Mcp-Name", &body)),
        // Only an extension's method may omit the header that names its subject.
        Header::Absent if row.name_header.is_none() => return None,
        Header::Absent => return header.contradicts("Mcp-Name", Some(&body)),
    };
    match header::decode(text) {
        Ok(decoded) => Header::One(&decoded).contradicts("Mcp-Name", Some(&body)),
        Err(error) => Some(format!("Mcp-Name is {}: {error}", in_quotes(text))),
    }
}
