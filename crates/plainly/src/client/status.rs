//! An HTTP status that is no success: what it says beside an error of the server's, and when it says more. Knows no bodies
//! and no headers.

use std::time::Duration;

use plainly_errors::{ErrorKind, Internal, InvalidParams, InvalidRequest, ProtocolError};

use super::error::{Error, LocalError, is_of_the_way};

/// How much is shown of what can't be read.
pub(super) const EXCERPT: usize = 512;

/// The status of a response that is no success.
#[derive(Clone, Copy, Debug)]
pub(super) struct HttpStatus {
    pub(super) code: u16,
    /// How long the server asks to wait.
    pub(super) retry_after: Option<Duration>,
}

impl HttpStatus {
    /// What a call ends with that was answered with this error of the server's.
    pub(super) fn refuse(self, method: &'static str, error: ProtocolError) -> Error {
        if is_of_the_way(self.code) && is_vague(&error) {
            self.report(method, String::new(), Some(error))
        } else {
            error.into()
        }
    }

    /// What a call ends with that was answered with no message, but with a body that begins like this.
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

/// Whether there is nothing in the error but a number and a message: servers pick any number for what the status says.
fn is_vague(error: &ProtocolError) -> bool {
    let is_bare = matches!(
        error.kind(),
        ErrorKind::Parse
            | ErrorKind::InvalidRequest(InvalidRequest::Malformed)
            | ErrorKind::MethodNotFound { method: None }
            | ErrorKind::InvalidParams(InvalidParams::Malformed)
            | ErrorKind::Internal(Internal::Failed)
            | ErrorKind::Application { .. }
            | ErrorKind::Unrecognised { .. }
    );
    is_bare && error.problem().is_none()
}
