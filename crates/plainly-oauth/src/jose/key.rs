//! The private key with which a client signs its assertions or proofs.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jsonwebtoken::{EncodingKey, Header};
use ring::rand::SystemRandom;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING, EcdsaKeyPair,
    EcdsaSigningAlgorithm, Ed25519KeyPair, KeyPair as _, RsaKeyPair, RsaPublicKeyComponents,
};
use rustls_pki_types::PrivateKeyDer;
use rustls_pki_types::pem::PemObject as _;
use serde::Serialize;
use thiserror::Error;
use zeroize::Zeroizing;

use super::algorithm::SignatureAlgorithm;
use super::jwk::PublicKey;
use super::{der, provider};
use crate::Secret;

/// A private key and its algorithm. Its `Debug` shows only the public key.
#[derive(Clone)]
pub struct SigningKey {
    algorithm: SignatureAlgorithm,
    document: Zeroizing<Vec<u8>>,
    signing: EncodingKey,
    public: PublicKey,
}

/// The reason why a key can't be used, or could not sign.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The text has no private key in PEM.
    #[error("not a private key in PEM: expected -----BEGIN PRIVATE KEY-----")]
    NotPem,
    /// The key is encrypted with a password, which is unknown here.
    #[error(
        "the private key is encrypted: decrypt it first, with `openssl pkcs8 -in key.pem -out plain.pem`"
    )]
    Encrypted,
    /// The key has the older form of elliptic-curve keys.
    #[error(
        "the private key has the SEC 1 format: convert it, with `openssl pkcs8 -topk8 -nocrypt \
         -in key.pem -out pkcs8.pem`"
    )]
    Sec1,
    /// The text is no base64.
    #[error("the stored key is damaged: it is not base64")]
    NotBase64,
    /// The algorithm is not supported for signing.
    #[error("unknown algorithm {}: expected ES256, ES384, EdDSA, RS256, RS384, RS512, PS256, PS384 or PS512", shown(.0))]
    UnknownAlgorithm(String),
    /// The key is of another kind than the algorithm.
    #[error("the key can't sign with {algorithm}: it is for {fits}")]
    OtherAlgorithm {
        /// The requested algorithm.
        algorithm: SignatureAlgorithm,
        /// The algorithm that the key fits.
        fits: SignatureAlgorithm,
    },
    /// The kind of the key is unknown, or the key is damaged.
    #[error(
        "the private key can't be used: it is damaged, or of none of the kinds P-256, P-384, Ed25519 and RSA with 2048 to 4096 bits"
    )]
    Unusable,
    /// The system has no random numbers, or signing failed.
    #[error("the key could not sign")]
    Signing,
}

/// An unknown name for display: shortened, and with control characters escaped.
fn shown(name: &str) -> String {
    let short: String = name.chars().take(32).collect();
    format!("{short:?}")
}

impl SigningKey {
    /// A new P-256 key, which signs with ES256.
    pub fn generate() -> Result<Self, KeyError> {
        let signing = &ECDSA_P256_SHA256_FIXED_SIGNING;
        let document = EcdsaKeyPair::generate_pkcs8(signing, &SystemRandom::new());
        let document = document.map_err(|_| KeyError::Signing)?;
        Self::from_pkcs8(document.as_ref(), None)
    }

    /// Reads the first private key in a PEM file, in PKCS #8 or, for RSA, PKCS #1.
    ///
    /// Without `algorithm`, it signs with the one of its kind: ES256, ES384, EdDSA or RS256.
    pub fn from_pkcs8_pem(pem: &str, algorithm: Option<&str>) -> Result<Self, KeyError> {
        let algorithm = algorithm.map(|name| {
            let named = SignatureAlgorithm::named(name);
            named.ok_or_else(|| KeyError::UnknownAlgorithm(name.to_owned()))
        });
        let algorithm = algorithm.transpose()?;
        match PrivateKeyDer::from_pem_slice(pem.as_bytes()) {
            Ok(PrivateKeyDer::Pkcs8(key)) => Self::from_pkcs8(key.secret_pkcs8_der(), algorithm),
            Ok(PrivateKeyDer::Pkcs1(key)) => {
                let key = key.secret_pkcs1_der();
                let read = rsa(key).ok_or(KeyError::Unusable)?;
                Self::of(read, key, algorithm)
            }
            Ok(PrivateKeyDer::Sec1(_)) => Err(KeyError::Sec1),
            Ok(_) | Err(_)
                if pem.contains("BEGIN ENCRYPTED PRIVATE KEY")
                    || pem.contains("Proc-Type: 4,ENCRYPTED") =>
            {
                Err(KeyError::Encrypted)
            }
            Ok(_) | Err(_) => Err(KeyError::NotPem),
        }
    }

