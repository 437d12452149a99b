//! The default sentence of each kind of error, for people.

use std::borrow::Cow;

use super::{ErrorKind, Internal, InvalidParams, InvalidRequest, Refusal, Unavailable};

pub(super) fn default(kind: &ErrorKind) -> Cow<'static, str> {
    match kind {
        ErrorKind::Parse => "Parse error".into(),
        ErrorKind::InvalidRequest(detail) => invalid_request(detail).into(),
        ErrorKind::MethodNotFound {
            method: Some(method),
        } => format!("Method not found: {method}").into(),
        ErrorKind::MethodNotFound { method: None } => "Method not found".into(),
        ErrorKind::InvalidParams(detail) => invalid_params(detail),
        ErrorKind::ResourceNotFound { uri: Some(uri) } => {
            format!("Resource not found: {uri}").into()
        }
        ErrorKind::ResourceNotFound { uri: None } => "Resource not found".into(),
        ErrorKind::Internal(detail) => internal(detail),
        ErrorKind::Unavailable(Unavailable::Overloaded) => {
            "Too many requests in flight: try again later".into()
        }
        ErrorKind::Unavailable(Unavailable::ShuttingDown) => "The server is shutting down".into(),
        ErrorKind::HeaderMismatch => "Header mismatch".into(),
        ErrorKind::MissingRequiredClientCapability { required } => {
            let names = required
                .keys()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ");
            format!("The client must declare the capability {names} for this request").into()
        }
        ErrorKind::UnsupportedProtocolVersion {
            supported,
            requested,
        } => format!(
            "Unsupported protocol version {requested:?}: use {}",
            supported.join(" or ")
        )
        .into(),
        ErrorKind::UrlElicitationRequired { elicitations } => {
            let urls = elicitations
                .iter()
                .map(|one| one.url.as_str())
                .collect::<Vec<_>>()
                .join(", ");
            format!("The user must visit {urls} first").into()
        }
        ErrorKind::Application { code, .. } => format!("Application error {code}").into(),
        ErrorKind::Unrecognised { code, .. } => format!("Error {code}").into(),
    }
}

fn invalid_request(detail: &InvalidRequest) -> &'static str {
    match detail {
        InvalidRequest::Malformed => "Invalid request",
        InvalidRequest::DuplicateId => {
            "Invalid request: another request with this id is still being served"
        }
        InvalidRequest::SessionRequired => {
            "Invalid request: no session. Send initialize first and then the Mcp-Session-Id that it answers with, \
             or the headers and _meta of revision 2026-07-28"
        }
        InvalidRequest::SessionNotFound => {
            "Invalid request: unknown or expired session. Send initialize again"
        }
        InvalidRequest::Refused { refusal } => refused(*refusal),
    }
}

fn refused(refusal: Refusal) -> &'static str {
    match refusal {
        Refusal::BadRequest => "Bad request: the HTTP headers are contradictory or malformed",
        Refusal::ForbiddenHost => "Forbidden: this server does not answer to that Host",
        Refusal::ForbiddenOrigin => "Forbidden: requests from that Origin are not allowed",
        Refusal::UnknownPath => "Not found: this path is not the MCP endpoint",
        Refusal::MethodNotAllowed => "Method not allowed: send messages by POST",
        Refusal::NotAcceptable => {
            "Not acceptable: accept both application/json and text/event-stream"
        }
        Refusal::RequestTimeout => "Request timeout: the body did not arrive in time",
        Refusal::StreamTaken => "Conflict: the stream of this session is open already",
        Refusal::TooLarge => "Payload too large",
        Refusal::UnsupportedMediaType => {
            "Unsupported media type: send the message as application/json"
        }
    }
}

fn invalid_params(detail: &InvalidParams) -> Cow<'static, str> {
    match detail {
        InvalidParams::Malformed => "Invalid params".into(),
        InvalidParams::NotAnObject => "Invalid params: not an object".into(),
        InvalidParams::MissingMeta { keys } => {
            format!("Invalid params: _meta must have {}", keys.join(" and ")).into()
        }
        InvalidParams::UnknownTool { name } => format!("Unknown tool: {name}").into(),
        InvalidParams::UnknownPrompt { name } => format!("Unknown prompt: {name}").into(),
        InvalidParams::InvalidCursor => "Invalid cursor: start again without one".into(),
        InvalidParams::InvalidRequestState => {
            "Invalid requestState: start again without one".into()
        }
        InvalidParams::InvalidInputResponse { key } => {
            format!("Invalid input response: {key}").into()
        }
        InvalidParams::UnknownTask => {
            "Unknown task: there is none of this name, or it has expired".into()
        }
        InvalidParams::InvalidUri { uri } => format!("Invalid URI: {uri}").into(),
        InvalidParams::NotACollection { uri } => format!("Not a collection: {uri}").into(),
        InvalidParams::ResourceTooLarge { uri, size, limit } => {
            format!("Resource too large: {uri} has {size} bytes, at most {limit} are read").into()
        }
    }
}

fn internal(detail: &Internal) -> Cow<'static, str> {
    match detail {
        Internal::Failed => "Internal error".into(),
        Internal::Incident { incident } => {
            format!("Internal error. The server's log has it as incident {incident}").into()
        }
        Internal::DeadlineExceeded { limit_ms } => {
            format!("Internal error: not finished within {limit_ms} ms").into()
        }
        Internal::ReplyTooLarge { limit } => {
            format!("Internal error: the reply is larger than {limit} bytes").into()
        }
    }
}
