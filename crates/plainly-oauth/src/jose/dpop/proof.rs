//! The proof that a client sends with a request.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde::Serialize;

use crate::jose::key::{KeyError, SigningKey};
use crate::{Secret, random_text};

/// The type of a proof, in its header.
pub(super) const TYPE: &str = "dpop+jwt";

#[derive(Serialize)]
struct Claims<'a> {
    jti: String,
    htm: &'a str,
    htu: &'a str,
    iat: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    ath: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nonce: Option<&'a str>,
}

/// A new proof for one request, as the value of its header `DPoP`. Every other request, and every
/// retry, needs another proof.
///
/// A request to a resource server has an access token, one to a token endpoint has none. The nonce
/// is the last one of the same origin. `now` is in seconds since 1970.
pub fn proof(
    key: &SigningKey,
    method: &str,
    url: &str,
    access_token: Option<&Secret>,
    nonce: Option<&str>,
    now: u64,
) -> Result<String, KeyError> {
    let claims = Claims {
        jti: random_text(),
        htm: method,
        htu: without_query(url),
        iat: now,
        ath: access_token.map(|token| token_digest(token.expose())),
        nonce,
    };
    key.sign(TYPE, true, &claims)
}

/// The URL without query and fragment.
pub(super) fn without_query(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

/// The digest of a request's token in its proof.
pub(super) fn token_digest(token: &str) -> String {
    URL_SAFE_NO_PAD.encode(digest(&SHA256, token.as_bytes()))
}
