//! Checks proofs: of a verifier for its challenge, and of a key.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use plainly_oauth::jose::PublicKey;
use serde_json::Value;
use sha2::{Digest, Sha256};

/// The challenge of a verifier (RFC 7636).
pub(crate) fn challenge(verifier: &str) -> String {
    BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(verifier))
}

/// A decoded part of a signed text, without verification.
pub(crate) fn part(text: &str, number: usize) -> Option<Value> {
    let part = text.split('.').nth(number)?;
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(part).ok()?;
    serde_json::from_slice(&bytes).ok()
}

/// A proof for a token endpoint, which contains no access token.
pub(crate) struct TokenProof {
    pub(crate) thumbprint: String,
    pub(crate) nonce: Option<String>,
    /// The unique id of the proof.
    pub(crate) id: String,
}

impl TokenProof {
    /// Parses a proof for this URL. Its signature is only verified with an access token.
    pub(crate) fn read(text: &str, url: &str) -> Option<Self> {
        let (header, claims) = (part(text, 0)?, part(text, 1)?);
        let is_it = header["typ"] == "dpop+jwt" && claims["htm"] == "POST" && claims["htu"] == url;
        let key = PublicKey::read(header["jwk"].as_object()?).ok()?;
        is_it.then_some(Self {
            thumbprint: key.thumbprint(),
            nonce: claims["nonce"].as_str().map(str::to_owned),
            id: claims["jti"].as_str()?.to_owned(),
        })
    }
}
