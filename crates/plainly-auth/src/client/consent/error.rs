//! Errors of asking for consent, as far as this side knows them.

use std::io;
use std::time::Duration;

use plainly_errors::problem::wait_in_words;

/// An error of asking the user for consent. Errors that the authorization server reports are not of
/// this kind: they are in the query that the browser brings.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ConsentError {
    /// The browser can't come back here: the port is another program's. Wait for that program, or take another port.
    #[error("cannot listen on port {port} for the browser's redirect")]
    #[non_exhaustive]
    PortTaken {
        /// The port; 0 if any would have done.
        port: u16,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The browser can't come back here: the URI that was registered is not one of this machine.
    #[error("invalid redirect URI {redirect}: {why}")]
    #[non_exhaustive]
    Redirect {
        /// The URI.
        redirect: String,
        /// The fault of the redirect URI.
        why: &'static str,
    },
    /// The page's URL is not fit to be opened.
    #[error("cannot open the login page of {issuer}: its URL {why}")]
    #[non_exhaustive]
    Page {
        /// The authorization server.
        issuer: String,
        /// The fault of the URL.
        why: String,
    },
    /// The page could not be shown.
    #[error("cannot show the login page in a browser")]
    #[non_exhaustive]
    NoBrowser {
        /// The cause.
        source: io::Error,
    },
    /// The login did not end in time.
    #[error("the login was not finished within {}", wait_in_words(*.after))]
    #[non_exhaustive]
    TimedOut {
        /// The time that was allowed.
        after: Duration,
    },
    /// The user declined before the page was opened.
    #[error("the login was declined")]
    Denied,
    /// Anything else that goes wrong.
    #[error("{0}")]
    Failed(String),
}

plainly_errors::debug_with_causes!(ConsentError);
