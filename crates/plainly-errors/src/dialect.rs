//! How each typed error is written for each revision: code, message, data and HTTP status. The only place where an error
//! becomes a number. The number and the status depend on the revision; the data never does.

use serde::Serialize;
use serde_json::{Value, json};

use crate::code::{Code, CodeRange};
use crate::protocol_error::{
    ErrorKind, Internal, InvalidParams, InvalidRequest, ProtocolError, Refusal,
};
use crate::registry::{
    HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND,
    MISSING_CLIENT_CAPABILITY, PARSE_ERROR, RESOURCE_NOT_FOUND, UNAVAILABLE, UNSUPPORTED_VERSION,
    URL_ELICITATION_REQUIRED,
};
use crate::revision::{Era, Revision};
use crate::wire_error::WireError;

/// Which code a missing resource gets on the revisions that defined one of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a choice between two; a third would be a new decision everywhere"
)]
pub enum Dialect {
    /// -32602 on every revision, as SEP-2164 settled it.
    #[default]
    Uniform,
    /// -32002 up to 2025-11-25, for servers whose old clients look for it; -32602 from 2026-07-28.
    PerRevision,
}

impl Dialect {
    /// Writes `error` for a peer of `revision`.
    pub fn encode(self, error: &ProtocolError, revision: Revision) -> WireError {
        let (code, http_status) = self.number(error.kind(), revision);
        WireError {
            code,
            message: error.owned_message(),
            data: error
                .received_data()
                .cloned()
                .or_else(|| data(error.kind())),
            http_status,
        }
    }

    /// The code of `kind` and the HTTP status beside it.
    fn number(self, kind: &ErrorKind, revision: Revision) -> (Code, u16) {
        match (kind, revision.era()) {
            (ErrorKind::Parse, _) => (PARSE_ERROR, 400),
            (ErrorKind::InvalidRequest(detail), _) => {
                (INVALID_REQUEST, invalid_request_status(detail))
            }
            (ErrorKind::MethodNotFound { .. }, Era::Modern) => (METHOD_NOT_FOUND, 404),
            (ErrorKind::MethodNotFound { .. }, Era::Legacy) => (METHOD_NOT_FOUND, 200),
            (ErrorKind::InvalidParams(detail), _) => {
                (INVALID_PARAMS, invalid_params_status(detail))
            }
            (ErrorKind::ResourceNotFound { .. }, Era::Modern) => (INVALID_PARAMS, 200),
            (ErrorKind::ResourceNotFound { .. }, Era::Legacy) => match self {
                Self::Uniform => (INVALID_PARAMS, 200),
                Self::PerRevision => (RESOURCE_NOT_FOUND, 200),
            },
            (ErrorKind::Internal(_), _) => (INTERNAL_ERROR, 200),
            (ErrorKind::Unavailable(_), _) => (UNAVAILABLE.into(), 503),
            (ErrorKind::HeaderMismatch, Era::Modern) => (HEADER_MISMATCH, 400),
            (ErrorKind::HeaderMismatch, Era::Legacy) => (INVALID_REQUEST, 400),
            (ErrorKind::MissingRequiredClientCapability { .. }, Era::Modern) => {
                (MISSING_CLIENT_CAPABILITY, 400)
            }
            (ErrorKind::MissingRequiredClientCapability { .. }, Era::Legacy) => {
                (INVALID_PARAMS, 200)
            }
            (ErrorKind::UnsupportedProtocolVersion { .. }, Era::Modern) => {
                (UNSUPPORTED_VERSION, 400)
            }
            (ErrorKind::UnsupportedProtocolVersion { .. }, Era::Legacy) => (INVALID_PARAMS, 400),
            (ErrorKind::UrlElicitationRequired { .. }, _) => (url_elicitation(revision), 200),
            (ErrorKind::Application { code, .. }, _) => ((*code).into(), 200),
            (ErrorKind::Unrecognised { code, .. }, _) if may_pass_on(*code) => (*code, 200),
            (ErrorKind::Unrecognised { .. }, _) => (INTERNAL_ERROR, 200),
        }
    }

