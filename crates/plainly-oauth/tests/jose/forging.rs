//! Creates valid and invalid tokens of every form.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey};
use plainly_oauth::jose::{Jwks, SigningKey, client_assertion};
use serde_json::{Value, json};

pub(crate) const NOW: u64 = 1_800_000_000;
pub(crate) const ISSUER: &str = "https://as.example";
pub(crate) const RESOURCE: &str = "https://mcp.example.com/mcp";

/// The keys of a test, for any signature algorithm.
pub(crate) struct Signer {
    pub(crate) key: SigningKey,
    encoding: EncodingKey,
}

macro_rules! pem {
    ($name:literal) => {
        include_str!(concat!("../keys/", $name, ".pem"))
    };
}

impl Signer {
    pub(crate) fn p256() -> Self {
        Self::new(pem!("p256"), None, EncodingKey::from_ec_der)
    }

    pub(crate) fn p384() -> Self {
        Self::new(pem!("p384"), None, EncodingKey::from_ec_der)
    }

    pub(crate) fn ed25519() -> Self {
        Self::new(pem!("ed25519"), None, EncodingKey::from_ed_der)
    }

    pub(crate) fn rsa() -> Self {
        Self::new(pem!("rsa_pkcs1"), None, EncodingKey::from_rsa_der)
    }

    fn new(pem: &str, algorithm: Option<&str>, encoding: fn(&[u8]) -> EncodingKey) -> Self {
        let key = SigningKey::from_pkcs8_pem(pem, algorithm).unwrap();
        // This call installs the cryptography.
        client_assertion(&key, "a", "b", NOW).unwrap();
        let document = STANDARD.decode(key.to_secret().expose()).unwrap();
        let encoding = encoding(&document);
        Self { key, encoding }
    }

    pub(crate) fn sign(&self, header: &Value, claims: &Value) -> String {
        self.sign_bytes(&header.to_string(), &claims.to_string())
    }

    pub(crate) fn sign_bytes(&self, header: &str, claims: &str) -> String {
        let named = serde_json::from_str::<Value>(header).ok();
        let named = named.and_then(|header| header["alg"].as_str()?.parse::<Algorithm>().ok());
        let algorithm = named.unwrap_or(Algorithm::ES256);
        sign(header, claims, &self.encoding, algorithm)
    }

    /// A key set with the public key.
    pub(crate) fn keys(&self) -> Jwks {
        let mut jwk = self.key.public_jwk();
        jwk.insert("kid".to_owned(), json!("k"));
        Jwks::read(json!({"keys": [jwk]}).to_string().as_bytes()).unwrap()
    }
}

pub(crate) fn sign(header: &str, claims: &str, key: &EncodingKey, algorithm: Algorithm) -> String {
    let message = format!("{}.{}", encoded(header), encoded(claims));
    let signature = jsonwebtoken::crypto::sign(message.as_bytes(), key, algorithm).unwrap();
    format!("{message}.{signature}")
}

pub(crate) fn encoded(text: &str) -> String {
    URL_SAFE_NO_PAD.encode(text)
}

/// The claims of a valid token.
pub(crate) fn good() -> Value {
    json!({
        "iss": ISSUER, "aud": RESOURCE, "sub": "alice", "client_id": "app", "scope": "files:read files:write",
        "iat": NOW, "exp": NOW + 300, "jti": "t-1"
    })
}

/// `value` with changed members; null removes a member.
pub(crate) fn with(mut value: Value, changes: Value) -> Value {
    let members = value.as_object_mut().unwrap();
    for (name, change) in changes.as_object().unwrap() {
        members.remove(name);
        if !change.is_null() {
            members.insert(name.clone(), change.clone());
        }
    }
    value
}
