//! An access token that is a JWT (RFC 9068): read, then verified, then judged.

use serde_json::Value;

use super::claims::{ClaimRules, TokenClaims};
use super::compact::Compact;
use super::jwks::Jwks;
use super::refusal::TokenRefusal;

/// The types that an access token may have, as its header writes them; without one it is an older issuer's.
const TYPES: [&str; 3] = ["at+jwt", "jwt", ""];

/// A token that has the form of one. Nothing in it is believed before [`verify`](Self::verify).
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

    /// The issuer that it claims: whose keys and rules to verify it by.
    pub fn claimed_issuer(&self) -> Option<&str> {
        self.0.claims.get("iss").and_then(Value::as_str)
    }

    /// Verifies that its issuer has signed it, and that it is for us, now.
    ///
    /// [`TokenRefusal::UnknownKey`] if none of these keys can be its own: the issuer may have newer ones.
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
