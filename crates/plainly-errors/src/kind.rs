//! The kinds of protocol errors, when to choose each, and the `data` of each. Their codes are in
//! the [registry](mod@crate::registry).

mod detail;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

pub use self::detail::{
    Internal, InvalidParams, InvalidRequest, Refusal, Unavailable, UrlElicitation,
};
use crate::code::{ApplicationCode, Code};

/// The kind of a protocol error. Match on this, not on codes or messages.
///
/// Each kind says when to choose it. First decide what is at fault: the sender's bytes
/// ([`Parse`](Self::Parse)), its message ([`InvalidRequest`](Self::InvalidRequest),
/// [`HeaderMismatch`](Self::HeaderMismatch)), its parameters
/// ([`InvalidParams`](Self::InvalidParams), [`ResourceNotFound`](Self::ResourceNotFound)), its
/// capabilities, or the server ([`Internal`](Self::Internal), [`Unavailable`](Self::Unavailable)).
///
/// A failure in an application's own terms is a [`Problem`](crate::Problem), which also has one of
/// these kinds; see [`ProtocolError::problem`](crate::ProtocolError::problem).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are not JSON in UTF-8. JSON that is not a message is
    /// [`InvalidRequest`](Self::InvalidRequest). The sender has a bug: sending again does not help.
    Parse,
    /// The server can't process the message as a whole, whatever its method; the detail has the
    /// reason. If only the parameters of a known method are wrong, choose
    /// [`InvalidParams`](Self::InvalidParams).
    InvalidRequest(InvalidRequest),
    /// The method does not exist on this server, or belongs to a capability that the server did not
    /// declare. A tool, prompt or resource that does not exist is an invalid *parameter* of an
    /// existing method.
    MethodNotFound {
        /// The method as requested. `None` only if a peer did not name it.
        method: Option<String>,
    },
    /// The method's parameters are invalid; the detail has the mistakes. For a resource that could
    /// exist but does not, choose [`ResourceNotFound`](Self::ResourceNotFound); for arguments that
    /// fail a tool's input schema, choose a tool error, which the model can read and correct.
    InvalidParams(InvalidParams),
    /// The resource does not exist, or does not exist for this caller, who must not learn the
    /// difference (SEP-2164). For a URI that no resource could have, choose
    /// [`InvalidParams::InvalidUri`]. For a resource that exists but can't be read, choose its own
    /// detail in [`InvalidParams`](Self::InvalidParams) or [`Internal`](Self::Internal).
    ResourceNotFound {
        /// The URI as requested. `None` only if a peer's -32002 did not name it.
        uri: Option<String>,
    },
    /// Something failed inside the server, and the caller can't fix it. If nothing failed but the
    /// server has too many requests, choose [`Unavailable`](Self::Unavailable).
    Internal(Internal),
    /// The server can't accept more requests now and has not started this one: the client may send
    /// it again later.
    Unavailable(Unavailable),
    /// HTTP headers that mirror the body are missing, malformed or contradict it (2026-07-28,
    /// "Server Validation"). For any other invalid header choose [`Refusal`]. The client lists the
    /// tools again, then retries.
    HeaderMismatch,
    /// Serving the request requires a capability that the client did not declare. A capability that
    /// the *server* did not declare is [`MethodNotFound`](Self::MethodNotFound).
    MissingRequiredClientCapability {
        /// The capabilities to declare, in the shape of `ClientCapabilities`.
        required: Map<String, Value>,
    },
    /// The server does not support the requested version: the client chooses a supported one and
    /// retries. For a missing version choose [`InvalidParams::MissingMeta`]; for different versions
    /// in header and body choose [`HeaderMismatch`](Self::HeaderMismatch).
    UnsupportedProtocolVersion {
        /// The versions to choose from.
        supported: Vec<String>,
        /// The version as requested.
        requested: String,
    },
    /// The user must visit URLs before the server can process the request (2025-11-25): the client
    /// opens them, then retries. The error can't carry other information.
    UrlElicitationRequired {
        /// The URLs, each with a reason and an id.
        elicitations: Vec<UrlElicitation>,
    },
    /// An application's own error, for a condition that no other kind covers and that its clients
    /// know by number.
    Application {
        /// The code, which is outside every reserved range.
        code: ApplicationCode,
        /// The data, in the application's own form; `null` counts as none.
        data: Option<Value>,
    },
    /// A received error that no rule recognises: an unknown code, or a code without its required
    /// data. Only decoding creates it.
    Unrecognised {
        /// The code as received.
        code: Code,
        /// The data as received.
        data: Option<Value>,
    },
}

