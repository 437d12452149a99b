//! The meaning of an error for a model or for the host's code: that of the outermost error among
//! its sources that has one.

use std::error::Error;
use std::iter::successors;

use plainly_errors::{Problem, Problems, ProtocolError};
use tokio::task::JoinError;

/// The meaning of a failure, which determines who gets which part of it.
#[derive(Debug)]
pub(crate) enum Meaning<'a> {
    /// A semantic failure, for any reader.
    Problem(Problem),
    /// Several problems at once.
    Problems(Problems),
    /// A protocol error.
    Protocol(ProtocolError),
    /// The server's own error.
    Server(ProtocolError),
    /// A message that the handler's author wrote for the reader.
    Text(&'a str),
    /// A panic of a task that the handler had started. Only the log may contain its text.
    Panic,
    /// Any other error. The server's operator decides whether its message may be shown.
    Unknown(&'a (dyn Error + 'static)),
}

impl<'a> Meaning<'a> {
    /// The meaning of the outermost error that has one, from `first` along its sources.
    pub(super) fn along(first: &'a (dyn Error + 'static)) -> Self {
        successors(Some(first), |&error| error.source())
            .take_while(|&error| !is_another_servers(error))
            .find_map(Self::of)
            .unwrap_or_else(|| match tells_of_a_panic(&first.to_string()) {
                true => Self::Panic,
                false => Self::Unknown(first),
            })
    }

    fn of(error: &'a (dyn Error + 'static)) -> Option<Self> {
        if let Some(error) = ProtocolError::downcast(error) {
            Some(Self::Protocol(error))
        } else if let Some(problem) = Problem::downcast(error) {
            Some(Self::Problem(problem))
        } else if let Some(problems) = Problems::downcast(error) {
            Some(Self::Problems(problems))
        } else {
            let task = error.downcast_ref::<JoinError>()?;
            task.is_panic().then_some(Self::Panic)
        }
    }
}

/// Whether this is the text of a task that panicked. Transparent wrapping leaves only the text of a
/// `JoinError`.
fn tells_of_a_panic(words: &str) -> bool {
    let numbers = words.split("task ").skip(1);
    numbers
        .map(|rest| rest.trim_start_matches(|digit: char| digit.is_ascii_digit()))
        .any(|rest| rest.starts_with(" panicked"))
}

/// Whether the error belongs to another server, whose codes must not be sent as this server's. An
/// author who returns the protocol error of a client's error, as it was received, intends to send
/// it.
fn is_another_servers(error: &(dyn Error + 'static)) -> bool {
    let is_received =
        |error| ProtocolError::downcast(error).is_some_and(|it| it.received().is_some());
    !error.is::<ProtocolError>() && (is_received(error) || error.source().is_some_and(is_received))
}
