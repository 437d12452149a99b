//! Errors of asking for consent that occur on this machine.

use std::io;
use std::time::Duration;

use plainly_errors::problem::wait_in_words;

/// An error of asking the user for consent. It is none of the errors that the authorization server
/// reports, which are in the query of the redirect.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ConsentError {
    /// The browser can't return, because another program uses the port. Wait for that program, or
    /// choose another port.
    #[error("cannot listen on port {port} for the browser's redirect")]
    #[non_exhaustive]
    PortTaken {
        /// The port; 0 if any port was possible.
        port: u16,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The browser can't return, because the registered URI does not belong to this machine.
    #[error("invalid redirect URI {redirect}: {why}")]
    #[non_exhaustive]
    Redirect {
        /// The URI.
        redirect: String,
        /// The fault of the redirect URI.
        why: &'static str,
    },
    /// The URL of the page must not be opened.
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
        /// The time limit.
        after: Duration,
    },
    /// The user declined before the page was opened.
    #[error("the login was declined")]
    Denied,
    /// Any other failure.
    #[error("{0}")]
    Failed(String),
}

plainly_errors::debug_with_causes!(ConsentError);
