//! Tokens that are JWTs, verified with the keys of their issuer (RFC 9068).

use std::sync::Arc;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use plainly_oauth::Secret;
use plainly_oauth::jose::{AccessToken, ClaimRules, Jwks, TokenRefusal};

use super::issuer_keys::IssuerKeys;
use super::verifier::{VerificationError, VerifiedToken, Verifier};

/// The seconds for which a valid token is cached. A key that its issuer withdraws is accepted no
/// longer than that.
const REMEMBERED: u64 = 60;

/// The tokens of one issuer.
#[derive(Debug)]
pub(super) struct IssuedTokens {
    pub(super) rules: ClaimRules,
    pub(super) keys: KeySource,
}

/// The source of the issuer's keys.
#[derive(Debug)]
pub(super) enum KeySource {
    /// From the operator.
    Given(Arc<Jwks>),
    /// From the issuer.
    Read(Arc<IssuerKeys>),
}

impl IssuedTokens {
    async fn judge(&self, token: &str, now: u64) -> Result<VerifiedToken, VerificationError> {
        let read = AccessToken::read(token)?;
        let source = match &self.keys {
            KeySource::Given(keys) => return Ok(read.verify(keys, &self.rules, now)?.into()),
            KeySource::Read(source) => source,
        };
        let keys = source
            .current(now)
            .await
            .map_err(VerificationError::Unavailable)?;
        match read.verify(&keys, &self.rules, now) {
            Err(TokenRefusal::UnknownKey) => {}
            verified => return Ok(verified?.into()),
        }
        let newer = source.newer_than(&keys, now).await;
        let newer = newer.ok_or(TokenRefusal::UnknownKey)?;
        Ok(AccessToken::read(token)?
            .verify(&newer, &self.rules, now)?
            .into())
    }
}

impl Verifier for IssuedTokens {
    fn recognises(&self, token: &str) -> bool {
        let read = AccessToken::read(token);
        read.is_ok_and(|token| token.claimed_issuer() == Some(&self.rules.issuer))
    }

    /// Always false, because the keys are read seldom, and not for each token.
    fn asks_elsewhere(&self) -> bool {
        false
    }

    fn verify<'a>(
        &'a self,
        token: &'a Secret,
        now: u64,
    ) -> BoxFuture<'a, Result<VerifiedToken, VerificationError>> {
        self.judge(token.expose(), now).boxed()
    }

    fn ready(&self, now: u64) -> BoxFuture<'_, Result<(), VerificationError>> {
        async move {
            match &self.keys {
                KeySource::Given(_) => Ok(()),
                KeySource::Read(source) => match source.current(now).await {
                    Ok(_) => Ok(()),
                    Err(why) => Err(VerificationError::Unavailable(why)),
                },
            }
        }
        .boxed()
    }

    fn issuer(&self) -> Option<&str> {
        Some(&self.rules.issuer)
    }

    fn remembered(&self) -> (u64, u64) {
        (REMEMBERED, 0)
    }
}
