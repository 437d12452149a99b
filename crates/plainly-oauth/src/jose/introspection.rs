//! The answer of an issuer's introspection endpoint (RFC 7662, 2.2).

use serde_json::Value;
use thiserror::Error;

use super::claims::{ClaimRules, TokenClaims};
use super::refusal::TokenRefusal;
use crate::single;

/// The answer can't be read, so the token is neither accepted nor rejected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the answer is not a JSON object with `active`, true or false")]
#[non_exhaustive]
pub struct UnreadableAnswer;

/// Reads an answer and checks its claims.
///
/// Without `checks_audience`, a token without an audience is accepted: for issuers whose tokens are
/// all for this server.
pub fn introspected(
    answer: &[u8],
    rules: &ClaimRules,
    checks_audience: bool,
    now: u64,
) -> Result<Result<TokenClaims, TokenRefusal>, UnreadableAnswer> {
    let claims = single::read(answer).map_err(|_why| UnreadableAnswer)?;
    match claims.get("active") {
        Some(Value::Bool(true)) => {}
        Some(Value::Bool(false)) => return Ok(Err(TokenRefusal::Revoked)),
        _ => return Err(UnreadableAnswer),
    }
    // A refresh token is only for the authorization server, which may nevertheless report it as
    // active.
    let is_refresh_token = |name| {
        let kind = claims.get(name).and_then(Value::as_str);
        kind.is_some_and(|kind| kind.eq_ignore_ascii_case("refresh_token"))
    };
    if ["token_type", "token_use"]
        .into_iter()
        .any(is_refresh_token)
    {
        return Ok(Err(TokenRefusal::Type));
    }
    // The answer came from the issuer, so it may omit `iss`.
    let issuer = claims.get("iss");
    if issuer.is_some_and(|issuer| issuer != rules.issuer.as_str()) {
        return Ok(Err(TokenRefusal::Issuer));
    }
    if (checks_audience || claims.contains_key("aud"))
        && let Err(refused) = rules.judge_audience(&claims)
    {
        return Ok(Err(refused));
    }
    Ok(rules.judge_rest(claims, now))
}
