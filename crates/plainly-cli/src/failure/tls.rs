//! A server that was asked for TLS and knows nothing of it.

use std::error::Error;
use std::io;

use plainly::client::LocalError;

/// What to try instead, if the server does not use TLS.
pub(super) fn without_tls(error: &LocalError) -> Option<String> {
    let LocalError::Unreachable { url, source, .. } = error else {
        return None;
    };
    let plain = url.replacen("https://", "http://", 1);
    has_no_tls(&**source).then(|| format!("the server does not use TLS, try {plain}"))
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
