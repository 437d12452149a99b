//! Conversions to and from the errors of the SDK `rmcp`, for its users: its servers can respond
//! with the errors of this crate, and its clients can recognise them. The conversions use
//! [`WireError`], as on the wire.

use rmcp::model::{ErrorCode, ErrorData};

use crate::code::Code;
use crate::problem::Problem;
use crate::protocol_error::ProtocolError;
use crate::registry::Dialect;
use crate::revision::Revision;
use crate::wire_error::WireError;

/// Converts the error without its HTTP status, which rmcp chooses. A code beyond 32 bits, which
/// rmcp can't hold, becomes -32603.
impl From<WireError> for ErrorData {
    fn from(error: WireError) -> Self {
        // A code truncated to 32 bits could be another code with another meaning.
        let code = i32::try_from(error.code.get()).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
        Self::new(code, error.message, error.data)
    }
}

/// Writes the error for a peer of any revision, with a code that all of them have. The error is
/// still recognised. For a peer of a known revision, [encode](Dialect::encode) the error and
/// convert the result.
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
        // Every later revision also has the codes of the oldest one.
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

/// The error object as it was received.
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
