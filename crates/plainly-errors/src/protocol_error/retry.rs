//! Whether and when to send a failed request again: by the problem of the error, otherwise by the
//! error's row in the table.

use std::time::Duration;

use super::ProtocolError;
use crate::kind::{ErrorKind, Unavailable};
use crate::problem::seconds;
use crate::registry::retry_of;
use crate::registry::table::condition;
use crate::retry::Retry;

/// The waiting time for an overloaded server that states none.
const OVERLOADED: Duration = Duration::from_secs(1);

/// The members of `data` in which peers state a waiting time.
const HINTS: [&str; 2] = ["retry_after", "retryAfter"];

impl ProtocolError {
    /// Whether sending the request again helps, and under which condition. A problem takes
    /// precedence over the number, and a stated waiting time over the problem's code.
    pub fn retry(&self) -> Retry {
        match self.problem() {
            // A peer states a waiting time only if the request may succeed later.
            _ if self.hint().is_some() => Retry::AfterDelay,
            Some(problem) => problem.code().retry(),
            None => match condition(self.kind()) {
                Some(condition) => condition.retry(),
                // The registry may still have a peer's code that this crate never sends.
                None => self.kind().own_code().map_or(Retry::Never, retry_of),
            },
        }
    }

    /// Whether the same request may succeed later, unchanged. Only the method or the tool
    /// determines whether it is safe to send it *twice*.
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

    /// The time to wait before the request is sent again, if the error states one. It is the
    /// problem's waiting time or `retry_after` or `retryAfter` (seconds) in a peer's data, or the
    /// HTTP header of the response if that is longer. The peer chooses these, and they may be very
    /// long. For an overloaded server without one it is one second.
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
        let hint = self.hint();
        let header = self.received().and_then(|received| received.retry_after);
        let is_overloaded = *self.kind() == ErrorKind::Unavailable(Unavailable::Overloaded);
        let header = header.filter(|_| self.is_retryable());
        hint.max(header).or(is_overloaded.then_some(OVERLOADED))
    }

    /// The waiting time in the error itself, without the HTTP headers.
    fn hint(&self) -> Option<Duration> {
        match self.problem() {
            Some(problem) => problem.retry_after(),
            None => {
                let data = self.received()?.data.as_ref()?;
                HINTS.iter().find_map(|name| seconds(data.get(name)?))
            }
        }
    }
}
