//! The meaning of an error: the outermost error along its sources that says what it is, to a model or to the host's code.

use std::error::Error;

use plainly_errors::{Problem, ProblemBag, ProtocolError};

use super::ask_error::AskError;

/// The meaning of a failure, which decides who gets which part of it.
#[derive(Debug)]
pub(in crate::server) enum Meaning<'a> {
    /// A semantic failure, for any reader.
    Problem(&'a Problem),
    /// Several of them at once.
    Problems(&'a ProblemBag),
    /// A protocol error.
    Protocol(&'a ProtocolError),
    /// A message that the handler's author wrote for the reader.
    Text(&'a str),
    /// Any other error; the server's operator decides whether it may be shown.
    Unknown(&'a (dyn Error + 'static)),
}

impl<'a> Meaning<'a> {
    /// The meaning of the outermost error that has one, from `first` along its sources.
    pub(super) fn along(first: &'a (dyn Error + 'static)) -> Self {
        std::iter::successors(Some(first), |&error| error.source())
            .take_while(|error| !is_another_servers(*error))
            .find_map(Self::of)
            .unwrap_or(Self::Unknown(first))
    }

    fn of(error: &'a (dyn Error + 'static)) -> Option<Self> {
        if let Some(error) = error.downcast_ref() {
            Some(Self::Protocol(error))
        } else if let Some(problem) = error.downcast_ref() {
            Some(Self::Problem(problem))
        } else if let Some(problems) = error.downcast_ref() {
            Some(Self::Problems(problems))
        } else {
            let error = error.downcast_ref::<AskError>()?;
            Some(Self::Protocol(error.protocol()))
        }
    }
}

/// Another server's error is its own: its codes must not leave as ours.
#[cfg(feature = "client")]
fn is_another_servers(error: &(dyn Error + 'static)) -> bool {
    error.is::<crate::client::Error>()
}

/// Without a client there are no other servers' errors.
#[cfg(not(feature = "client"))]
fn is_another_servers(_: &(dyn Error + 'static)) -> bool {
    false
}
