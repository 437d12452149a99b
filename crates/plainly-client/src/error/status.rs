//! HTTP statuses other than success: the errors that calls end with, and the cases in which the
//! status means more than the JSON-RPC error in the response. Knows neither bodies nor headers.

use std::time::Duration;

use plainly_errors::{AnsweredRequest, Certainty, ProtocolError, WireError};

use crate::error::{Challenges, Error, LocalError, is_of_the_way};

/// The most bytes that are stored of an unreadable body: enough for the title of a page.
pub(crate) const EXCERPT: usize = 4 << 10;

/// The status of a response, other than success, and its related headers.
#[derive(Clone, Debug)]
pub(crate) struct HttpStatus {
    pub(crate) code: u16,
    /// The time to wait that the server asks for.
    pub(crate) retry_after: Option<Duration>,
    /// The URL to use instead.
    pub(crate) location: Option<String>,
    /// The credentials that the server wants.
    pub(crate) challenges: Challenges,
}

impl HttpStatus {
    /// The error of a call that the server answered with `wire` and this status.
    pub(crate) fn refuse(
        &self,
        method: &'static str,
        subject: Option<&str>,
        mut wire: WireError,
        least: Certainty,
    ) -> Error {
        wire.http_status = self.code;
        wire.retry_after = self.retry_after;
        let error = wire.recognise_as(AnsweredRequest { method, subject }, least);
        let is_bare = error.kind().is_vague() && error.problem().is_none();
        if is_of_the_way(self.code) && is_bare || !self.challenges.readable.is_empty() {
            self.report(method, String::new(), Some(error))
        } else {
            error.into()
        }
    }

    /// The error of a call that was answered with this status, and with a body that is not a
    /// message.
    pub(crate) fn explain(&self, method: &'static str, body: &[u8]) -> Error {
        let excerpt = String::from_utf8_lossy(body.get(..EXCERPT).unwrap_or(body));
        self.report(method, excerpt.into_owned(), None)
    }

    fn report(&self, method: &'static str, body: String, source: Option<ProtocolError>) -> Error {
        LocalError::HttpStatus {
            method,
            status: self.code,
            body,
            retry_after: self.retry_after,
            location: self.location.clone(),
            challenges: self.challenges.readable.clone(),
            malformed: self.challenges.malformed.clone(),
            source,
        }
        .into()
    }
}
