//! Errors of fetching, in sentences for users. URLs are shown without their secret parts.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use plainly_errors::mistake::printable;

use plainly_transport::tls;

/// An error of fetching a URL.
#[derive(Debug)]
#[non_exhaustive]
pub(crate) enum FetchError {
    /// The URL may not be requested; nothing was sent there.
    Fenced { url: String, why: String },
    /// The server did not answer, or its answer was interrupted.
    Unreachable {
        url: String,
        source: Box<dyn Error + Send + Sync>,
    },
    /// The request timed out.
    TimedOut { url: String, after: Duration },
    /// The answer is too long.
    TooLarge { url: String, most: usize },
    /// There were too many redirects.
    Redirects { url: String, most: usize },
}

/// The reason why a host may not be requested, which passes through the HTTP client.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(super) struct Outside(pub(super) String);

impl FetchError {
    /// The error for a failure of the HTTP client.
    pub(super) fn of(url: String, failure: reqwest::Error) -> Self {
        // The error would show the URL.
        let failure = failure.without_url();
        let outside = causes(&failure).find_map(|cause| cause.downcast_ref::<Outside>());
        let why = outside.map(|Outside(why)| why.clone());
        match why {
            Some(why) => Self::Fenced { url, why },
            None => Self::Unreachable {
                url,
                source: tls::in_words(failure),
            },
        }
    }
}

impl fmt::Display for FetchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fenced { url, why } => write!(f, "{url} may not be requested: {why}"),
            Self::Unreachable { url, source } => {
                write!(f, "{url} can't be read")?;
                let said: Vec<_> = causes(&**source).map(ToString::to_string).collect();
                // The last cause says what happened; the others only name the operation.
                match said.last() {
                    Some(last) => write!(f, ": {}", printable(last)),
                    None => Ok(()),
                }
            }
            Self::TimedOut { url, after } => {
                write!(f, "{url} did not answer completely within {after:?}")
            }
            Self::TooLarge { url, most } => {
                write!(f, "the answer of {url} has more than {most} bytes")
            }
            Self::Redirects { url, most } => {
                write!(f, "{url} redirects more than {most} times")
            }
        }
    }
}

impl Error for FetchError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::Unreachable { source, .. } => Some(&**source),
            Self::Fenced { .. }
            | Self::TimedOut { .. }
            | Self::TooLarge { .. }
            | Self::Redirects { .. } => None,
        }
    }
}

/// An error and its causes.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error| (*error).source())
}
