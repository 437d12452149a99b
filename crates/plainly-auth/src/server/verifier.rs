//! The trait that verifies tokens, for an issuer's keys, for its introspection endpoint, and for a
//! list of keys.

use std::fmt;

use futures_util::future::BoxFuture;
use plainly_oauth::Secret;
use plainly_oauth::jose::{TokenClaims, TokenRefusal, good_until};
use serde_json::{Map, Value};

/// Verifies tokens. If there are several verifiers, each is asked only about tokens that it
/// [recognises](Self::recognises).
pub trait Verifier: fmt::Debug + Send + Sync + 'static {
    /// Whether a token is of a kind that this can verify, by its form alone: its contents are not
    /// trusted for that.
    fn recognises(&self, token: &str) -> bool;

    /// Whether it asks another server about each token. If so, it is not asked for a client whose
    /// tokens were rejected too often within the last second.
    fn asks_elsewhere(&self) -> bool {
        true
    }

    /// Verifies a token at the time `now`, in seconds since 1970.
    fn verify<'a>(
        &'a self,
        token: &'a Secret,
        now: u64,
    ) -> BoxFuture<'a, Result<VerifiedToken, VerificationError>>;

    /// Checks whether it can verify tokens now. Called at the start.
    fn ready(&self, now: u64) -> BoxFuture<'_, Result<(), VerificationError>> {
        let _always = now;
        Box::pin(std::future::ready(Ok(())))
    }

    /// The authorization server that issues such tokens to clients, if there is one.
    fn issuer(&self) -> Option<&str> {
        None
    }

    /// The seconds for which a verdict may be cached: on a valid token, and on a rejected one.
    fn remembered(&self) -> (u64, u64) {
        (0, 0)
    }
}

/// A valid token, and its contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct VerifiedToken {
    /// The issuer; `None` for this server's own keys.
    pub issuer: Option<String>,
    /// The subject of the token.
    pub subject: Option<String>,
    /// The client that the token was issued to.
    pub client_id: Option<String>,
    /// The scopes of the token.
    pub scopes: Vec<String>,
    /// The token's end, in seconds since 1970.
    pub expires_at: Option<u64>,
    /// The thumbprint of the key that its holder must prove to have (RFC 9449).
    pub key: Option<String>,
    /// The token's id, for logs.
    pub token_id: Option<String>,
    /// The other claims of the token.
    pub claims: Map<String, Value>,
}

/// The reason why a token is not verified.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum VerificationError {
    /// The token is rejected.
    #[error("token rejected: {0}")]
    Refused(TokenRefusal),
    /// No verdict is available at the moment. The text is for the operator, and shows no token.
    #[error("cannot verify tokens: {0}")]
    Unavailable(String),
}

plainly_errors::debug_with_causes!(VerificationError);

impl VerifiedToken {
    /// The time from which on it is rejected: a little after its end, because clocks differ.
    pub(super) fn good_until(&self) -> Option<u64> {
        // There is no tolerance for this server's own keys, because the same clock set their end.
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
