//! Public keys as JSON (RFC 7517, 7518, 8037), and their thumbprints (RFC 7638).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::DecodingKey;
use ring::digest::{SHA256, digest};
use serde::Serialize;
use serde_json::{Map, Value};
use thiserror::Error;

use super::algorithm::SignatureAlgorithm;
use super::der::without_zeros;

/// The accepted sizes of an RSA modulus in bits. Smaller ones are insecure, larger ones too slow.
const MODULUS: std::ops::RangeInclusive<usize> = 2048..=8192;

/// A public key that verifies signatures.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PublicKey {
    /// An RSA key: modulus and exponent.
    Rsa {
        /// Big-endian, without leading zeros.
        modulus: Vec<u8>,
        /// Big-endian, without leading zeros.
        exponent: Vec<u8>,
    },
    /// A point of P-256: its coordinates.
    P256([[u8; 32]; 2]),
    /// A point of P-384: its coordinates.
    P384([[u8; 48]; 2]),
    /// An Ed25519 key.
    Ed25519([u8; 32]),
}

/// The reason why a key is unusable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum UnusableKey {
    /// The kind or the curve is missing or not supported. A shared secret is not supported either.
    #[error("its kind is not supported")]
    Kind,
    /// A member is missing or invalid.
    #[error("it is malformed")]
    Malformed,
    /// The key is too small to be secure, or too large to compute with.
    #[error("its size is not supported: keys of RSA have 2048 to 8192 bits")]
    Size,
    /// The JSON contains the private key.
    #[error("it contains its private key")]
    Private,
}

impl PublicKey {
    /// Reads a key. Other members, such as `use`, are not checked.
    pub fn read(jwk: &Map<String, Value>) -> Result<Self, UnusableKey> {
        let text = |name: &str| jwk.get(name).and_then(Value::as_str);
        let bytes = |name: &str| {
            let decoded = text(name).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
            decoded.ok_or(UnusableKey::Malformed)
        };
        if jwk.contains_key("d") {
            return Err(UnusableKey::Private);
        }
        match (text("kty"), text("crv")) {
            (Some("RSA"), _) => Self::rsa(&bytes("n")?, &bytes("e")?),
            (Some("EC"), Some("P-256")) => {
                Ok(Self::P256([fixed(bytes("x")?)?, fixed(bytes("y")?)?]))
            }
            (Some("EC"), Some("P-384")) => {
                Ok(Self::P384([fixed(bytes("x")?)?, fixed(bytes("y")?)?]))
            }
            (Some("OKP"), Some("Ed25519")) => Ok(Self::Ed25519(fixed(bytes("x")?)?)),
            _ => Err(UnusableKey::Kind),
        }
    }

    fn rsa(modulus: &[u8], exponent: &[u8]) -> Result<Self, UnusableKey> {
        let (modulus, exponent) = (without_zeros(modulus), without_zeros(exponent));
        let unused = modulus.first().map_or(0, |byte| byte.leading_zeros());
        let bits = modulus.len() * 8 - unused as usize;
        if !MODULUS.contains(&bits) {
            return Err(UnusableKey::Size);
        }
        Ok(Self::Rsa {
            modulus: modulus.to_vec(),
            exponent: exponent.to_vec(),
        })
    }

    /// The algorithms that this key can verify. A key of one family is never used with another (RFC
    /// 8725, 3.1).
    pub fn algorithms(&self) -> &'static [SignatureAlgorithm] {
        use SignatureAlgorithm::{ES256, ES384, EdDSA, PS256, PS384, PS512, RS256, RS384, RS512};
        match self {
            Self::Rsa { .. } => &[RS256, RS384, RS512, PS256, PS384, PS512],
            Self::P256(_) => &[ES256],
            Self::P384(_) => &[ES384],
            Self::Ed25519(_) => &[EdDSA],
        }
    }

    /// The required members, in the order of the thumbprint.
    fn members(&self) -> Vec<(&'static str, String)> {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        let point = |curve: &str, x: &[u8], y: &[u8]| {
            let kind = ("kty", "EC".to_owned());
            vec![
                ("crv", curve.to_owned()),
                kind,
                ("x", text(x)),
                ("y", text(y)),
            ]
        };
        match self {
            Self::Rsa { modulus, exponent } => {
                let kind = ("kty", "RSA".to_owned());
                vec![("e", text(exponent)), kind, ("n", text(modulus))]
            }
            Self::P256([x, y]) => point("P-256", x, y),
            Self::P384([x, y]) => point("P-384", x, y),
            Self::Ed25519(x) => {
                let kind = ("kty", "OKP".to_owned());
                vec![("crv", "Ed25519".to_owned()), kind, ("x", text(x))]
            }
        }
    }

    /// The SHA-256 of the key in its canonical form, in base64url (RFC 7638).
    pub fn thumbprint(&self) -> String {
        let members: Vec<_> = self.members();
        let members: Vec<_> = members
            .iter()
            .map(|(name, text)| format!("\"{name}\":\"{text}\""))
            .collect();
        let canonical = format!("{{{}}}", members.join(","));
        URL_SAFE_NO_PAD.encode(digest(&SHA256, canonical.as_bytes()))
    }

    /// The key as JSON.
    pub fn to_jwk(&self) -> Map<String, Value> {
        let members = self.members().into_iter();
        members
            .map(|(name, text)| (name.to_owned(), Value::String(text)))
            .collect()
    }

    pub(super) fn of_jsonwebtoken(&self) -> DecodingKey {
        let point = |x: &[u8], y: &[u8]| DecodingKey::from_ec_der(&[&[0x04], x, y].concat());
        match self {
            Self::Rsa { modulus, exponent } => {
                DecodingKey::from_rsa_raw_components(modulus, exponent)
            }
            Self::P256([x, y]) => point(x, y),
            Self::P384([x, y]) => point(x, y),
            Self::Ed25519(x) => DecodingKey::from_ed_der(x),
        }
    }
}

impl Serialize for PublicKey {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_jwk().serialize(serializer)
    }
}

fn fixed<const N: usize>(bytes: Vec<u8>) -> Result<[u8; N], UnusableKey> {
    bytes.try_into().map_err(|_| UnusableKey::Malformed)
}
