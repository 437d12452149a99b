//! Texts signed by one key, the only one that a target trusts.

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{Ed25519KeyPair, KeyPair as _};
use serde_json::{Map, Value, json};

/// The time at which everything is checked, in seconds since 1970.
pub const NOW: u64 = 1_800_000_000;

static KEY: LazyLock<Ed25519KeyPair> =
    LazyLock::new(|| Ed25519KeyPair::from_seed_unchecked(&[7; 32]).unwrap());

/// The public key, as its holder publishes it.
pub fn public_jwk() -> Map<String, Value> {
    let x = URL_SAFE_NO_PAD.encode(KEY.public_key());
    let jwk = json!({"kty": "OKP", "crv": "Ed25519", "x": x});
    jwk.as_object().unwrap().clone()
}

/// Header and claims with this signature, or with the key's own if it is empty. Returns also
/// whether it is the key's own.
pub fn signed(header: &str, claims: &str, signature: &str) -> (String, bool) {
    let encoded = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let message = format!("{}.{}", encoded(header), encoded(claims));
    let own = URL_SAFE_NO_PAD.encode(KEY.sign(message.as_bytes()));
    let is_own = signature.is_empty() || signature == own;
    let given = if is_own { &own } else { signature };
    (format!("{message}.{given}"), is_own)
}

/// The type in a header, in lower case and without `application/`.
pub fn type_of(header: &Value) -> Option<String> {
    let Some(typ) = header.get("typ") else {
        return Some(String::new());
    };
    let typ = typ.as_str()?.to_ascii_lowercase();
    let short = typ.strip_prefix("application/").map(str::to_owned);
    Some(short.unwrap_or(typ))
}
