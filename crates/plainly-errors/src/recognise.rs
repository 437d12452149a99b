//! The inverse of [`dialect`](crate::dialect): from what is on the wire back to the typed error, by code and shape of
//! `data`, never by message, and never by where it was built.

use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::code::ApplicationCode;
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
        ProtocolError::new(self.kind()).with_message(self.message.clone())
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
                method: text(data, "method").unwrap_or_default(),
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

fn invalid_params(data: Option<&Value>) -> ErrorKind {
    let Some(data) = data else {
        return ErrorKind::InvalidParams(InvalidParams::Malformed);
    };
    resource_not_found(data)
        .or_else(|| missing_capability(Some(data)))
        .or_else(|| unsupported_version(Some(data)))
        .unwrap_or_else(|| {
            let detail = tagged(Some(data))
                .unwrap_or_else(|| InvalidParams::Unrecognised { data: data.clone() });
            ErrorKind::InvalidParams(detail)
        })
}

/// Exactly `{ uri }`: with more in it, the error says something else about that resource.
fn resource_not_found(data: &Value) -> Option<ErrorKind> {
    let uri = data
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
    let elicitations: Vec<UrlElicitation> =
        serde_json::from_value(data?.get("elicitations")?.clone()).ok()?;
    Some(ErrorKind::UrlElicitationRequired { elicitations })
}

fn internal(data: Option<&Value>) -> ErrorKind {
    let Some(data) = data else {
        return ErrorKind::Internal(Internal::Failed);
    };
    url_elicitation(Some(data)).unwrap_or_else(|| {
        let detail =
            tagged(Some(data)).unwrap_or_else(|| Internal::Unrecognised { data: data.clone() });
        ErrorKind::Internal(detail)
    })
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

fn tagged<T: DeserializeOwned>(data: Option<&Value>) -> Option<T> {
    serde_json::from_value(data?.clone()).ok()
}

fn text(data: Option<&Value>, key: &str) -> Option<String> {
    data?.get(key)?.as_str().map(str::to_owned)
}
