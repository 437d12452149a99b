//! Advice on an error, where it allows any: words behind the error's own.

use std::error::Error;
use std::io;

use plainly::client::LocalError;

use crate::visible::visible;

/// A hint at what the command line should have said.
pub(super) fn advice(error: &LocalError) -> String {
    if let LocalError::Spawn { program, .. } = error
        && program.contains(' ')
    {
        return ": give the program and its arguments as separate words, without quotes around all of them".to_owned();
    }
    if let LocalError::Unreachable { url, source, .. } = error
        && has_no_tls(&**source)
    {
        let plain = url.replacen("https://", "http://", 1);
        return format!(": the server does not use TLS, try {}", visible(&plain));
    }
    String::new()
}

/// Whether somebody answered that knows nothing of TLS.
fn has_no_tls(error: &(dyn Error + 'static)) -> bool {
    use rustls::{Error, InvalidMessage};

    const NO_TLS: Error = Error::InvalidMessage(InvalidMessage::InvalidContentType);
    std::iter::successors(Some(error), |&error| beneath(error))
        .any(|error| error.downcast_ref() == Some(&NO_TLS))
}

/// The cause of an error: an I/O error holds it within, rather than as its source.
fn beneath<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a (dyn Error + 'static)> {
    match error.downcast_ref().and_then(io::Error::get_ref) {
        Some(within) => Some(within),
        None => error.source(),
    }
}