/// Conversion of a kind to and from the `data` of an error object.
impl ErrorKind {
    /// Whether the kind has no meaning beyond its code, because servers choose arbitrary codes and
    /// state the meaning in the message, the data or the HTTP status.
    pub fn is_vague(&self) -> bool {
        matches!(
            self,
            Self::Parse
                | Self::InvalidRequest(InvalidRequest::Malformed)
                | Self::MethodNotFound { method: None }
                | Self::InvalidParams(InvalidParams::Malformed { .. })
                | Self::Internal(Internal::Failed)
                | Self::Application { .. }
                | Self::Unrecognised { .. }
        )
    }

    /// The code that the error itself has, if the table has none for its kind.
    pub(crate) fn own_code(&self) -> Option<Code> {
        match self {
            Self::Application { code, .. } => Some((*code).into()),
            Self::Unrecognised { code, .. } => Some(*code),
            Self::Parse
            | Self::InvalidRequest(_)
            | Self::MethodNotFound { .. }
            | Self::InvalidParams(_)
            | Self::ResourceNotFound { .. }
            | Self::Internal(_)
            | Self::Unavailable(_)
            | Self::HeaderMismatch
            | Self::MissingRequiredClientCapability { .. }
            | Self::UnsupportedProtocolVersion { .. }
            | Self::UrlElicitationRequired { .. } => None,
        }
    }

    /// Whether neither the specification nor a detail defines the `data` of the kind.
    pub(crate) fn leaves_data_free(&self) -> bool {
        let is_general = matches!(
            self,
            Self::InvalidRequest(InvalidRequest::Malformed)
                | Self::Internal(Internal::Failed)
                | Self::Application { .. }
        );
        is_general || *self == Self::InvalidParams(InvalidParams::MALFORMED)
    }

    /// The `data` in the form of the specification, or an object with a `kind` if the specification
    /// defines none.
    pub(crate) fn data(&self) -> Option<Value> {
        match self {
            Self::Parse | Self::HeaderMismatch | Self::Internal(Internal::Failed) => None,
            Self::InvalidRequest(detail) => Some(to_value(detail)),
            Self::InvalidParams(detail) => Some(to_value(detail)),
            Self::Internal(detail) => Some(to_value(detail)),
            Self::Unavailable(reason) => Some(to_value(reason)),
            Self::MethodNotFound { method } => {
                method.as_ref().map(|method| json!({ "method": method }))
            }
            Self::ResourceNotFound { uri } => uri.as_ref().map(|uri| json!({ "uri": uri })),
            Self::MissingRequiredClientCapability { required } => {
                Some(json!({ "requiredCapabilities": required }))
            }
            Self::UnsupportedProtocolVersion {
                supported,
                requested,
            } => Some(json!({ "supported": supported, "requested": requested })),
            Self::UrlElicitationRequired { elicitations } => {
                Some(json!({ "elicitations": elicitations }))
            }
            // The meaning of the data depends on the code, so neither is sent without the other.
            Self::Application { data, .. } | Self::Unrecognised { data, .. } => {
                data.clone().filter(|data| {
                    !data.is_null() && self.own_code().is_some_and(Code::is_application)
                })
            }
        }
    }

