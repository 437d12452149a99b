//! How each typed error is written for each revision: code, message, data and HTTP status. The only place where an error
//! becomes a number.

use serde::Serialize;
use serde_json::{Value, json};

use crate::code::{Code, CodeRange};
use crate::protocol_error::{
    ErrorKind, Internal, InvalidParams, InvalidRequest, ProtocolError, Refusal, UrlElicitation,
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
        let (code, http_status, data) = self.write(error.kind(), revision);
        WireError {
            code,
            message: error.message().into_owned().into(),
            data,
            http_status,
        }
    }

    fn write(self, kind: &ErrorKind, revision: Revision) -> (Code, u16, Option<Value>) {
        match (kind, revision.era()) {
            (ErrorKind::Parse, _) => (PARSE_ERROR, 400, None),
            (ErrorKind::InvalidRequest(detail), _) => (
                INVALID_REQUEST,
                invalid_request_status(detail),
                tagged(detail),
            ),
            (ErrorKind::MethodNotFound { method }, Era::Modern) => {
                (METHOD_NOT_FOUND, 404, method_data(method))
            }
            (ErrorKind::MethodNotFound { method }, Era::Legacy) => {
                (METHOD_NOT_FOUND, 200, method_data(method))
            }
            (ErrorKind::InvalidParams(detail), _) => invalid_params(detail),
            (ErrorKind::ResourceNotFound { uri }, era) => {
                let own_code = self == Self::PerRevision && era == Era::Legacy;
                let code = if own_code {
                    RESOURCE_NOT_FOUND
                } else {
                    INVALID_PARAMS
                };
                (code, 200, uri.as_ref().map(|uri| json!({ "uri": uri })))
            }
            (ErrorKind::Internal(Internal::Unrecognised { data }), _) => {
                (INTERNAL_ERROR, 200, Some(data.clone()))
            }
            (ErrorKind::Internal(detail), _) => (INTERNAL_ERROR, 200, tagged(detail)),
            (ErrorKind::Unavailable(reason), _) => (UNAVAILABLE.into(), 503, tagged(reason)),
            (ErrorKind::HeaderMismatch, Era::Modern) => (HEADER_MISMATCH, 400, None),
            (ErrorKind::HeaderMismatch, Era::Legacy) => (INVALID_REQUEST, 400, None),
            (ErrorKind::MissingRequiredClientCapability { required }, era) => {
                let (code, status) = match era {
                    Era::Modern => (MISSING_CLIENT_CAPABILITY, 400),
                    Era::Legacy => (INVALID_PARAMS, 200),
                };
                (
                    code,
                    status,
                    Some(json!({ "requiredCapabilities": required })),
                )
            }
            (
                ErrorKind::UnsupportedProtocolVersion {
                    supported,
                    requested,
                },
                era,
            ) => {
                let code = match era {
                    Era::Modern => UNSUPPORTED_VERSION,
                    Era::Legacy => INVALID_PARAMS,
                };
                (
                    code,
                    400,
                    Some(json!({ "supported": supported, "requested": requested })),
                )
            }
            (ErrorKind::UrlElicitationRequired { elicitations }, _) => {
                url_elicitation(elicitations, revision)
            }
            (ErrorKind::Application { code, data }, _) => ((*code).into(), 200, data.clone()),
            (ErrorKind::Unrecognised { code, data }, _) => unrecognised(*code, data.as_ref()),
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
            Refusal::TooLarge => 413,
            Refusal::UnsupportedMediaType => 415,
        },
    }
}

fn invalid_params(detail: &InvalidParams) -> (Code, u16, Option<Value>) {
    match detail {
        InvalidParams::NotAnObject | InvalidParams::MissingMeta { .. } => {
            (INVALID_PARAMS, 400, tagged(detail))
        }
        InvalidParams::Unrecognised { data } => (INVALID_PARAMS, 200, Some(data.clone())),
        InvalidParams::Malformed
        | InvalidParams::UnknownTool { .. }
        | InvalidParams::InvalidCursor
        | InvalidParams::InvalidUri { .. }
        | InvalidParams::NotACollection { .. }
        | InvalidParams::ResourceTooLarge { .. } => (INVALID_PARAMS, 200, tagged(detail)),
    }
}

/// -32042 is 2025-11-25's alone. Where the channel has nothing better (a tool error, `input_required`), other revisions
/// get an internal error that still carries the URLs.
fn url_elicitation(
    elicitations: &[UrlElicitation],
    revision: Revision,
) -> (Code, u16, Option<Value>) {
    let code = match revision {
        Revision::V2025_11_25 => URL_ELICITATION_REQUIRED,
        Revision::V2024_11_05
        | Revision::V2025_03_26
        | Revision::V2025_06_18
        | Revision::V2026_07_28 => INTERNAL_ERROR,
    };
    (code, 200, Some(json!({ "elicitations": elicitations })))
}

/// Another peer's code leaves as ours only where any application may use it.
fn unrecognised(code: Code, data: Option<&Value>) -> (Code, u16, Option<Value>) {
    match code.range() {
        CodeRange::Application => (code, 200, data.cloned()),
        CodeRange::Standard
        | CodeRange::Reserved
        | CodeRange::Legacy
        | CodeRange::Specification => (INTERNAL_ERROR, 200, None),
    }
}

/// The detail as an object with its `kind`; nothing for a detail that has no data (serde refuses to write those).
fn tagged(detail: &impl Serialize) -> Option<Value> {
    serde_json::to_value(detail).ok()
}

fn method_data(method: &str) -> Option<Value> {
    Some(json!({ "method": method }))
}
