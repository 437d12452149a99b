//! Whether a failed call is worth another attempt, and when: according to the server if it names a
//! time, otherwise according to the failure.

use std::time::Duration;

use plainly_errors::{HttpStatus, Retry};

use super::{CloseReason, Error, LocalError};

impl Error {
    /// Whether the same call may succeed later, unchanged: a server that is overloaded, silent or
    /// gone may recover. After [`ConnectionEnd`](LocalError::Closed), it can only succeed on a new
    /// connection.
    ///
    /// Whether it is safe to make the call *twice* is a different question, which only the method
    /// or the tool can answer: without a reply, the client can't know whether the server acted on
    /// the call.
    pub fn is_retryable(&self) -> bool {
        match self {
            Self::Protocol(error) => error.is_retryable(),
            Self::Local(error) => is_retryable(error),
        }
    }

    /// The time to wait before the next attempt, if the server names one: in its error, in
    /// `Retry-After`, or in the stream that broke off. Of the error's time and `Retry-After`, the
    /// longer one counts. The server chooses the time, which may be very long.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.local() {
            Some(LocalError::HttpStatus { retry_after, .. }) => {
                retry_after.filter(|_| self.is_retryable())
            }
            Some(LocalError::Interrupted { retry_after, .. }) => *retry_after,
            _ => self.protocol()?.retry_after(),
        }
    }
}