    pub(crate) fn read_invalid_request(data: Option<&Value>) -> Option<Self> {
        let detail = tagged(data).unwrap_or(InvalidRequest::Malformed);
        Some(Self::InvalidRequest(detail))
    }

    pub(crate) fn read_method_not_found(data: Option<&Value>) -> Option<Self> {
        let method = text(data, "method");
        Some(Self::MethodNotFound { method })
    }

    /// Reads an error with the code for invalid parameters. Before 2026-07-28 that code also covers
    /// errors that have their own codes in later revisions, with the same data.
    pub(crate) fn read_invalid_params(data: Option<&Value>) -> Option<Self> {
        // Distinguished by the shape of the data, the strictest first, because only the first
        // allows no other members.
        let other = Self::read_missing_resource(data)
            .or_else(|| Self::read_missing_capability(data))
            .or_else(|| Self::read_unsupported_version(data));
        other.or_else(|| {
            let detail = tagged(data).unwrap_or(InvalidParams::MALFORMED);
            Some(Self::InvalidParams(detail))
        })
    }

    /// Reads exactly `{ uri }`, because the error has another meaning with further members.
    fn read_missing_resource(data: Option<&Value>) -> Option<Self> {
        data?.as_object().filter(|object| object.len() == 1)?;
        let uri = Some(text(data, "uri")?);
        Some(Self::ResourceNotFound { uri })
    }

    /// Reads the error of the code that can only mean a missing resource, with any data.
    pub(crate) fn read_resource_not_found(data: Option<&Value>) -> Option<Self> {
        let uri = text(data, "uri");
        Some(Self::ResourceNotFound { uri })
    }

    /// Reads an internal error. On revisions without a code for them, it also carries the URLs to
    /// visit.
    pub(crate) fn read_internal(data: Option<&Value>) -> Option<Self> {
        // An internal failure never has URLs, so their presence distinguishes the two.
        Self::read_url_elicitation(data)
            .or_else(|| Some(Self::Internal(tagged(data).unwrap_or(Internal::Failed))))
    }

    pub(crate) fn read_missing_capability(data: Option<&Value>) -> Option<Self> {
        let required = data?.get("requiredCapabilities")?.as_object()?.clone();
        Some(Self::MissingRequiredClientCapability { required })
    }

    pub(crate) fn read_unsupported_version(data: Option<&Value>) -> Option<Self> {
        let supported = data?.get("supported")?.as_array()?;
        let supported = supported
            .iter()
            .map(|version| version.as_str().map(str::to_owned))
            .collect::<Option<_>>()?;
        let requested = text(data, "requested")?;
        Some(Self::UnsupportedProtocolVersion {
            supported,
            requested,
        })
    }

    pub(crate) fn read_url_elicitation(data: Option<&Value>) -> Option<Self> {
        let elicitations = data?.get("elicitations")?.as_array()?;
        let elicitations = elicitations
            .iter()
            .map(one_elicitation)
            .collect::<Option<_>>()?;
        Some(Self::UrlElicitationRequired { elicitations })
    }
}

/// Reads one elicitation. Only the mode `url` is valid, because an error can't contain a form.
fn one_elicitation(json: &Value) -> Option<UrlElicitation> {
    json.get("mode").filter(|mode| *mode == "url")?;
    tagged(Some(json))
}

/// `data` as a `T`, if it is an object of that shape. Unknown members are ignored.
pub(crate) fn tagged<T: DeserializeOwned>(data: Option<&Value>) -> Option<T> {
    // serde would also accept an array, but no specification defines one.
    T::deserialize(data.filter(|data| data.is_object())?).ok()
}

fn text(data: Option<&Value>, key: &str) -> Option<String> {
    data?.get(key)?.as_str().map(str::to_owned)
}

fn to_value(detail: &impl Serialize) -> Value {
    serde_json::to_value(detail)
        .expect("a detail with data is strings and numbers under string keys")
}
