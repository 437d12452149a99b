//! Why no consent was given, as far as it is known on this side.

use std::io;
use std::time::Duration;

use plainly_errors::problem::wait_in_words;

/// Why a person could not be asked, or has not answered. What the authorization server says is no error of this kind: it is in
/// the query that the browser brings.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum ConsentError {
    /// The browser can't come back here: the port is another program's. Wait for that program, or take another port.
    #[error("cannot listen on port {port} of this machine, where the browser is to come back")]
    #[non_exhaustive]
    PortTaken {
        /// The port; 0 if any would have done.
        port: u16,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The browser can't come back here: the URI that was registered is not one of this machine.
    #[error("the browser cannot come back to {redirect}: {why}")]
    #[non_exhaustive]
    Redirect {
        /// The URI.
        redirect: String,
        /// What is wrong with it.
        why: &'static str,
    },
    /// The page is not one that is shown to anybody, whatever opens it.
    #[error("the login page of {issuer} is not opened: its URL {why}")]
    #[non_exhaustive]
    Page {
        /// The authorization server.
        issuer: String,
        /// What is wrong with the URL.
        why: String,
    },
    /// The page could not be shown.
    #[error("cannot show the login page in a browser")]
    #[non_exhaustive]
    NoBrowser {
        /// Why not.
        source: io::Error,
    },
    /// Nobody came back in time.
    #[error("nobody came back from the login page within {}", wait_in_words(*.after))]
    #[non_exhaustive]
    TimedOut {
        /// How long was waited.
        after: Duration,
    },
    /// The person said no before the page was opened.
    #[error("the login was not wanted")]
    Denied,
    /// Anything else that goes wrong.
    #[error("{0}")]
    Failed(String),
}

plainly_errors::debug_with_causes!(ConsentError);