fn is_retryable(error: &LocalError) -> bool {
    match error {
        LocalError::Timeout { .. }
        | LocalError::Unreachable { .. }
        | LocalError::Interrupted { .. } => true,
        LocalError::Closed(closed) => match closed.reason {
            CloseReason::Peer | CloseReason::Read(_) | CloseReason::Write(_) => true,
            CloseReason::Ours | CloseReason::LineTooLong { .. } | CloseReason::NotMessages => false,
        },
        LocalError::HttpStatus { status, .. } => HttpStatus::of(*status).retry == Retry::AfterDelay,
        LocalError::Authorization(error) => error.is_retryable(),
        LocalError::Spawn { .. }
        | LocalError::InvalidResponse { .. }
        | LocalError::IrregularError { .. }
        | LocalError::InvalidOutput { .. }
        | LocalError::NotDeclared { .. }
        | LocalError::UnsupportedVersion { .. }
        | LocalError::NotInRevision { .. }
        | LocalError::Unanswered { .. }
        | LocalError::TooManyRounds { .. }
        | LocalError::TaskLost { .. }
        | LocalError::TaskCancelled { .. }
        | LocalError::SessionLost
        | LocalError::TooManyPages { .. }
        | LocalError::EndlessListing { .. }
        | LocalError::NotListed { .. }
        | LocalError::InvalidSkill { .. }
        | LocalError::DynamicSkill { .. }
        | LocalError::SkillMismatch { .. }
        | LocalError::NotInSkill { .. }
        | LocalError::Parameters { .. }
        | LocalError::Configuration { .. }
        | LocalError::ReservedHeader { .. } => false,
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::Arc;

    use plainly_errors::{
        ApplicationCode, InvalidParams, Problem, ProtocolError, Revision, Unavailable,
    };

    use super::*;
    use crate::ConnectionEnd;

    const METHOD: &str = "tools/list";

    fn check(cases: impl IntoIterator<Item = (Error, bool, Option<u64>)>) {
        for (error, retryable, seconds) in cases {
            assert_eq!(error.is_retryable(), retryable, "{error:?}");
            let after = seconds.map(Duration::from_secs);
            assert_eq!(error.retry_after(), after, "{error:?}");
        }
    }

    #[test]
    fn a_servers_error_says_it_itself() {
        let limited = Problem::rate_limited("calls", Duration::from_secs(60));
        check(
            [
                (ProtocolError::parse_error("m"), false, None),
                (ProtocolError::invalid_request("m"), false, None),
                (ProtocolError::method_not_found("m"), false, None),
                (InvalidParams::InvalidCursor.into(), false, None),
                (ProtocolError::resource_not_found("u"), false, None),
                (ProtocolError::internal("m"), true, None),
                (Unavailable::Overloaded.into(), true, Some(1)),
                (Unavailable::ShuttingDown.into(), true, None),
                (ProtocolError::header_mismatch("m"), false, None),
                (
                    ProtocolError::application(ApplicationCode::of::<429>(), "m"),
                    false,
                    None,
                ),
                (limited.to_protocol_error(), true, Some(60)),
            ]
            .map(|(error, retryable, seconds)| (error.into(), retryable, seconds)),
        );
    }

    #[test]
    fn a_status_is_retried_where_it_passes() {
        check(
            [
                (429, Some(7), true, Some(7)),
                (503, Some(0), true, Some(0)),
                (503, None, true, None),
                (408, None, true, None),
                // As after an internal error, the client can't know whether the server acted on the
                // call.
                (500, None, true, None),
                (502, None, true, None),
                (599, None, true, None),
                (504, None, true, None),
                (301, Some(7), false, None),
                (400, None, false, None),
                (401, Some(7), false, None),
                (404, None, false, None),
                (501, None, false, None),
                (511, None, false, None),
            ]
            .map(|(status, header, retryable, seconds)| {
                let error = LocalError::HttpStatus {
                    method: METHOD,
                    status,
                    body: String::new(),
                    retry_after: header.map(Duration::from_secs),
                    location: None,
                    challenges: Vec::new(),
                    malformed: Vec::new(),
                    source: None,
                };
                (error.into(), retryable, seconds)
            }),
        );
    }

    #[test]
    fn a_connection_is_retried_unless_it_ended_for_a_reason_that_stays() {
        check(
            [
                (CloseReason::Peer, true),
                (CloseReason::Read(io::ErrorKind::Other.into()), true),
                (CloseReason::Write(io::ErrorKind::BrokenPipe.into()), true),
                (CloseReason::Ours, false),
                (CloseReason::LineTooLong { limit: 1 }, false),
                (CloseReason::NotMessages, false),
            ]
            .map(|(reason, retryable)| {
                let closed = Arc::new(ConnectionEnd::without_words(reason));
                (LocalError::Closed(closed).into(), retryable, None)
            }),
        );
    }

    #[test]
    fn what_failed_on_the_way_is_retried_and_what_stays_wrong_is_not() {
        let text = String::new;
        let method = METHOD;
        let limit = 1;
        let unreachable = LocalError::Unreachable {
            url: text(),
            source: "refused".into(),
        };
        let spawn = LocalError::Spawn {
            program: text(),
            source: io::ErrorKind::NotFound.into(),
        };
        let version = LocalError::UnsupportedVersion {
            offered: vec![],
            wanted: vec![],
        };
        let (revision, what, value) = (Revision::LATEST, "HTTP URL", text());
        let (name, why) = (text(), "it follows from the URL");
        check(
            [
                (unreachable, true),
                (spawn, false),
                (version, false),
                (LocalError::NotInRevision { method, revision }, false),
                (LocalError::SessionLost, false),
                (LocalError::TooManyPages { method, limit }, false),
                (LocalError::EndlessListing { method }, false),
                (LocalError::NotListed { uri: text() }, false),
                (LocalError::Configuration { what, value }, false),
                (LocalError::ReservedHeader { name, why }, false),
            ]
            .map(|(error, retryable)| (error.into(), retryable, None)),
        );
        let source = None;
        check([
            (
                LocalError::Parameters { method, source }.into(),
                false,
                None,
            ),
            (Error::invalid_response(method, "m"), false, None),
        ]);
    }

    #[test]
    fn what_did_not_come_to_its_end_is_retried_when_the_server_says() {
        let timeout = LocalError::Timeout {
            method: METHOD,
            after: Duration::ZERO,
            instead: None,
        };
        check([(timeout.into(), true, None)]);
        for (retry_after, seconds) in [(None, None), (Some(Duration::from_secs(7)), Some(7))] {
            let broken = LocalError::Interrupted {
                method: METHOD,
                instead: None,
                retry_after,
                source: None,
            };
            check([(broken.into(), true, seconds)]);
        }
    }
}
