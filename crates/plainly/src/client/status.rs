//! An HTTP status that is no success: what it says beside an error of the server's, and when it says more. Knows no bodies
//! and no headers.

#[cfg(feature = "http-client")]
use plainly_errors::{ErrorKind, Internal, InvalidParams, InvalidRequest, ProtocolError};

#[cfg(feature = "http-client")]
use super::error::{Error, LocalError};

/// Whether a status is about whoever asks, or of somebody in between: it tells nothing about the server's era, and counts
/// for more than a number in the body that could mean anything.
pub(super) fn is_of_the_way(code: u16) -> bool {
    matches!(code, 401 | 403 | 407 | 429 | 502..=504)
}

/// The status of a response that is no success.
#[cfg(feature = "http-client")]
#[derive(Clone, Copy, Debug)]
pub(super) struct Status {
    pub(super) code: u16,
}

#[cfg(feature = "http-client")]
impl Status {
    /// What a call ends with that was answered with this error of the server's.
    pub(super) fn refuse(self, method: &'static str, error: ProtocolError) -> Error {
        if is_of_the_way(self.code) && is_vague(&error) {
            self.report(method, String::new(), Some(error))
        } else {
            error.into()
        }
    }

    /// What a call ends with that was answered with no message, but with a body that begins like this.
    pub(super) fn explain(self, method: &'static str, body: String) -> Error {
        self.report(method, body, None)
    }

    fn report(self, method: &'static str, body: String, source: Option<ProtocolError>) -> Error {
        LocalError::HttpStatus {
            method,
            status: self.code,
            body,
            source,
        }
        .into()
    }
}

/// Whether there is nothing in the error but a number and a message: servers pick any number for what the status says.
#[cfg(feature = "http-client")]
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
