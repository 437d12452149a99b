//! Errors that only the log may contain: the peer gets a number to find them there.

use std::error::Error;
use std::iter::successors;

use plainly_errors::{Internal, Problem, Problems, ProtocolError};

/// The error with an incident number, which identifies the line of the log that describes the
/// failure.
pub(crate) fn incident() -> ProtocolError {
    let mut bits = [0; 8];
    // Without randomness the line can still be found by its time.
    let incident = getrandom::fill(&mut bits).map_or_else(
        |_| "unnumbered".to_owned(),
        |()| format!("{:016x}", u64::from_ne_bytes(bits)),
    );
    Internal::Incident { incident }.into()
}

/// An error and its causes, as a value for the log. The log writes texts on one line, even if peers
/// put line breaks into them. A message that repeats its cause is shortened.
pub(crate) fn chain(error: &(dyn Error + 'static)) -> String {
    let mut links: Vec<String> = Vec::new();
    for error in successors(Some(error), |&error| error.source()) {
        let text = error.to_string();
        let link = text.trim_end_matches('.');
        if !is_echo(error) && !links.iter().any(|before| before.contains(link)) {
            links.push(link.to_owned());
        }
    }
    links.join(": ")
}

/// Whether the error is the source of a problem or a protocol error that only repeats that error.
fn is_echo(error: &(dyn Error + 'static)) -> bool {
    let (protocol, problem) = (error.is::<ProtocolError>(), error.is::<Problem>());
    !protocol
        && !problem
        && !error.is::<Problems>()
        && (ProtocolError::downcast(error).is_some()
            || Problem::downcast(error).is_some()
            || Problems::downcast(error).is_some())
}
