//! Converts the errors of the parts into errors of logins.

use std::error::Error as StdError;
use std::sync::Arc;

use plainly_errors::problem::wait_in_words;
use plainly_oauth::authorization::CallbackError;
use plainly_oauth::token::TokenError;

use super::error::{IssuerPlace, OAuthError};
use super::{ConsentError, TokenStoreError};
use crate::fetch::FetchError;

impl From<FetchError> for OAuthError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Fenced { url, why } => Self::Fenced { url, why },
            FetchError::Unreachable { url, source } => Self::Unreachable {
                url,
                source: source.into(),
            },
            FetchError::TimedOut { url, after } => {
                let why = format!("no complete answer within {}", wait_in_words(after));
                let source = Box::<dyn StdError + Send + Sync>::from(why).into();
                Self::Unreachable { url, source }
            }
            FetchError::TooLarge { ref url, .. } | FetchError::Redirects { ref url, .. } => {
                metadata(url, error.to_string())
            }
        }
    }
}

impl From<TokenStoreError> for OAuthError {
    fn from(error: TokenStoreError) -> Self {
        let source = Arc::new(error);
        Self::Store { source }
    }
}

/// The error for unusable metadata, at a URL or of an issuer.
pub(super) fn metadata(url: &str, why: impl Into<String>) -> OAuthError {
    OAuthError::Metadata {
        url: url.to_owned(),
        why: why.into(),
        status: None,
    }
}

/// The error for an authorization server without this endpoint.
pub(super) fn lacking(issuer: &str, endpoint: &str) -> OAuthError {
    metadata(issuer, format!("it has no `{endpoint}`"))
}

/// A request that an authorization server can reject.
#[derive(Clone, Copy, Debug)]
pub(super) enum Request<'a> {
    /// A token request, with this kind of grant.
    Token(&'a str),
    Registration,
    Revocation,
}

impl Request<'_> {
    /// The error for a rejection by this authorization server.
    pub(super) fn failed(self, issuer: &str, error: TokenError) -> OAuthError {
        let issuer = issuer.to_owned();
        let (status, error, description) = match error {
            TokenError::Refused {
                status,
                error,
                description,
                ..
            } => (status, error, description),
            TokenError::Unusable(why) => {
                return match self {
                    Self::Registration => {
                        metadata(&issuer, format!("its answer to the registration {why}"))
                    }
                    Self::Token(_) | Self::Revocation => OAuthError::TokenUnusable {
                        from: issuer,
                        why: format!("it {why}"),
                    },
                };
            }
        };
        match self {
            Self::Token(grant) => OAuthError::TokenRefused {
                issuer,
                grant: grant.to_owned(),
                status,
                error,
                description,
            },
            Self::Registration => OAuthError::RegistrationRefused {
                issuer,
                status,
                error,
                description,
            },
            Self::Revocation => OAuthError::RevocationRefused {
                issuer,
                status,
                error,
                description,
            },
        }
    }
}

/// The error for an invalid login response.
pub(super) fn callback(issuer: &str, error: CallbackError) -> OAuthError {
    let issuer = issuer.to_owned();
    match error {
        CallbackError::OtherIssuer(got) => OAuthError::IssuerMismatch {
            expected: issuer,
            got,
            at: IssuerPlace::Callback,
        },
        CallbackError::NoIssuer => OAuthError::IssuerMissing { issuer },
        CallbackError::Denied {
            error, description, ..
        } => OAuthError::Denied {
            issuer,
            error,
            description,
        },
        CallbackError::State | CallbackError::NoCode => OAuthError::Callback {
            issuer,
            why: error.to_string(),
        },
    }
}

/// The error if the user could not be asked, or did not answer.
pub(super) fn consent(issuer: &str, error: ConsentError) -> OAuthError {
    let issuer = issuer.to_owned();
    match error {
        ConsentError::TimedOut { after, .. } => OAuthError::ConsentTimedOut { issuer, after },
        ConsentError::Denied => OAuthError::Denied {
            issuer,
            error: "access_denied".to_owned(),
            description: None,
        },
        ConsentError::PortTaken { .. }
        | ConsentError::Redirect { .. }
        | ConsentError::Page { .. }
        | ConsentError::NoBrowser { .. }
        | ConsentError::Failed(_) => OAuthError::ConsentFailed {
            issuer,
            source: Arc::new(error),
        },
    }
}

/// The error for a key that is unusable or missing.
pub(super) fn key(error: impl StdError + Send + Sync + 'static) -> OAuthError {
    let source = Arc::new(error);
    OAuthError::Key { source }
}
