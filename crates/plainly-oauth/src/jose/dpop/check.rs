//! Checks that a proof is for the request that it came with (RFC 9449, 4.3).

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
    /// The method of the request.
    pub method: &'a str,
    /// The URL of the request, as its sender spells it.
    pub url: &'a str,
    /// The access token of the request.
    pub access_token: &'a str,
    /// The thumbprint of the key that the token is bound to.
    pub key: &'a str,
    /// The holder of the token. Each holder has its share of the stored proofs.
    pub holder: &'a str,
    /// The check of the nonce, if one is required.
    pub nonces: Option<&'a dyn Nonces>,
    /// The time, in seconds since 1970.
    pub now: u64,
}

/// Recognises the nonces of a server, so that proofs can't be made in advance (RFC 9449, 9).
pub trait Nonces: fmt::Debug {
    /// The time at which the server issued this nonce, in seconds since 1970; `None` if it did not,
    /// or the nonce has expired.
    fn given_at(&self, nonce: &str, now: u64) -> Option<u64>;
}

/// Verifies a proof, and stores it so that it can't be used again.
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
    /// The earliest time at which the proof can have been made, because its sender's clock may be
    /// slow.
    made_since: u64,
}

/// Checks the claims of a proof.
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

/// Whether both texts spell the same URL, apart from query and fragment.
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
