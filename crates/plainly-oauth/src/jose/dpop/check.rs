//! Whether a proof is one for the request that it came with (RFC 9449, 4.3).

use std::fmt;

use serde_json::{Map, Value};
use url::Url;

use super::proof::{TYPE, token_digest};
use super::replay::{Replays, RightProof};
use super::window::WINDOW;
use crate::jose::compact::{Compact, OWN_KEY};
use crate::jose::jwk::PublicKey;
use crate::jose::refusal::ProofRefusal;

/// The request that a proof must be for.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "a proof is for all of it, and nothing may be forgotten"
)]
pub struct ProvenRequest<'a> {
    /// Its method.
    pub method: &'a str,
    /// Its URL, as its sender knows it.
    pub url: &'a str,
    /// Its access token.
    pub access_token: &'a str,
    /// The thumbprint of the key that the token is bound to.
    pub key: &'a str,
    /// The holder of the token: each has its share of the proofs that can be remembered.
    pub holder: &'a str,
    /// The judge of the nonce, if one is required.
    pub nonces: Option<&'a dyn Nonces>,
    /// The time, in seconds since 1970.
    pub now: u64,
}

/// Knows the nonces that a server gives, so that proofs can't be made in advance (RFC 9449, 9).
pub trait Nonces: fmt::Debug {
    /// The time at which the server gave this nonce, in seconds since 1970, if it did and the nonce is still good.
    fn given_at(&self, nonce: &str, now: u64) -> Option<u64>;
}

/// Verifies a proof, and remembers it so that it can't be used again.
pub fn check(proof: &str, request: &ProvenRequest<'_>, seen: &Replays) -> Result<(), ProofRefusal> {
    let proof = Compact::read(proof, true)?;
    if proof.typ().as_deref() != Some(TYPE) {
        return Err(ProofRefusal::Type);
    }
    let key = proof.header.get(OWN_KEY).and_then(Value::as_object);
    let key = key.and_then(|jwk| PublicKey::read(jwk).ok());
    let key = key.ok_or(ProofRefusal::Key)?;
    if !key.algorithms().contains(&proof.algorithm) {
        return Err(ProofRefusal::Algorithm);
    }
    if !proof.is_signed_with(&key) {
        return Err(ProofRefusal::Signature);
    }
    let claims = claims(&proof.claims, request)?;
    if key.thumbprint() != request.key {
        return Err(ProofRefusal::OtherKey);
    }
    if seen.may_have_missed(claims.made_since) {
        return Err(ProofRefusal::Time);
    }
    let right = RightProof {
        holder: request.holder,
        key: request.key,
        id: claims.id,
        made_at: claims.made_at,
    };
    seen.remember(&right, request.now)
}

/// The claims of a valid proof.
struct ValidClaims<'a> {
    id: &'a str,
    /// The time that its sender claims.
    made_at: u64,
    /// The earliest time at which it can have been made, since its sender's clock may be late.
    made_since: u64,
}

/// Judges the claims of a proof.
fn claims<'a>(
    claims: &'a Map<String, Value>,
    request: &ProvenRequest<'_>,
) -> Result<ValidClaims<'a>, ProofRefusal> {
    let text = |name: &str| claims.get(name).and_then(Value::as_str);
    let id = text("jti").filter(|id| !id.is_empty());
    let id = id.ok_or(ProofRefusal::Malformed)?;
    if text("htm") != Some(request.method) {
        return Err(ProofRefusal::Method);
    }
    if !text("htu").is_some_and(|url| is_same(url, request.url)) {
        return Err(ProofRefusal::Url);
    }
    let made_at = claims.get("iat").and_then(Value::as_u64);
    let made_at = made_at.filter(|at| at.abs_diff(request.now) <= WINDOW);
    let made_at = made_at.ok_or(ProofRefusal::Time)?;
    if text("ath") != Some(&token_digest(request.access_token)) {
        return Err(ProofRefusal::Token);
    }
    let mut made_since = made_at;
    if let Some(nonces) = request.nonces {
        let given = text("nonce").and_then(|nonce| nonces.given_at(nonce, request.now));
        made_since = made_at.max(given.ok_or(ProofRefusal::Nonce)?);
    }
    Ok(ValidClaims {
        id,
        made_at,
        made_since,
    })
}

/// Whether both are one URL, written in two ways or not, apart from query and fragment.
fn is_same(one: &str, other: &str) -> bool {
    let parsed = |url: &str| {
        let mut url = Url::parse(url).ok()?;
        url.set_query(None);
        url.set_fragment(None);
        Some(url)
    };
    match (parsed(one), parsed(other)) {
        (Some(one), Some(other)) => one == other,
        _ => false,
    }
}
