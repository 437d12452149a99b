//! An access token that is a JWT (RFC 9068): it is parsed, then verified, then its claims are
//! checked.

use serde_json::Value;

use super::claims::{ClaimRules, TokenClaims};
use super::compact::Compact;
use super::jwks::Jwks;
use super::refusal::TokenRefusal;

/// The types of an access token, as its header spells them. Older issuers omit the type.
const TYPES: [&str; 3] = ["at+jwt", "jwt", ""];

/// A token with a valid form. Its contents are not trusted before [`verify`](Self::verify).
pub struct AccessToken<'a>(Compact<'a>);

impl<'a> AccessToken<'a> {
    /// Reads a token.
    pub fn read(text: &'a str) -> Result<Self, TokenRefusal> {
        let compact = Compact::read(text, false)?;
        let typ = compact.typ();
        if !typ.is_some_and(|typ| TYPES.contains(&typ.as_str())) {
            return Err(TokenRefusal::Type);
        }
        if compact.header.get("kid").is_some_and(|id| !id.is_string()) {
            return Err(TokenRefusal::Malformed);
        }
        Ok(Self(compact))
    }

    /// The issuer that the token claims, which determines the keys and rules to verify it with.
    pub fn claimed_issuer(&self) -> Option<&str> {
        self.0.claims.get("iss").and_then(Value::as_str)
    }

    /// Verifies that the token's issuer has signed it, and that it is valid here at `now`.
    ///
    /// [`TokenRefusal::UnknownKey`] if none of these keys can be the token's: the issuer may have
    /// newer ones.
    pub fn verify(
        self,
        keys: &Jwks,
        rules: &ClaimRules,
        now: u64,
    ) -> Result<TokenClaims, TokenRefusal> {
        let id = self.0.header.get("kid").and_then(Value::as_str);
        let mut candidates = keys.candidates(id, self.0.algorithm).peekable();
        if candidates.peek().is_none() {
            return Err(TokenRefusal::UnknownKey);
        }
        if !candidates.any(|key| self.0.is_signed_with(key)) {
            return Err(TokenRefusal::Signature);
        }
        rules.judge(self.0.claims, now)
    }
}

impl std::fmt::Debug for AccessToken<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AccessToken").finish_non_exhaustive()
    }
}
