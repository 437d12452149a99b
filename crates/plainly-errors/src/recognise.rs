//! The inverse of [`dialect`](crate::dialect): from what is on the wire back to the typed error, by code and shape of
//! `data`, never by message, and never by where it was built. Total: whatever a peer sends is some error. A
//! [problem](crate::problem) in its data is beside the kind, and is the kind where the code means nothing.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::code::ApplicationCode;
use crate::problem::Problem;
use crate::protocol_error::{
    ErrorKind, Internal, InvalidParams, InvalidRequest, ProtocolError, UrlElicitation,
};
use crate::registry::{
    HEADER_MISMATCH, INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND,
    MISSING_CLIENT_CAPABILITY, PARSE_ERROR, RESOURCE_NOT_FOUND, UNAVAILABLE, UNSUPPORTED_VERSION,
    URL_ELICITATION_REQUIRED,
};
use crate::wire_error::WireError;

impl WireError {
    /// The typed error that this is, whatever revision the peer speaks: peers do send newer and older codes.
    pub fn recognise(&self) -> ProtocolError {
        let problem = Problem::from_error_data(&self.message, self.data.as_ref());
        let (kind, unread) = match (self.kind(), &problem, &self.data) {
            // A number that means nothing, such as one of the legacy range, but a code that does.
            (ErrorKind::Unrecognised { .. }, Some(problem), Some(data)) => {
                problem.code().kind(data.clone())
            }
            (kind, _, data) => {
                let unread = data
                    .as_ref()
                    .filter(|data| is_left_out(&kind, data))
                    .cloned();
                (kind, unread)
            }
        };
        ProtocolError::with_data(kind, self.message.clone(), unread)
            .with_problem(problem)
            .with_received(self.clone())
    }

    fn kind(&self) -> ErrorKind {
        let data = self.data.as_ref();
        let unrecognised = || ErrorKind::Unrecognised {
            code: self.code,
            data: self.data.clone(),
        };
        match self.code {
            PARSE_ERROR => ErrorKind::Parse,
            INVALID_REQUEST => {
                ErrorKind::InvalidRequest(tagged(data).unwrap_or(InvalidRequest::Malformed))
            }
            METHOD_NOT_FOUND => ErrorKind::MethodNotFound {
                method: text(data, "method"),
            },
            INVALID_PARAMS => invalid_params(data),
            INTERNAL_ERROR => internal(data),
            RESOURCE_NOT_FOUND => ErrorKind::ResourceNotFound {
                uri: text(data, "uri"),
            },
            HEADER_MISMATCH => ErrorKind::HeaderMismatch,
            MISSING_CLIENT_CAPABILITY => missing_capability(data).unwrap_or_else(unrecognised),
            UNSUPPORTED_VERSION => unsupported_version(data).unwrap_or_else(unrecognised),
            URL_ELICITATION_REQUIRED => url_elicitation(data).unwrap_or_else(unrecognised),
            code => application(code.get(), data).unwrap_or_else(unrecognised),
        }
    }
}

/// Whether nothing of what the peer said in `data` is in the kind.
fn is_left_out(kind: &ErrorKind, data: &Value) -> bool {
    let is_for_want_of_another = matches!(
        kind,
        ErrorKind::InvalidRequest(InvalidRequest::Malformed)
            | ErrorKind::InvalidParams(InvalidParams::Malformed)
    );
    let holds_no_data = matches!(
        kind,
        ErrorKind::Parse
            | ErrorKind::HeaderMismatch
            | ErrorKind::Internal(Internal::Failed)
            | ErrorKind::MethodNotFound { method: None }
            | ErrorKind::ResourceNotFound { uri: None }
    );
    // By the same word in both.
    let is_so = || tagged::<InvalidParams>(Some(data)) == Some(InvalidParams::Malformed);
    holds_no_data || is_for_want_of_another && !is_so()
}

/// Before 2026-07-28 this code also says what has its own since, with the same data.
fn invalid_params(data: Option<&Value>) -> ErrorKind {
    resource_not_found(data)
        .or_else(|| missing_capability(data))
        .or_else(|| unsupported_version(data))
        .unwrap_or_else(|| {
            ErrorKind::InvalidParams(tagged(data).unwrap_or(InvalidParams::Malformed))
        })
}

/// Exactly `{ uri }`: with more in it, the error says something else about that resource.
fn resource_not_found(data: Option<&Value>) -> Option<ErrorKind> {
    let uri = data?
        .as_object()
        .filter(|object| object.len() == 1)?
        .get("uri")?
        .as_str()?;
    Some(ErrorKind::ResourceNotFound {
        uri: Some(uri.to_owned()),
    })
}

fn missing_capability(data: Option<&Value>) -> Option<ErrorKind> {
    let required: Map<String, Value> = data?.get("requiredCapabilities")?.as_object()?.clone();
    Some(ErrorKind::MissingRequiredClientCapability { required })
}

fn unsupported_version(data: Option<&Value>) -> Option<ErrorKind> {
    let supported = data?.get("supported")?.as_array()?;
    let supported = supported
        .iter()
        .map(|version| version.as_str().map(str::to_owned))
        .collect::<Option<_>>()?;
    Some(ErrorKind::UnsupportedProtocolVersion {
        supported,
        requested: text(data, "requested")?,
    })
}

fn url_elicitation(data: Option<&Value>) -> Option<ErrorKind> {
    let elicitations = data?.get("elicitations")?.as_array()?;
    let elicitations = elicitations
        .iter()
        .map(one_elicitation)
        .collect::<Option<_>>()?;
    Some(ErrorKind::UrlElicitationRequired { elicitations })
}

/// A form can't be asked for in an error: only the mode `url` is one.
fn one_elicitation(json: &Value) -> Option<UrlElicitation> {
    json.get("mode").filter(|mode| *mode == "url")?;
    tagged(Some(json))
}

/// Revisions without -32042 carry the URLs in an internal error.
fn internal(data: Option<&Value>) -> ErrorKind {
    url_elicitation(data)
        .unwrap_or_else(|| ErrorKind::Internal(tagged(data).unwrap_or(Internal::Failed)))
}

fn application(code: i64, data: Option<&Value>) -> Option<ErrorKind> {
    let code = ApplicationCode::try_from(code).ok()?;
    if code == UNAVAILABLE
        && let Some(reason) = tagged(data)
    {
        return Some(ErrorKind::Unavailable(reason));
    }
    Some(ErrorKind::Application {
        code,
        data: data.cloned(),
    })
}

/// `data` as a `T`, if it has that shape; members that `T` doesn't know are let go.
fn tagged<T: DeserializeOwned>(data: Option<&Value>) -> Option<T> {
    T::deserialize(data?).ok()
}

fn text(data: Option<&Value>, key: &str) -> Option<String> {
    data?.get(key)?.as_str().map(str::to_owned)
}
