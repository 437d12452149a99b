//! Errors that are for the log alone: the peer gets a number that finds them there.

use std::error::Error;

use plainly_errors::{Internal, ProtocolError};

/// The number of an error that was logged.
#[derive(Debug)]
pub(in crate::server) struct Incident(String);

impl Incident {
    /// Logs `error` with everything that caused it, and numbers it.
    pub(in crate::server) fn of(error: &dyn Error) -> Self {
        let mut bits = [0; 8];
        // Without randomness the log line is still found by its time.
        let number = getrandom::fill(&mut bits).map_or_else(
            |_| "unnumbered".to_owned(),
            |()| format!("{:016x}", u64::from_ne_bytes(bits)),
        );
        tracing::error!(incident = number, error = %chain(error), "a handler failed");
        Self(number)
    }
}

impl From<Incident> for ProtocolError {
    fn from(Incident(incident): Incident) -> Self {
        Internal::Incident { incident }.into()
    }
}

/// An error and everything that caused it, for the log.
pub(in crate::server) fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    for cause in std::iter::successors(error.source(), |&cause| cause.source()) {
        text = format!("{text}: {cause}");
    }
    text.escape_debug().to_string()
}
