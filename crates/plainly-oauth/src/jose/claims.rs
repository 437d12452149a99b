//! The claims of a token, and the check whether they authorize its holder at this server (RFC 9068,
//! 4; RFC 8725, 3).

use serde_json::{Map, Value};

use super::refusal::TokenRefusal;
use crate::scope;

/// The tolerated difference to an issuer's clock, in seconds.
pub const LEEWAY: u64 = 60;

/// The claims that a token for this server must have. Texts are compared exactly.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ClaimRules {
    /// The required issuer.
    pub issuer: String,
    /// The accepted audiences, one of which the token must have.
    pub audiences: Vec<String>,
}

/// The claims of a valid token.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TokenClaims {
    /// The issuer of the token.
    pub issuer: String,
    /// The subject of the token; `None` if a client acts for itself and its issuer does not name
    /// it.
    pub subject: Option<String>,
    /// The client that the token was issued to.
    pub client_id: Option<String>,
    /// The scopes of the token.
    pub scopes: Vec<String>,
    /// The token's end, in seconds since 1970.
    pub expires_at: u64,
    /// The thumbprint of the key that its holder must prove to possess (RFC 9449, 6.1).
    pub key: Option<String>,
    /// The id of the token itself, for logs.
    pub token_id: Option<String>,
    /// All claims of the token.
    pub all: Map<String, Value>,
}

impl ClaimRules {
    /// Rules for tokens of this issuer, for one of these audiences.
    pub fn new(issuer: impl Into<String>, audiences: impl IntoIterator<Item = String>) -> Self {
        Self {
            issuer: issuer.into(),
            audiences: audiences.into_iter().collect(),
        }
    }

    /// Checks the claims of a token whose signature is verified.
    pub(super) fn judge(
        &self,
        claims: Map<String, Value>,
        now: u64,
    ) -> Result<TokenClaims, TokenRefusal> {
        if claims.get("iss").and_then(Value::as_str) != Some(&self.issuer) {
            return Err(TokenRefusal::Issuer);
        }
        self.judge_audience(&claims)?;
        self.judge_rest(claims, now)
    }

    pub(super) fn judge_audience(&self, claims: &Map<String, Value>) -> Result<(), TokenRefusal> {
        let is_ours = |audience: &Value| {
            let mut ours = self.audiences.iter();
            ours.any(|own| audience == own.as_str())
        };
        let is_for_us = match claims.get("aud") {
            // A list may contain other audiences too, but each must be a text.
            Some(Value::Array(all)) => all.iter().all(Value::is_string) && all.iter().any(is_ours),
            Some(one) => is_ours(one),
            None => false,
        };
        is_for_us.then_some(()).ok_or(TokenRefusal::Audience)
    }

    /// Checks all claims but the issuer and the audience.
    pub(super) fn judge_rest(
        &self,
        claims: Map<String, Value>,
        now: u64,
    ) -> Result<TokenClaims, TokenRefusal> {
        let expires_at = time(&claims, "exp")?.ok_or(TokenRefusal::Expired)?;
        if now >= good_until(expires_at) {
            return Err(TokenRefusal::Expired);
        }
        for name in ["nbf", "iat"] {
            if time(&claims, name)?.is_some_and(|at| at > now.saturating_add(LEEWAY)) {
                return Err(TokenRefusal::NotYetValid);
            }
        }
        // Only ID tokens have these. An ID token identifies a user to a client, and authorizes
        // nothing.
        if claims.contains_key("nonce") || claims.contains_key("at_hash") {
            return Err(TokenRefusal::IdToken);
        }
        let subject = text(&claims, "sub")?;
        let client_id = match text(&claims, "client_id")? {
            Some(id) => Some(id),
            None => text(&claims, "azp")?,
        };
        if subject.is_none() && client_id.is_none() {
            return Err(TokenRefusal::NoSubject);
        }
        Ok(TokenClaims {
            issuer: self.issuer.clone(),
            subject,
            client_id,
            scopes: scopes(&claims),
            expires_at,
            key: confirmation(&claims)?,
            token_id: text(&claims, "jti")?,
            all: claims,
        })
    }
}

/// The time from which on a token with this end is rejected.
pub fn good_until(expires_at: u64) -> u64 {
    expires_at.saturating_add(LEEWAY)
}

/// A claim that is a text and not empty, if it exists.
fn text(claims: &Map<String, Value>, name: &str) -> Result<Option<String>, TokenRefusal> {
    match claims.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) if !text.is_empty() => Ok(Some(text.clone())),
        Some(_) => Err(TokenRefusal::Malformed),
    }
}

/// A time in seconds since 1970, without its fraction.
fn time(claims: &Map<String, Value>, name: &str) -> Result<Option<u64>, TokenRefusal> {
    let Some(value) = claims.get(name) else {
        return Ok(None);
    };
    let seconds = value.as_f64().filter(|seconds| *seconds >= 0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a cast from a float ends at the bounds of the integer"
    )]
    let seconds = seconds.map(|seconds| seconds as u64);
    seconds.map(Some).ok_or(TokenRefusal::Malformed)
}

/// The scopes. `scope` is a text (RFC 9068, 2.2.3); older issuers have `scp`, which may be a list.
fn scopes(claims: &Map<String, Value>) -> Vec<String> {
    let mut texts = Vec::new();
    for name in ["scope", "scp"] {
        match claims.get(name) {
            Some(Value::String(text)) => texts.push(text.as_str()),
            Some(Value::Array(all)) => texts.extend(all.iter().filter_map(Value::as_str)),
            _ => {}
        }
    }
    scope::read(&texts.join(" "))
}

/// The key that the holder must possess. Other kinds of confirmation can't be checked (RFC 7800,
/// 3).
fn confirmation(claims: &Map<String, Value>) -> Result<Option<String>, TokenRefusal> {
    let Some(confirmation) = claims.get("cnf") else {
        return Ok(None);
    };
    let members = confirmation.as_object().filter(|it| it.len() == 1);
    let key = members.and_then(|it| it.get("jkt")).and_then(Value::as_str);
    let key = key.ok_or(TokenRefusal::Confirmation)?;
    Ok(Some(key.to_owned()))
}
