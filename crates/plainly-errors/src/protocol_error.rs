//! The typed protocol error: what happened, said where it is known. It has no number and no HTTP status: those follow
//! from its type and the peer's revision in [`dialect`](crate::dialect), and nowhere else.

mod detail;
mod message;

use std::borrow::Cow;
use std::error::Error;
use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value};

pub use self::detail::{
    Internal, InvalidParams, InvalidRequest, Refusal, Unavailable, UrlElicitation,
};
use crate::code::{ApplicationCode, Code};

/// A JSON-RPC error response before it is written, or after it was recognised. One word wide.
///
/// Compared by what it says, [`kind`](Self::kind), [`message`](Self::message) and [`received_data`](Self::received_data),
/// not by its source.
#[derive(Clone, Debug)]
pub struct ProtocolError(Box<Inner>);

#[derive(Clone, Debug)]
struct Inner {
    kind: ErrorKind,
    message: Option<Cow<'static, str>>,
    /// Only where `kind` has no data of its own.
    received_data: Option<Value>,
    source: Option<Arc<dyn Error + Send + Sync>>,
}

/// What happened. Match on this, not on codes or messages.
///
/// Each says when to choose it over its neighbours. The first question is whose fault it is: the sender's bytes
/// ([`Parse`](Self::Parse)), its message ([`InvalidRequest`](Self::InvalidRequest), [`HeaderMismatch`](Self::HeaderMismatch)),
/// its parameters ([`InvalidParams`](Self::InvalidParams), [`ResourceNotFound`](Self::ResourceNotFound)), what it is able to
/// do, or the server's own ([`Internal`](Self::Internal), [`Unavailable`](Self::Unavailable)).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are not JSON in UTF-8. What is JSON but no message is [`InvalidRequest`](Self::InvalidRequest). The sender
    /// has a bug: sending again does not help.
    Parse,
    /// The message as a whole can't be served here, whatever its method; the detail says why. Once the method is known
    /// and only its parameters are wrong, it is [`InvalidParams`](Self::InvalidParams).
    InvalidRequest(InvalidRequest),
    /// Nobody serves this method, or it belongs to a server capability that was not advertised. A tool, prompt or
    /// resource that does not exist is a wrong *parameter* of a method that does.
    MethodNotFound {
        /// The method as requested. `None` only when a peer did not name it.
        method: Option<String>,
    },
    /// The method's parameters are wrong; the detail says how. For a resource that could exist and does not, choose
    /// [`ResourceNotFound`](Self::ResourceNotFound); for arguments that fail a tool's input schema a tool error, which
    /// the model can read and mend.
    InvalidParams(InvalidParams),
    /// The resource does not exist, or not for this caller, who must not learn the difference (SEP-2164). A URI that no
    /// resource could have is [`InvalidParams::InvalidUri`]; one that is there and can't be read has its own detail in
    /// [`InvalidParams`](Self::InvalidParams) or is [`Internal`](Self::Internal).
    ResourceNotFound {
        /// The URI as requested. `None` only when a peer's -32002 did not name it.
        uri: Option<String>,
    },
    /// Something failed inside the server; nothing that the caller sent would help. Choose
    /// [`Unavailable`](Self::Unavailable) if nothing failed and there is only too much to do.
    Internal(Internal),
    /// The server takes no more requests now, and has not begun this one: it may be sent again later.
    Unavailable(Unavailable),
    /// HTTP headers that mirror the body are missing, malformed or contradict it (2026-07-28, "Server Validation"). Only
    /// those: any other header that is wrong is a [`Refusal`]. The client lists the tools again, then retries.
    HeaderMismatch,
    /// Serving the request takes a capability that the client did not declare. A capability that the *server* did not
    /// advertise is [`MethodNotFound`](Self::MethodNotFound).
    MissingRequiredClientCapability {
        /// The capabilities to declare, in the shape of `ClientCapabilities`.
        required: Map<String, Value>,
    },
    /// The server does not speak the version that the request names; the client picks one of those supported and
    /// retries. A version that is not there at all is [`InvalidParams::MissingMeta`]; one that differs between header
    /// and body is [`HeaderMismatch`](Self::HeaderMismatch).
    UnsupportedProtocolVersion {
        /// The versions to choose from.
        supported: Vec<String>,
        /// The version as requested.
        requested: String,
    },
    /// The user must visit URLs before the request can be served (2025-11-25): the client opens them, then retries.
    /// Nothing else may be said with it.
    UrlElicitationRequired {
        /// Where, why, and under which id.
        elicitations: Vec<UrlElicitation>,
    },
    /// An application's own error, for conditions that none of the others states and that its clients know by number.
    Application {
        /// Its code, outside every reserved range.
        code: ApplicationCode,
        /// Its data, as the application likes; `null` is as good as none.
        data: Option<Value>,
    },
    /// A received error that no rule recognises: a code without a meaning, or one without the data that it must have.
    /// Only decoding produces it.
    Unrecognised {
        /// The code as received.
        code: Code,
        /// The data as received.
        data: Option<Value>,
    },
}

impl ProtocolError {
    /// An error of this kind with its default message.
    pub fn new(kind: ErrorKind) -> Self {
        Self(Box::new(Inner {
            kind,
            message: None,
            received_data: None,
            source: None,
        }))
    }

    /// An error as a peer sent it.
    pub(crate) fn received(
        kind: ErrorKind,
        message: Cow<'static, str>,
        data: Option<Value>,
    ) -> Self {
        Self(Box::new(Inner {
            kind,
            message: Some(message),
            received_data: data,
            source: None,
        }))
    }

