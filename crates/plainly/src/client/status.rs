//! HTTP statuses other than success: the errors that calls end with, and when the status says more than the server's
//! error beside it. Knows neither bodies nor headers.

use std::time::Duration;

use plainly_errors::{ErrorKind, Internal, InvalidParams, InvalidRequest, ProtocolError};

use super::error::{Error, LocalError, is_of_the_way};

/// The most bytes that are shown of an unreadable body.
pub(super) const EXCERPT: usize = 512;

/// The status of a response, other than success.
#[derive(Clone, Copy, Debug)]
pub(super) struct HttpStatus {
    pub(super) code: u16,
    /// The time that the server asks to wait.
    pub(super) retry_after: Option<Duration>,
}

impl HttpStatus {
    /// The error of a call that the server answered with `error` and this status.
    pub(super) fn refuse(self, method: &'static str, error: ProtocolError) -> Error {
        if is_of_the_way(self.code) && is_vague(&error) {
            self.report(method, String::new(), Some(error))
        } else {
            error.into()
        }
    }

    /// The error of a call that was answered with this status, and with a body that is not a message.
    pub(super) fn explain(self, method: &'static str, body: &[u8]) -> Error {
        let excerpt = String::from_utf8_lossy(body.get(..EXCERPT).unwrap_or(body));
        self.report(method, excerpt.into_owned(), None)
    }

    fn report(self, method: &'static str, body: String, source: Option<ProtocolError>) -> Error {
        LocalError::HttpStatus {
            method,
            status: self.code,
            body,
            retry_after: self.retry_after,
            source,
        }
        .into()
    }
}

/// Whether the error has nothing but a number and a message: servers choose arbitrary numbers for what the status says.
fn is_vague(error: &ProtocolError) -> bool {
    let is_bare = matches!(
        error.kind(),
        ErrorKind::Parse
            | ErrorKind::InvalidRequest(InvalidRequest::Malformed)
            | ErrorKind::MethodNotFound { method: None }
            | ErrorKind::InvalidParams(InvalidParams::Malformed { .. })
            | ErrorKind::Internal(Internal::Failed)
            | ErrorKind::Application { .. }
            | ErrorKind::Unrecognised { .. }
    );
    is_bare && error.problem().is_none()
}
