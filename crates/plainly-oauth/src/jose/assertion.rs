//! The authentication of a client by its key, at a token endpoint (RFC 7523, 2.2:
//! `private_key_jwt`).

use serde::Serialize;

use super::key::{KeyError, SigningKey};
use crate::{Secret, random_text};

/// The lifetime of an assertion in seconds, which only needs to suffice for its own request.
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

/// A new assertion that authenticates this client to the issuer `audience`, whose token endpoint it
/// is sent to.
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
