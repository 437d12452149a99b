//! The keys that an issuer publishes (RFC 7517, 5).

use serde_json::{Map, Value};
use thiserror::Error;

use super::algorithm::SignatureAlgorithm;
use super::jwk::PublicKey;
use crate::single;

/// The most keys of a set. Issuers usually have only a few.
const MOST: usize = 256;
/// The most keys that are tried for one token.
const MOST_TRIED: usize = 8;

/// The keys of an issuer that can verify signatures. Other keys of its set are left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Jwks(Vec<PublishedKey>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct PublishedKey {
    id: Option<String>,
    algorithm: Option<SignatureAlgorithm>,
    key: PublicKey,
}

/// The reason why a set of keys is unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnusableKeys {
    /// The set is not a JSON object, has a member twice, or has no list `keys`.
    #[error("it is not a JSON Web Key Set")]
    Malformed,
    /// The set has too many keys.
    #[error("it has more than {MOST} keys")]
    TooMany,
    /// The set has no key that can verify signatures.
    #[error(
        "it has no key for signatures of a kind that is supported: RSA with 2048 to 8192 bits, P-256, P-384 or Ed25519"
    )]
    NoneUsable,
}

impl Jwks {
    /// Reads a set.
    pub fn read(bytes: &[u8]) -> Result<Self, UnusableKeys> {
        let set = single::read(bytes).map_err(|_why| UnusableKeys::Malformed)?;
        let keys = set.get("keys").and_then(Value::as_array);
        let keys = keys.ok_or(UnusableKeys::Malformed)?;
        if keys.len() > MOST {
            return Err(UnusableKeys::TooMany);
        }
        let usable = keys.iter().filter_map(Value::as_object).filter_map(usable);
        let usable: Vec<_> = usable.collect();
        if usable.is_empty() {
            return Err(UnusableKeys::NoneUsable);
        }
        Ok(Self(usable))
    }

    /// The keys that may have signed a token with this key id and this algorithm.
    pub(super) fn candidates(
        &self,
        id: Option<&str>,
        algorithm: SignatureAlgorithm,
    ) -> impl Iterator<Item = &PublicKey> {
        let may_have = move |published: &&PublishedKey| {
            let is_named = id.is_none() || published.id.as_deref() == id;
            let fits = published.algorithm.is_none_or(|own| own == algorithm);
            is_named && fits && published.key.algorithms().contains(&algorithm)
        };
        let keys = self.0.iter().filter(may_have).take(MOST_TRIED);
        keys.map(|published| &published.key)
    }
}

/// The key, if it can verify signatures.
fn usable(jwk: &Map<String, Value>) -> Option<PublishedKey> {
    if jwk.get("use").is_some_and(|purpose| purpose != "sig") {
        return None;
    }
    if let Some(operations) = jwk.get("key_ops") {
        let mut operations = operations.as_array()?.iter();
        operations.find(|operation| *operation == "verify")?;
    }
    let key = PublicKey::read(jwk).ok()?;
    let algorithm = match jwk.get("alg") {
        Some(name) => Some(SignatureAlgorithm::named(name.as_str()?)?),
        None => None,
    };
    if algorithm.is_some_and(|algorithm| !key.algorithms().contains(&algorithm)) {
        return None;
    }
    let id = match jwk.get("kid") {
        Some(id) => Some(id.as_str()?.to_owned()),
        None => None,
    };
    Some(PublishedKey { id, algorithm, key })
}
