//! Errors that are for the log alone: the peer gets a number that finds them there.

use std::error::Error;
use std::iter::successors;

use plainly_errors::{Internal, Problem, Problems, ProtocolError};

/// The error that names the line of the log which describes what failed.
pub(crate) fn incident() -> ProtocolError {
    let mut bits = [0; 8];
    // Without randomness the line is still found by its time.
    let incident = getrandom::fill(&mut bits).map_or_else(
        |_| "unnumbered".to_owned(),
        |()| format!("{:016x}", u64::from_ne_bytes(bits)),
    );
    Internal::Incident { incident }.into()
}

/// An error and its causes, as a value for the log, which writes texts on one line, even if peers
/// put line breaks into them. An error that repeats its cause is shortened.
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

/// Whether it is what a problem or a protocol error has as its source: that error once more.
fn is_echo(error: &(dyn Error + 'static)) -> bool {
    let (protocol, problem) = (error.is::<ProtocolError>(), error.is::<Problem>());
    !protocol
        && !problem
        && !error.is::<Problems>()
        && (ProtocolError::downcast(error).is_some()
            || Problem::downcast(error).is_some()
            || Problems::downcast(error).is_some())
}
