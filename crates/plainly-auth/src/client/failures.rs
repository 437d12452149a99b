//! The errors of the parts, as a program gets them.

use std::sync::Arc;

use http::StatusCode;

use plainly_oauth::authorization::CallbackError;
use plainly_oauth::token::TokenError;
use plainly_oauth::{UnfitEndpoint, Unreadable};

use super::{ConsentError, TokenStoreError};
use crate::fetch::FetchError;
use plainly_client::{AuthError, IssuerPlace};

impl From<FetchError> for AuthError {
    fn from(error: FetchError) -> Self {
        match error {
            FetchError::Fenced { url, why } => Self::Fenced { url, why },
            FetchError::Unreachable { url, source } => Self::Unreachable {
                url,
                source: source.into(),
            },
            FetchError::TimedOut { ref url, .. }
            | FetchError::TooLarge { ref url, .. }
            | FetchError::Redirects { ref url, .. } => Self::Metadata {
                url: url.clone(),
                why: error.to_string(),
                status: None,
            },
        }
    }
}

impl From<TokenStoreError> for AuthError {
    fn from(error: TokenStoreError) -> Self {
        Self::Store {
            source: Arc::new(error),
        }
    }
}

/// The error for an invalid document.
pub(super) fn unreadable(url: &str, why: &Unreadable) -> AuthError {
    AuthError::Metadata {
        url: url.to_owned(),
        why: format!("it {why}"),
        status: None,
    }
}

/// The error for a document that was refused.
pub(super) fn refused(url: &str, status: StatusCode) -> AuthError {
    AuthError::Metadata {
        url: url.to_owned(),
        why: format!("HTTP status {status}"),
        status: Some(status.as_u16()),
    }
}

/// The error of an authorization server that has no such endpoint.
pub(super) fn lacking(issuer: &str, endpoint: &str) -> AuthError {
    AuthError::Metadata {
        url: issuer.to_owned(),
        why: format!("it has no `{endpoint}`"),
        status: None,
    }
}

/// The error of an authorization server with an endpoint that no client may use.
pub(super) fn unfit(issuer: &str, endpoint: &str, why: &UnfitEndpoint) -> AuthError {
    AuthError::Metadata {
        url: issuer.to_owned(),
        why: format!("its `{endpoint}` {why}"),
        status: None,
    }
}

/// The error for what an authorization server's token endpoint answered.
pub(super) fn token(issuer: &str, grant: &str, error: TokenError) -> AuthError {
    match error {
        TokenError::Refused {
            status,
            error,
            description,
            ..
        } => AuthError::TokenRefused {
            issuer: issuer.to_owned(),
            grant: grant.to_owned(),
            status,
            error,
            description,
        },
        TokenError::Unusable(why) => AuthError::TokenUnusable {
            from: issuer.to_owned(),
            why: format!("it {why}"),
        },
    }
}

/// The error for a registration that failed.
pub(super) fn registration(issuer: &str, error: TokenError) -> AuthError {
    match error {
        TokenError::Refused {
            status,
            error,
            description,
            ..
        } => AuthError::RegistrationRefused {
            issuer: issuer.to_owned(),
            status,
            error,
            description,
        },
        TokenError::Unusable(why) => AuthError::Metadata {
            url: issuer.to_owned(),
            why: format!("its answer to the registration {why}"),
            status: None,
        },
    }
}

/// The error for tokens that were not taken back.
pub(super) fn revocation(issuer: &str, error: TokenError) -> AuthError {
    let issuer = issuer.to_owned();
    match error {
        TokenError::Refused {
            status,
            error,
            description,
            ..
        } => AuthError::RevocationRefused {
            issuer,
            status,
            error,
            description,
        },
        TokenError::Unusable(why) => AuthError::TokenUnusable { from: issuer, why },
    }
}

/// The error for a visit that came to nothing.
pub(super) fn callback(issuer: &str, error: CallbackError) -> AuthError {
    let issuer = issuer.to_owned();
    match error {
        CallbackError::OtherIssuer(got) => AuthError::IssuerMismatch {
            expected: issuer,
            got,
            at: IssuerPlace::Callback,
        },
        CallbackError::NoIssuer => AuthError::IssuerMissing { issuer },
        CallbackError::Denied {
            error, description, ..
        } => AuthError::Denied {
            issuer,
            error,
            description,
        },
        CallbackError::State | CallbackError::NoCode => AuthError::Callback {
            issuer,
            why: error.to_string(),
        },
    }
}

/// The error for a user who was not asked, or has not answered.
pub(super) fn consent(issuer: &str, error: ConsentError) -> AuthError {
    let issuer = issuer.to_owned();
    match error {
        ConsentError::TimedOut { after, .. } => AuthError::ConsentTimedOut { issuer, after },
        ConsentError::Denied => AuthError::Denied {
            issuer,
            error: "access_denied".to_owned(),
            description: None,
        },
        ConsentError::PortTaken { .. }
        | ConsentError::Redirect { .. }
        | ConsentError::Page { .. }
        | ConsentError::NoBrowser { .. }
        | ConsentError::Failed(_) => AuthError::ConsentFailed {
            issuer,
            source: Arc::new(error),
        },
    }
}

/// The error for a key that can't sign, or is not there.
pub(super) fn key(error: impl std::error::Error + Send + Sync + 'static) -> AuthError {
    AuthError::Key {
        source: Arc::new(error),
    }
}