    /// The bytes received are not JSON in UTF-8; `why` says what is wrong and where.
    pub fn parse_error(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Parse).with_message(why)
    }

    /// The JSON received is not a JSON-RPC message; `why` says what is wrong.
    pub fn invalid_request(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidRequest(InvalidRequest::Malformed)).with_message(why)
    }

    /// Nobody serves `method`.
    pub fn method_not_found(method: impl Into<String>) -> Self {
        Self::new(ErrorKind::MethodNotFound {
            method: Some(method.into()),
        })
    }

    /// The parameters are wrong; `why` says which and what would be right.
    pub fn invalid_params(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::InvalidParams(InvalidParams::Malformed)).with_message(why)
    }

    /// There is no resource at `uri`, or not for this caller (SEP-2164).
    pub fn resource_not_found(uri: impl Into<String>) -> Self {
        Self::new(ErrorKind::ResourceNotFound {
            uri: Some(uri.into()),
        })
    }

    /// Something failed inside; `why` is shown to the peer, so name no secrets.
    pub fn internal(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Internal(Internal::Failed)).with_message(why)
    }

    /// A mirrored header is missing, malformed or contradicts the body; `why` names it.
    pub fn header_mismatch(why: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::HeaderMismatch).with_message(why)
    }

    /// Serving the request takes client capabilities that were not declared.
    pub fn missing_client_capability(required: Map<String, Value>) -> Self {
        Self::new(ErrorKind::MissingRequiredClientCapability { required })
    }

    /// The version `requested` is not one of those `supported`.
    pub fn unsupported_version<S: Into<String>>(
        supported: impl IntoIterator<Item = S>,
        requested: impl Into<String>,
    ) -> Self {
        let supported = supported.into_iter().map(Into::into).collect();
        Self::new(ErrorKind::UnsupportedProtocolVersion {
            supported,
            requested: requested.into(),
        })
    }

    /// The user must visit these URLs first (2025-11-25; newer and older peers get what their revision has).
    pub fn url_elicitation_required(
        elicitations: impl IntoIterator<Item = UrlElicitation>,
    ) -> Self {
        Self::new(ErrorKind::UrlElicitationRequired {
            elicitations: elicitations.into_iter().collect(),
        })
    }

    /// An application's own error.
    pub fn application(code: ApplicationCode, message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Application { code, data: None }).with_message(message)
    }

    /// The same error with this message, one sentence that a person reads.
    #[must_use]
    pub fn with_message(mut self, message: impl Into<Cow<'static, str>>) -> Self {
        self.0.message = Some(message.into());
        self
    }

    /// The same error with the error that caused it, for logs; it is never on the wire.
    #[must_use]
    pub fn with_source(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.0.source = Some(Arc::from(source.into()));
        self
    }

    /// What happened.
    pub fn kind(&self) -> &ErrorKind {
        &self.0.kind
    }

    /// The sentence for a person: as given, or else made from the kind.
    pub fn message(&self) -> Cow<'_, str> {
        match &self.0.message {
            Some(message) => Cow::Borrowed(message),
            None => message::default(&self.0.kind),
        }
    }

    /// The message to keep: a fixed sentence is not copied.
    pub(crate) fn owned_message(&self) -> Cow<'static, str> {
        match &self.0.message {
            Some(message) => message.clone(),
            None => message::default(&self.0.kind),
        }
    }

    /// Data of a received error in a shape of the peer's own, where the [kind](Self::kind) is known by the code and holds
    /// nothing of it. Only decoding sets it.
    pub fn received_data(&self) -> Option<&Value> {
        self.0.received_data.as_ref()
    }

    /// Whether the resource asked for does not exist, whatever number the peer gave it.
    pub fn is_resource_not_found(&self) -> bool {
        matches!(self.0.kind, ErrorKind::ResourceNotFound { .. })
    }
}

impl PartialEq for ProtocolError {
    fn eq(&self, other: &Self) -> bool {
        self.kind() == other.kind()
            && self.message() == other.message()
            && self.received_data() == other.received_data()
    }
}

impl fmt::Display for ProtocolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.message())
    }
}

impl Error for ProtocolError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.0
            .source
            .as_ref()
            .map(|source| &**source as &(dyn Error + 'static))
    }
}

impl From<ErrorKind> for ProtocolError {
    fn from(kind: ErrorKind) -> Self {
        Self::new(kind)
    }
}

impl From<InvalidRequest> for ProtocolError {
    fn from(detail: InvalidRequest) -> Self {
        Self::new(ErrorKind::InvalidRequest(detail))
    }
}

impl From<InvalidParams> for ProtocolError {
    fn from(detail: InvalidParams) -> Self {
        Self::new(ErrorKind::InvalidParams(detail))
    }
}

impl From<Internal> for ProtocolError {
    fn from(detail: Internal) -> Self {
        Self::new(ErrorKind::Internal(detail))
    }
}

impl From<Unavailable> for ProtocolError {
    fn from(reason: Unavailable) -> Self {
        Self::new(ErrorKind::Unavailable(reason))
    }
}

impl From<Refusal> for ProtocolError {
    fn from(refusal: Refusal) -> Self {
        InvalidRequest::Refused { refusal }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_with_this_error_is_one_word() {
        assert_eq!(size_of::<Result<(), ProtocolError>>(), size_of::<usize>());
    }

    #[test]
    fn the_cause_is_in_the_source_and_not_in_the_message() {
        let error = ProtocolError::internal("the index is unreadable").with_source("disk on fire");
        assert_eq!(error.to_string(), "the index is unreadable");
        assert_eq!(error.source().unwrap().to_string(), "disk on fire");
    }
}
