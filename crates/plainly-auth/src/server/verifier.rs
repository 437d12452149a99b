//! The trait that judges tokens: implemented by an issuer's keys, by its introspection endpoint,
//! and by a list of keys.

use std::fmt;

use futures_util::future::BoxFuture;
use plainly_oauth::Secret;
use plainly_oauth::jose::{TokenClaims, TokenRefusal, good_until};
use serde_json::{Map, Value};

/// Judges tokens. Several can stand side by side: each is asked only about tokens that it
/// [recognises](Self::recognises).
pub trait Verifier: fmt::Debug + Send + Sync + 'static {
    /// Whether a token is of the kind that it can judge, by its form alone: nothing in it is believed for that.
    fn recognises(&self, token: &str) -> bool;

    /// Whether it asks another server about each token. If so, it is not asked for a client whose tokens were rejected too often
    /// within the last second.
    fn asks_elsewhere(&self) -> bool {
        true
    }

    /// Judges a token at this time, in seconds since 1970.
    fn verify<'a>(
        &'a self,
        token: &'a Secret,
        now: u64,
    ) -> BoxFuture<'a, Result<VerifiedToken, VerificationError>>;

    /// Whether it can judge tokens now, to be asked at the start.
    fn ready(&self, now: u64) -> BoxFuture<'_, Result<(), VerificationError>> {
        let _always = now;
        Box::pin(std::future::ready(Ok(())))
    }

    /// The authorization server that clients get such tokens from, if they get them from one.
    fn issuer(&self) -> Option<&str> {
        None
    }

    /// For how many seconds it may be remembered what a token is worth: a good one, and one that was refused.
    fn remembered(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// A valid token, and its contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifiedToken {
    /// The issuer; `None` for what this server gave out itself.
    pub issuer: Option<String>,
    /// The one that it is about.
    pub subject: Option<String>,
    /// The client that it was given to.
    pub client_id: Option<String>,
    /// The scopes of the token.
    pub scopes: Vec<String>,
    /// The token's end, in seconds since 1970.
    pub expires_at: Option<u64>,
    /// The thumbprint of the key that its holder must prove to have (RFC 9449).
    pub key: Option<String>,
    /// Its name, for logs.
    pub token_id: Option<String>,
    /// The other claims of the token.
    pub claims: Map<String, Value>,
}

/// The reason why a token is not verified.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerificationError {
    /// It is not good.
    #[error("token rejected: {0}")]
    Refused(TokenRefusal),
    /// No judgement is available at the moment. The text is for the operator, and shows no token.
    #[error("cannot verify tokens: {0}")]
    Unavailable(String),
}

plainly_errors::debug_with_causes!(VerificationError);

impl VerifiedToken {
    /// From when on it is refused: a little after it ends, because clocks differ.
    pub(super) fn good_until(&self) -> Option<u64> {
        // The clock that set the time of a key of ours is the one that it is compared with.
        match self.issuer {
            Some(_) => self.expires_at.map(good_until),
            None => self.expires_at,
        }
    }
}

impl From<TokenRefusal> for VerificationError {
    fn from(refusal: TokenRefusal) -> Self {
        Self::Refused(refusal)
    }
}

impl From<TokenClaims> for VerifiedToken {
    fn from(claims: TokenClaims) -> Self {
        Self {
            issuer: Some(claims.issuer),
            subject: claims.subject,
            client_id: claims.client_id,
            scopes: claims.scopes,
            expires_at: Some(claims.expires_at),
            key: claims.key,
            token_id: claims.token_id,
            claims: claims.all,
        }
    }
}
