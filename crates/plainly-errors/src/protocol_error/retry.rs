//! Whether and when to send a failed request again: by its problem, otherwise by the error's row in
//! the table.

use std::time::Duration;

use super::ProtocolError;
use crate::kind::{ErrorKind, Unavailable};
use crate::problem::seconds;
use crate::registry::retry_of;
use crate::registry::table::condition;
use crate::retry::Retry;

/// The time to wait for an overloaded server that does not state one.
const OVERLOADED: Duration = Duration::from_secs(1);

/// The members of data in which peers state a time to wait.
const HINTS: [&str; 2] = ["retry_after", "retryAfter"];

impl ProtocolError {
    /// Whether sending the request again helps, and under which condition. A problem counts for
    /// more than the number beside it, and a time for a retry for more than its code.
    pub fn retry(&self) -> Retry {
        match self.problem() {
            // Nobody states a time to wait if the request would fail again anyway.
            _ if self.hint().is_some() => Retry::AfterDelay,
            Some(problem) => problem.code().retry(),
            None => match condition(self.kind()) {
                Some(condition) => condition.retry(),
                // The registry may still have a peer's code that we never send.
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

    /// The time to wait before the request is sent again, if the error names one: as a problem's
    /// hint, as `retry_after` or `retryAfter` (seconds) of a peer's data, or as the HTTP header
    /// beside it (the longer of them), which are the peer's to choose and may be ages; or as an
    /// overloaded server's, a second.
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

    /// The time to wait in the error itself, without the headers beside it.
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
