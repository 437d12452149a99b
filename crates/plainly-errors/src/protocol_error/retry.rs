//! Whether a failed request is worth sending again, and when: by what the problem says, else by the error's row in the
//! table.

use std::time::Duration;

use super::ProtocolError;
use crate::kind::{ErrorKind, Unavailable};
use crate::registry::retry_of;
use crate::registry::table::condition;
use crate::retry::Retry;

/// How long to leave a server alone that has too much to do and does not say how long.
const OVERLOADED: Duration = Duration::from_secs(1);

impl ProtocolError {
    /// Whether sending the request again helps, and under which condition. What a problem says counts for more than the
    /// number beside it, and a hint when to try again for more than its code.
    pub fn retry(&self) -> Retry {
        match self.problem() {
            // Nobody names a time after which it would fail again.
            Some(problem) if problem.retry_hint().is_some() => Retry::AfterDelay,
            Some(problem) => problem.code().retry(),
            None => match condition(self.kind()) {
                Some(condition) => condition.retry(),
                // A peer's code that we never write may be in the registry nevertheless.
                None => self.kind().own_code().map_or(Retry::Never, retry_of),
            },
        }
    }

    /// Whether the same request may succeed later, unchanged. Whether it may be sent *twice* is another question, which
    /// only the method or the tool can answer.
    ///
    /// ```
    /// use plainly_errors::{Problem, ProtocolError};
    ///
    /// assert!(ProtocolError::internal("Disk full").is_retryable());
    /// assert!(!ProtocolError::invalid_params("no such thing").is_retryable());
    /// assert!(Problem::timeout("export").to_protocol_error().is_retryable());
    /// assert!(!Problem::operation_failed("It can't be done.").to_protocol_error().is_retryable());
    /// ```
    pub fn is_retryable(&self) -> bool {
        match self.retry() {
            Retry::AfterDelay | Retry::Immediately => true,
            Retry::Never | Retry::AfterFix => false,
        }
    }

    /// How long to wait before the request is sent again, if the error says so: as a problem's hint, which is the peer's to
    /// choose and may be ages, or as an overloaded server's, a second.
    ///
    /// ```
    /// use std::time::Duration;
    ///
    /// use plainly_errors::{Problem, ProtocolError, Unavailable};
    ///
    /// let minute = Duration::from_secs(60);
    /// let error = Problem::rate_limited("api_calls", minute).to_protocol_error();
    /// assert_eq!(error.retry_after(), Some(minute));
    /// assert!(ProtocolError::from(Unavailable::Overloaded).retry_after().is_some());
    /// ```
    pub fn retry_after(&self) -> Option<Duration> {
        match (self.problem(), self.kind()) {
            (Some(problem), _) => problem.retry_hint(),
            (None, ErrorKind::Unavailable(Unavailable::Overloaded)) => Some(OVERLOADED),
            (None, _) => None,
        }
    }
}
