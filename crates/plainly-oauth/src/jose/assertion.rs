//! The authentication of a client by its key, at a token endpoint (RFC 7523, 2.2:
//! `private_key_jwt`).

use serde::Serialize;

use super::key::{KeyError, SigningKey};
use crate::{Secret, random_text};

/// For how long an assertion is good, in seconds: for the request that it is sent with.
const LIFETIME: u64 = 60;

#[derive(Serialize)]
struct Assertion<'a> {
    iss: &'a str,
    sub: &'a str,
    aud: &'a str,
    exp: u64,
    iat: u64,
    jti: String,
}

/// A fresh assertion that its sender is this client, for this audience: the issuer whose token endpoint it goes to.
///
/// `now` is in seconds since 1970.
pub fn client_assertion(
    key: &SigningKey,
    client_id: &str,
    audience: &str,
    now: u64,
) -> Result<Secret, KeyError> {
    let assertion = Assertion {
        iss: client_id,
        sub: client_id,
        aud: audience,
        exp: now.saturating_add(LIFETIME),
        iat: now,
        jti: random_text(),
    };
    key.sign("JWT", false, &assertion).map(Secret::new)
}
