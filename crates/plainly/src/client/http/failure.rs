//! Why there is no response over HTTP. Knows no connection.

use std::fmt;

use crate::client::authorization::AuthError;

/// The reason why there is no response, or why it broke off.
#[derive(Debug)]
pub(super) enum HttpFailure {
    /// Nobody was reached.
    Unreachable(reqwest::Error),
    /// The connection broke.
    Broken(reqwest::Error),
    /// A message is larger than this limit, in bytes.
    TooLarge(usize),
    /// There are no credentials that the server accepts.
    Authorization(Box<AuthError>),
}

impl fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable(_) => f.write_str("nobody could be reached"),
            Self::Broken(_) => f.write_str("the connection broke"),
            Self::TooLarge(limit) => write!(f, "it is larger than {limit} bytes"),
            Self::Authorization(error) => error.fmt(f),
        }
    }
}

impl HttpFailure {
    pub(super) fn of(error: reqwest::Error) -> Self {
        // The URL may contain secrets; callers name it without them.
        let error = error.without_url();
        if error.is_connect() {
            Self::Unreachable(error)
        } else {
            Self::Broken(error)
        }
    }
}

impl From<AuthError> for HttpFailure {
    fn from(error: AuthError) -> Self {
        Self::Authorization(error.into())
    }
}
