//! The reason why a question has no answer.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use plainly_errors::mistake::printable;
use plainly_errors::{ProtocolError, WireError};
use serde_json::{Map, Value};

/// A question without an answer. A user who declines has answered.
///
/// If a handler fails with this error, it is reported like a protocol error with the same message.
/// If the client did not declare the required capability, the host's code gets the error, even if a
/// tool asked, because the client must declare the capability before the tool can work.
#[derive(Clone, Debug, PartialEq)]
pub struct AskError {
    kind: AskErrorKind,
    error: ProtocolError,
}

/// The reason why a question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum AskErrorKind {
    /// The client did not declare the capability for this question, or its revision has no way to
    /// declare it. A handler that can work without the answer continues.
    Undeclared,
    /// The client answered with an error.
    Refused,
    /// The client did not answer in time ([`answer`](crate::limits::QuestionLimits::answer)).
    Unanswered,
    /// The client's answer does not match the question.
    Unreadable,
    /// Too many questions are open ([`open`](crate::limits::QuestionLimits::open)).
    TooMany,
    /// The request that asked the question is over, or its session is.
    Over,
    /// A request of this kind can't be answered with a question, or a form can't ask for this type.
    Impossible,
}

impl AskError {
    /// The reason why the question has no answer.
    pub fn kind(&self) -> AskErrorKind {
        self.kind
    }

    fn new(kind: AskErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            error: ProtocolError::internal(message.into()),
        }
    }

    pub(crate) fn undeclared(required: Map<String, Value>) -> Self {
        Self {
            kind: AskErrorKind::Undeclared,
            error: ProtocolError::missing_client_capability(required),
        }
    }

    /// The error for a client that responded with `error`, the member of its response.
    pub(crate) fn refused(key: &str, error: &str) -> Self {
        let words = match serde_json::from_str::<WireError>(error) {
            Ok(error) => format!("{} ({})", printable(&error.message), error.code),
            Err(_) => printable(error).into_owned(),
        };
        let why = format!("The client did not answer {key}: {words}");
        Self::new(AskErrorKind::Refused, why)
    }

    pub(crate) fn unanswered(key: &str, limit: Duration) -> Self {
        let seconds = limit.as_secs();
        let why = format!("The client did not answer {key} within {seconds} s");
        Self::new(AskErrorKind::Unanswered, why)
    }

    pub(crate) fn unreadable(key: &str, why: &str) -> Self {
        let why = format!("The client's answer to {key} is not what was asked for: {why}");
        Self::new(AskErrorKind::Unreadable, why)
    }

    pub(crate) fn too_many(most: usize) -> Self {
        let why = format!("More than {most} questions to the client would be open at once");
        Self::new(AskErrorKind::TooMany, why)
    }

    pub(crate) fn over() -> Self {
        let why = "The client can no longer be asked: the request is over";
        Self::new(AskErrorKind::Over, why)
    }

    pub(crate) fn impossible() -> Self {
        let why = "The client can't be asked before a request of this kind is answered";
        Self::new(AskErrorKind::Impossible, why)
    }

    pub(crate) fn no_form(why: &str) -> Self {
        let why = format!("The client can't be asked: {why}");
        Self::new(AskErrorKind::Impossible, why)
    }

    pub(crate) fn unwritable(error: &serde_json::Error) -> Self {
        let why = format!("The question could not be written: {error}");
        Self::new(AskErrorKind::Impossible, why)
    }
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.error.message())
    }
}

/// The source is the protocol error that reports this error.
impl Error for AskError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.error)
    }
}

impl From<AskError> for ProtocolError {
    fn from(error: AskError) -> Self {
        error.error
    }
}
