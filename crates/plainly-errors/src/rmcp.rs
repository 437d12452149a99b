//! To and from the errors of the SDK `rmcp`, for its users: its servers then answer with the errors of this crate, and
//! its clients recognise them. By the way of [`WireError`], as on the wire.

use rmcp::model::{ErrorCode, ErrorData};

use crate::code::Code;
use crate::problem::Problem;
use crate::protocol_error::ProtocolError;
use crate::registry::Dialect;
use crate::revision::Revision;
use crate::wire_error::WireError;

/// This error, without the HTTP status, which is up to rmcp. A code beyond 32 bits, which rmcp
/// can't hold, becomes
/// -32603.
impl From<WireError> for ErrorData {
    fn from(error: WireError) -> Self {
        // A code cut to 32 bits could be another one, with a meaning of its own.
        let code = i32::try_from(error.code.get()).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
        Self::new(code, error.message, error.data)
    }
}

/// Written for a peer of any revision, with a code that all of them have; it is recognised all the same. For a peer of
/// a known revision [encode](Dialect::encode) it, and convert that.
///
/// ```
/// use plainly_errors::ProtocolError;
/// use rmcp::model::{ErrorCode, ErrorData};
///
/// async fn read(uri: &str) -> Result<String, ErrorData> {
///     Err(ProtocolError::resource_not_found(uri))?
/// }
///
/// let error = ErrorData::from(ProtocolError::resource_not_found("note://7"));
/// assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
/// assert!(ProtocolError::from(error).is_resource_not_found());
/// ```
impl From<ProtocolError> for ErrorData {
    fn from(error: ProtocolError) -> Self {
        // Every later revision has the codes of the oldest one too.
        let [oldest, ..] = Revision::ALL;
        Dialect::default().encode(&error, oldest).into()
    }
}

/// The problem as a [protocol error](Problem::to_protocol_error).
///
/// ```
/// use plainly_errors::{Problem, ProblemCode, ProtocolError};
/// use rmcp::model::ErrorData;
///
/// let error = ErrorData::from(Problem::already_exists("user", "ada"));
/// assert_eq!(error.code.0, 409);
/// let received = ProtocolError::from(error);
/// assert_eq!(received.problem().unwrap().code(), &ProblemCode::AlreadyExists);
/// ```
impl From<Problem> for ErrorData {
    fn from(problem: Problem) -> Self {
        problem.to_protocol_error().into()
    }
}

/// The error object as received.
impl From<ErrorData> for WireError {
    fn from(error: ErrorData) -> Self {
        Self::received(Code::new(error.code.0.into()), error.message, error.data)
    }
}

/// The typed error, [recognised](WireError::recognise).
impl From<ErrorData> for ProtocolError {
    fn from(error: ErrorData) -> Self {
        WireError::from(error).recognise()
    }
}
