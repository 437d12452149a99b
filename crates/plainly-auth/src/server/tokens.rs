//! The verifiers of a server: the choice among them for a token, and their cached verdicts.

use plainly_oauth::Secret;
use plainly_oauth::jose::{AccessToken, LONGEST, TokenRefusal};

use super::caller::Caller;
use super::remembered::TokenCache;
use super::verifier::{VerificationError, Verifier};

/// The verifiers, and the cached verdicts.
#[derive(Debug)]
pub(super) struct Tokens {
    pub(super) verifiers: Vec<Box<dyn Verifier>>,
    pub(super) remembered: TokenCache,
    /// The claims that handlers can see.
    pub(super) claims: Vec<String>,
}

impl Tokens {
    /// The verifier of a token, chosen by its form.
    pub(super) fn verifier(&self, token: &Secret) -> Result<&dyn Verifier, TokenRefusal> {
        let text = token.expose();
        // A token with invalid characters is neither read nor sent to an issuer (RFC 6750, 2.1).
        let is_token = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte);
        if text.is_empty() || text.len() > LONGEST || !text.bytes().all(is_token) {
            return Err(TokenRefusal::Malformed);
        }
        let mut verifiers = self.verifiers.iter();
        let verifier = verifiers.find(|verifier| verifier.recognises(text));
        verifier.map(|it| &**it).ok_or_else(|| unrecognised(text))
    }

    /// Verifies a token, caches the verdict, and returns the caller.
    pub(super) async fn judge(
        &self,
        verifier: &dyn Verifier,
        token: &Secret,
        now: u64,
    ) -> Result<Caller, VerificationError> {
        let text = token.expose();
        let (good, bad) = verifier.remembered();
        match verifier.verify(token, now).await {
            Ok(mut verified) => {
                verified.claims = Caller::chosen(verified.claims, &self.claims);
                let ends = verified.good_until().unwrap_or(u64::MAX);
                let until = ends.min(now.saturating_add(good));
                let caller = Caller::new(verified);
                let principal = caller.principal();
                tracing::debug!(%principal, token = caller.token().token_id, "access token accepted");
                self.remembered.keep(text, Ok(caller.clone()), now, until);
                Ok(caller)
            }
            Err(VerificationError::Refused(why)) => {
                let until = now.saturating_add(bad);
                self.remembered.keep(text, Err(why), now, until);
                Err(why.into())
            }
            Err(unavailable) => Err(unavailable),
        }
    }

    /// Verifies a token with its verifier, bypassing the cache.
    pub(super) async fn judge_again(
        &self,
        token: &Secret,
        now: u64,
    ) -> Result<Caller, VerificationError> {
        self.judge(self.verifier(token)?, token, now).await
    }
}

/// The reason to reject a token that no verifier recognises.
fn unrecognised(token: &str) -> TokenRefusal {
    match AccessToken::read(token) {
        Ok(_) => TokenRefusal::Issuer,
        Err(why) => why,
    }
}