    /// Whether a peer of `revision` can be sent an error response without an `id`: the schemas require one up to
    /// 2025-06-18.
    pub fn has_errors_without_id(revision: Revision) -> bool {
        revision.within(Some(Revision::V2025_11_25), None)
    }
}

fn invalid_request_status(detail: &InvalidRequest) -> u16 {
    match detail {
        InvalidRequest::Malformed
        | InvalidRequest::DuplicateId
        | InvalidRequest::SessionRequired => 400,
        InvalidRequest::SessionNotFound => 404,
        InvalidRequest::Refused { refusal } => match refusal {
            Refusal::BadRequest => 400,
            Refusal::ForbiddenHost | Refusal::ForbiddenOrigin => 403,
            Refusal::UnknownPath => 404,
            Refusal::MethodNotAllowed => 405,
            Refusal::NotAcceptable => 406,
            Refusal::RequestTimeout => 408,
            Refusal::StreamTaken => 409,
            Refusal::TooLarge => 413,
            Refusal::UnsupportedMediaType => 415,
        },
    }
}

/// 400 where the message itself is refused, before anyone looks at its method.
fn invalid_params_status(detail: &InvalidParams) -> u16 {
    match detail {
        InvalidParams::NotAnObject | InvalidParams::MissingMeta { .. } => 400,
        InvalidParams::Malformed
        | InvalidParams::UnknownTool { .. }
        | InvalidParams::UnknownPrompt { .. }
        | InvalidParams::InvalidCursor
        | InvalidParams::InvalidRequestState
        | InvalidParams::InvalidInputResponse { .. }
        | InvalidParams::UnknownTask
        | InvalidParams::InvalidUri { .. }
        | InvalidParams::NotACollection { .. }
        | InvalidParams::ResourceTooLarge { .. } => 200,
    }
}

/// -32042 is 2025-11-25's alone. Where the channel has nothing better (a tool error, `input_required`), other revisions
/// get an internal error that still carries the URLs.
fn url_elicitation(revision: Revision) -> Code {
    match revision {
        Revision::V2025_11_25 => URL_ELICITATION_REQUIRED,
        Revision::V2024_11_05
        | Revision::V2025_03_26
        | Revision::V2025_06_18
        | Revision::V2026_07_28 => INTERNAL_ERROR,
    }
}

/// Another peer's code leaves as ours only where any application may use it.
fn may_pass_on(code: Code) -> bool {
    code.range() == CodeRange::Application
}

/// What `kind` says in `data`: the shape that the specification fixes, or an object with a `kind` where it fixes none.
fn data(kind: &ErrorKind) -> Option<Value> {
    match kind {
        ErrorKind::Parse | ErrorKind::HeaderMismatch | ErrorKind::Internal(Internal::Failed) => {
            None
        }
        ErrorKind::InvalidRequest(detail) => Some(tagged(detail)),
        ErrorKind::InvalidParams(detail) => Some(tagged(detail)),
        ErrorKind::Internal(detail) => Some(tagged(detail)),
        ErrorKind::Unavailable(reason) => Some(tagged(reason)),
        ErrorKind::MethodNotFound { method } => {
            method.as_ref().map(|method| json!({ "method": method }))
        }
        ErrorKind::ResourceNotFound { uri } => uri.as_ref().map(|uri| json!({ "uri": uri })),
        ErrorKind::MissingRequiredClientCapability { required } => {
            Some(json!({ "requiredCapabilities": required }))
        }
        ErrorKind::UnsupportedProtocolVersion {
            supported,
            requested,
        } => Some(json!({ "supported": supported, "requested": requested })),
        ErrorKind::UrlElicitationRequired { elicitations } => {
            Some(json!({ "elicitations": elicitations }))
        }
        ErrorKind::Application { data, .. } => given(data.as_ref()),
        // What data means goes with its code: neither leaves without the other.
        ErrorKind::Unrecognised { code, data } => {
            given(data.as_ref()).filter(|_| may_pass_on(*code))
        }
    }
}

/// `null` says nothing and reads back as absent: it is not written.
fn given(data: Option<&Value>) -> Option<Value> {
    data.filter(|data| !data.is_null()).cloned()
}

fn tagged(detail: &impl Serialize) -> Value {
    serde_json::to_value(detail)
        .expect("a detail with data is strings and numbers under string keys")
}
