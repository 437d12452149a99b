//! The parts of an error's text: facts of the response, shortened for display.

use std::fmt;
use std::time::Duration;

use plainly_errors::ProtocolError;
use plainly_errors::problem::wait_in_words;

use super::bounded::BoundedText;
use super::{Challenge, Error, LocalError};

/// The most versions that are named.
const NAMED: usize = 20;

plainly_errors::debug_with_causes!(Error, LocalError);

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Protocol(error) => answer(error, f),
            Self::Local(error) => error.fmt(f),
        }
    }
}

/// Writes the server's message, and its code.
fn answer(error: &ProtocolError, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match error.message().trim() {
        "" => f.write_str("no reason was given")?,
        message => write!(f, "{}", BoundedText(message))?,
    }
    match error.named_code() {
        Some(code) => write!(f, " ({code})"),
        None => Ok(()),
    }
}

/// The requirements that a status and its headers state.
pub(super) struct Asks<'a> {
    status: u16,
    location: Option<&'a str>,
    challenge: Option<&'a Challenge>,
    /// The fault of an unreadable challenge.
    malformed: Option<&'a str>,
    wait: Option<Duration>,
    /// The JSON-RPC error in the response, which is shown after this.
    beside: Option<&'a ProtocolError>,
}

impl<'a> Asks<'a> {
    pub(super) fn of(
        status: u16,
        location: &'a Option<String>,
        (challenges, malformed): (&'a [Challenge], &'a [String]),
        wait: Option<Duration>,
        beside: &'a Option<ProtocolError>,
    ) -> Self {
        Self {
            status,
            location: location.as_deref(),
            challenge: Challenge::main(challenges),
            malformed: malformed.first().map(String::as_str),
            wait,
            beside: beside.as_ref(),
        }
    }

    /// Whether the text of the JSON-RPC error already contains `why`.
    fn is_said(&self, why: &str) -> bool {
        let mut beside = self.beside.iter();
        beside.any(|error| error.message().ends_with(why))
    }
}

impl fmt::Display for Asks<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.status, self.challenge) {
            (401, None) => {
                f.write_str("; the server wants credentials in the header `Authorization`")?;
            }
            (401, Some(challenge)) => match challenge.rejection() {
                Some(why) if self.is_said(why) => {}
                Some(why) => write!(f, "; the server rejected the token: {}", BoundedText(why))?,
                None => write!(
                    f,
                    "; the server wants {challenge} in the header `Authorization`"
                )?,
            },
            (403, Some(challenge)) => write!(f, "; the server wants {challenge}")?,
            (407, _) => f.write_str("; a proxy wants credentials")?,
            _ => {}
        }
        if let Some(malformed) = self.malformed {
            write!(f, "; {}", BoundedText(malformed))?;
        }
        if let Some(location) = self.location {
            write!(f, "; it has moved to {}", BoundedText(location))?;
        }
        match self.wait {
            Some(wait) => write!(f, "; try again in {}", wait_in_words(wait)),
            None => Ok(()),
        }
    }
}

/// The message that came instead of a reply.
pub(super) struct Instead<'a>(pub(super) &'a Option<String>);

impl fmt::Display for Instead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(instead) => write!(f, "; the server sent {} instead", BoundedText(instead)),
            None => Ok(()),
        }
    }
}

/// The server's text about the failure.
pub(super) struct ServerText<'a>(pub(super) &'a Option<String>);

impl fmt::Display for ServerText<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(said) => write!(f, ": {}", BoundedText(said)),
            None => Ok(()),
        }
    }
}

/// Several values, in their order.
pub(super) struct CommaSeparated<'a, T>(pub(super) &'a [T]);

impl<T: fmt::Display> fmt::Display for CommaSeparated<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, rest)) = self.0.split_first() else {
            return f.write_str("none");
        };
        write!(f, "{}", BoundedText(&first.to_string()))?;
        let mut rest = rest.iter();
        for item in rest.by_ref().take(NAMED) {
            write!(f, ", {}", BoundedText(&item.to_string()))?;
        }
        match rest.len() {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}
