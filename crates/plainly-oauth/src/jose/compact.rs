//! A signed text in its compact form (RFC 7515, 7.1), which is parsed strictly before its signature
//! is verified.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value};

use super::algorithm::SignatureAlgorithm;
use super::jwk::PublicKey;
use super::provider;
use crate::single;

/// The longest text that is read, in bytes.
pub const LONGEST: usize = 8 * 1024;

/// The rejected members of a header: those that change the meaning of a signature, or name its key.
/// The author of a token must not choose the key that verifies it (RFC 8725, 3.5 and 3.10).
const REFUSED: [&str; 7] = ["crit", "b64", "zip", "jku", "x5u", "x5c", OWN_KEY];
/// The member with a proof's own key.
pub(super) const OWN_KEY: &str = "jwk";

/// A text that is parsed, but not verified yet.
pub(super) struct Compact<'a> {
    pub(super) header: Map<String, Value>,
    pub(super) claims: Map<String, Value>,
    pub(super) algorithm: SignatureAlgorithm,
    message: &'a str,
    signature: &'a str,
}

/// The fault of a text before its signature is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MalformedToken {
    Form,
    Header,
    Algorithm,
}

impl<'a> Compact<'a> {
    /// Parses a text. With `own_key`, its header contains its key, as in a proof.
    pub(super) fn read(text: &'a str, own_key: bool) -> Result<Self, MalformedToken> {
        if text.len() > LONGEST {
            return Err(MalformedToken::Form);
        }
        let mut parts = text.split('.');
        let (Some(header), Some(claims), Some(signature), None) =
            (parts.next(), parts.next(), parts.next(), parts.next())
        else {
            return Err(MalformedToken::Form);
        };
        let message = &text[..header.len() + 1 + claims.len()];
        let header = part(header).ok_or(MalformedToken::Form)?;
        let claims = part(claims).ok_or(MalformedToken::Form)?;
        let mut refused = REFUSED
            .into_iter()
            .filter(|name| !(own_key && *name == OWN_KEY));
        if refused.any(|name| header.contains_key(name)) {
            return Err(MalformedToken::Header);
        }
        let named = header.get("alg").and_then(Value::as_str);
        let algorithm = named.and_then(SignatureAlgorithm::named);
        Ok(Self {
            algorithm: algorithm.ok_or(MalformedToken::Algorithm)?,
            header,
            claims,
            message,
            signature,
        })
    }

    /// The type in its header, in lower case and without `application/`, because media types are
    /// compared so. Empty if it has none.
    pub(super) fn typ(&self) -> Option<String> {
        let Some(typ) = self.header.get("typ") else {
            return Some(String::new());
        };
        let typ = typ.as_str()?.to_ascii_lowercase();
        let short = typ.strip_prefix("application/").unwrap_or(&typ);
        Some(short.to_owned())
    }

    /// Whether it is signed with this key, by an algorithm of the key.
    pub(super) fn is_signed_with(&self, key: &PublicKey) -> bool {
        if !key.algorithms().contains(&self.algorithm) {
            return false;
        }
        provider::install();
        let verified = jsonwebtoken::crypto::verify(
            self.signature,
            self.message.as_bytes(),
            &key.of_jsonwebtoken(),
            self.algorithm.of_jsonwebtoken(),
        );
        verified.unwrap_or(false)
    }
}

fn part(text: &str) -> Option<Map<String, Value>> {
    let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
    single::read(&bytes).ok()
}
