//! What can happen: the kinds of protocol errors, and how to choose between them.

use serde_json::{Map, Value};

use super::{Internal, InvalidParams, InvalidRequest, Unavailable, UrlElicitation};
use crate::code::{ApplicationCode, Code};

/// What happened. Match on this, not on codes or messages.
///
/// Each says when to choose it over its neighbours. The first question is whose fault it is: the sender's bytes
/// ([`Parse`](Self::Parse)), its message ([`InvalidRequest`](Self::InvalidRequest), [`HeaderMismatch`](Self::HeaderMismatch)),
/// its parameters ([`InvalidParams`](Self::InvalidParams), [`ResourceNotFound`](Self::ResourceNotFound)), what it is able to
/// do, or the server's own ([`Internal`](Self::Internal), [`Unavailable`](Self::Unavailable)).
///
/// What went wrong in an application's own terms is a [`Problem`](crate::Problem), which is of one of these kinds too; see
/// [`ProtocolError::problem`](super::ProtocolError::problem).
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
    /// those: any other header that is wrong is a [`Refusal`](super::Refusal). The client lists the tools again, then retries.
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