    /// Reads a key that [`to_secret`](Self::to_secret) wrote.
    pub fn from_secret(secret: &Secret) -> Result<Self, KeyError> {
        let document = STANDARD.decode(secret.expose());
        let document = Zeroizing::new(document.map_err(|_| KeyError::NotBase64)?);
        Self::from_pkcs8(&document, None)
    }

    /// The private key, in PKCS #8 as base64, for a secret store.
    pub fn to_secret(&self) -> Secret {
        Secret::new(STANDARD.encode(&*self.document))
    }

    /// The algorithm that the key signs with.
    pub fn algorithm(&self) -> SignatureAlgorithm {
        self.algorithm
    }

    /// The public key.
    pub fn public(&self) -> &PublicKey {
        &self.public
    }

    /// The public key as JSON, for the verifiers of its signatures.
    pub fn public_jwk(&self) -> serde_json::Map<String, serde_json::Value> {
        self.public.to_jwk()
    }

    /// The SHA-256 of the public key, in base64url (RFC 7638).
    pub fn thumbprint(&self) -> String {
        self.public.thumbprint()
    }

    /// Signs claims, with a header of type `typ`.
    pub(super) fn sign<T: Serialize>(
        &self,
        typ: &str,
        has_key: bool,
        claims: &T,
    ) -> Result<String, KeyError> {
        provider::install();
        let mut header = Header::new(self.algorithm.of_jsonwebtoken());
        header.typ = Some(typ.to_owned());
        if has_key {
            let jwk = serde_json::Value::Object(self.public_jwk());
            header.jwk = Some(serde_json::from_value(jwk).map_err(|_| KeyError::Signing)?);
        }
        jsonwebtoken::encode(&header, claims, &self.signing).map_err(|_| KeyError::Signing)
    }

    fn from_pkcs8(
        document: &[u8],
        algorithm: Option<SignatureAlgorithm>,
    ) -> Result<Self, KeyError> {
        let read = point(&ECDSA_P256_SHA256_FIXED_SIGNING, document)
            .or_else(|| point(&ECDSA_P384_SHA384_FIXED_SIGNING, document))
            .or_else(|| ed25519(document))
            .or_else(|| rsa(der::rsa_in_pkcs8(document)?));
        Self::of(read.ok_or(KeyError::Unusable)?, document, algorithm)
    }

    fn of(
        (public, signing): (PublicKey, EncodingKey),
        document: &[u8],
        algorithm: Option<SignatureAlgorithm>,
    ) -> Result<Self, KeyError> {
        let fits = public.algorithms();
        let algorithm = algorithm.unwrap_or(fits[0]);
        if !fits.contains(&algorithm) {
            let fits = fits[0];
            return Err(KeyError::OtherAlgorithm { algorithm, fits });
        }
        Ok(Self {
            algorithm,
            document: Zeroizing::new(document.to_vec()),
            signing,
            public,
        })
    }
}

impl fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SigningKey")
            .field("algorithm", &self.algorithm)
            .field("thumbprint", &self.thumbprint())
            .finish_non_exhaustive()
    }
}

fn point(
    curve: &'static EcdsaSigningAlgorithm,
    document: &[u8],
) -> Option<(PublicKey, EncodingKey)> {
    let pair = EcdsaKeyPair::from_pkcs8(curve, document, &SystemRandom::new()).ok()?;
    let point = pair.public_key().as_ref().get(1..)?;
    let (x, y) = point.split_at(point.len() / 2);
    let public = match (x.try_into(), y.try_into()) {
        (Ok(x), Ok(y)) => PublicKey::P256([x, y]),
        _ => PublicKey::P384([x.try_into().ok()?, y.try_into().ok()?]),
    };
    Some((public, EncodingKey::from_ec_der(document)))
}

fn ed25519(document: &[u8]) -> Option<(PublicKey, EncodingKey)> {
    let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(document).ok()?;
    let public = PublicKey::Ed25519(pair.public_key().as_ref().try_into().ok()?);
    Some((public, EncodingKey::from_ed_der(document)))
}

/// The public and the private key from the form of PKCS #1, which `jsonwebtoken` requires.
fn rsa(key: &[u8]) -> Option<(PublicKey, EncodingKey)> {
    let pair = RsaKeyPair::from_der(key).ok()?;
    let public = RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
    let public = PublicKey::Rsa {
        modulus: public.n,
        exponent: public.e,
    };
    Some((public, EncodingKey::from_rsa_der(key)))
}
