//! The cryptography of `ring` for `jsonwebtoken`. It is used in the whole process, so it supports
//! all algorithms of `jsonwebtoken`, including shared secrets. Other files decide which ones are
//! accepted.

use std::sync::Once;

use jsonwebtoken::crypto::{CryptoProvider, JwtSigner, JwtVerifier, KeyUtils};
use jsonwebtoken::errors::{ErrorKind, Result as Outcome};
use jsonwebtoken::jwk::{EllipticCurve, ThumbprintHash};
use jsonwebtoken::signature::{Error as Unsigned, Signer, Verifier};
use jsonwebtoken::{Algorithm, DecodingKey, DecodingKeyKind, EncodingKey};
use ring::rand::SystemRandom;
use ring::signature::{
    EcdsaKeyPair, EcdsaSigningAlgorithm, EcdsaVerificationAlgorithm, Ed25519KeyPair, KeyPair as _,
    RsaEncoding, RsaKeyPair, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey,
};
use ring::{digest, hmac, signature};

use super::der;

/// The bytes of a P-256 coordinate. The only other curve of `ring` is P-384.
const P256: usize = 32;

static PROVIDER: CryptoProvider = CryptoProvider {
    signer_factory: signer,
    verifier_factory: verifier,
    key_utils: KeyUtils {
        rsa_pub_components_from_private_key: rsa_of_private,
        rsa_pub_components_from_public_key: rsa_of_public,
        ec_pub_components_from_private_key: point_of_private,
        ed_pub_components_from_private_key: ed25519_of_private,
        compute_digest,
    },
};

/// Sets the cryptography of `jsonwebtoken`, unless the program has set one. Called before each use
/// of `jsonwebtoken`.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        // If this fails, an equivalent provider is already installed.
        let _ = PROVIDER.install_default();
    });
}

/// An algorithm, in the form that `ring` needs for signing and verifying.
enum Scheme {
    Hmac(hmac::Algorithm),
    Ecdsa(
        &'static EcdsaSigningAlgorithm,
        &'static EcdsaVerificationAlgorithm,
    ),
    Rsa(&'static dyn RsaEncoding, &'static RsaParameters),
    Ed25519,
}

#[rustfmt::skip]
fn scheme(algorithm: Algorithm) -> Outcome<Scheme> {
    Ok(match algorithm {
        Algorithm::HS256 => Scheme::Hmac(hmac::HMAC_SHA256),
        Algorithm::HS384 => Scheme::Hmac(hmac::HMAC_SHA384),
        Algorithm::HS512 => Scheme::Hmac(hmac::HMAC_SHA512),
        Algorithm::ES256 => Scheme::Ecdsa(&signature::ECDSA_P256_SHA256_FIXED_SIGNING, &signature::ECDSA_P256_SHA256_FIXED),
        Algorithm::ES384 => Scheme::Ecdsa(&signature::ECDSA_P384_SHA384_FIXED_SIGNING, &signature::ECDSA_P384_SHA384_FIXED),
        Algorithm::RS256 => Scheme::Rsa(&signature::RSA_PKCS1_SHA256, &signature::RSA_PKCS1_2048_8192_SHA256),
        Algorithm::RS384 => Scheme::Rsa(&signature::RSA_PKCS1_SHA384, &signature::RSA_PKCS1_2048_8192_SHA384),
        Algorithm::RS512 => Scheme::Rsa(&signature::RSA_PKCS1_SHA512, &signature::RSA_PKCS1_2048_8192_SHA512),
        Algorithm::PS256 => Scheme::Rsa(&signature::RSA_PSS_SHA256, &signature::RSA_PSS_2048_8192_SHA256),
        Algorithm::PS384 => Scheme::Rsa(&signature::RSA_PSS_SHA384, &signature::RSA_PSS_2048_8192_SHA384),
        Algorithm::PS512 => Scheme::Rsa(&signature::RSA_PSS_SHA512, &signature::RSA_PSS_2048_8192_SHA512),
        Algorithm::EdDSA => Scheme::Ed25519,
        _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
    })
}

struct RingSigner {
    algorithm: Algorithm,
    scheme: Scheme,
    key: EncodingKey,
}

struct RingVerifier {
    algorithm: Algorithm,
    scheme: Scheme,
    key: DecodingKey,
}

fn signer(algorithm: &Algorithm, key: &EncodingKey) -> Outcome<Box<dyn JwtSigner>> {
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(RingSigner {
        algorithm: *algorithm,
        scheme: scheme(*algorithm)?,
        key: key.clone(),
    }))
}

fn verifier(algorithm: &Algorithm, key: &DecodingKey) -> Outcome<Box<dyn JwtVerifier>> {
    if key.family() != algorithm.family() {
        return Err(ErrorKind::InvalidKeyFormat.into());
    }
    Ok(Box::new(RingVerifier {
        algorithm: *algorithm,
        scheme: scheme(*algorithm)?,
        key: key.clone(),
    }))
}

impl JwtSigner for RingSigner {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl JwtVerifier for RingVerifier {
    fn algorithm(&self) -> Algorithm {
        self.algorithm
    }
}

impl Signer<Vec<u8>> for RingSigner {
    fn try_sign(&self, message: &[u8]) -> Result<Vec<u8>, Unsigned> {
        let key = self.key.as_bytes();
        let random = SystemRandom::new();
        match self.scheme {
            Scheme::Hmac(digest) => {
                let key = hmac::Key::new(digest, key);
                Ok(hmac::sign(&key, message).as_ref().to_vec())
            }
            Scheme::Ecdsa(signing, _) => {
                let pair = EcdsaKeyPair::from_pkcs8(signing, key, &random);
                let pair = pair.map_err(without_why)?;
                let signature = pair.sign(&random, message).map_err(without_why)?;
                Ok(signature.as_ref().to_vec())
            }
            Scheme::Rsa(encoding, _) => {
                let pair = RsaKeyPair::from_der(key).map_err(without_why)?;
                let mut signature = vec![0; pair.public().modulus_len()];
                let signed = pair.sign(encoding, &random, message, &mut signature);
                signed.map_err(without_why)?;
                Ok(signature)
            }
            Scheme::Ed25519 => {
                let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(key);
                let pair = pair.map_err(without_why)?;
                Ok(pair.sign(message).as_ref().to_vec())
            }
        }
    }
}

impl Verifier<Vec<u8>> for RingVerifier {
    fn verify(&self, message: &[u8], signature: &Vec<u8>) -> Result<(), Unsigned> {
        let verified = match (&self.scheme, self.key.kind()) {
            (Scheme::Hmac(digest), DecodingKeyKind::SecretOrDer(secret)) => {
                hmac::verify(&hmac::Key::new(*digest, secret), message, signature)
            }
            (Scheme::Ecdsa(_, verifying), DecodingKeyKind::SecretOrDer(point)) => {
                UnparsedPublicKey::new(*verifying, point).verify(message, signature)
            }
            (Scheme::Ed25519, DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(&signature::ED25519, key).verify(message, signature)
            }
            (Scheme::Rsa(_, parameters), DecodingKeyKind::SecretOrDer(key)) => {
                UnparsedPublicKey::new(*parameters, key).verify(message, signature)
            }
            (Scheme::Rsa(_, parameters), DecodingKeyKind::RsaModulusExponent { n, e }) => {
                let (n, e) = (der::without_zeros(n), der::without_zeros(e));
                RsaPublicKeyComponents { n, e }.verify(parameters, message, signature)
            }
            (_, DecodingKeyKind::RsaModulusExponent { .. }) => return Err(Unsigned::new()),
        };
        verified.map_err(without_why)
    }
}

/// The error without its cause, because `ring` reports none.
fn without_why<E>(_: E) -> Unsigned {
    Unsigned::new()
}

fn rsa_of_private(key: &[u8]) -> Outcome<(Vec<u8>, Vec<u8>)> {
    let pair =
        RsaKeyPair::from_der(key).map_err(|error| ErrorKind::InvalidRsaKey(error.to_string()))?;
    let public = RsaPublicKeyComponents::<Vec<u8>>::from(pair.public());
    Ok((public.n, public.e))
}

fn rsa_of_public(key: &[u8]) -> Outcome<(Vec<u8>, Vec<u8>)> {
    let found = der::rsa_public(key);
    let (n, e) = found.ok_or_else(|| ErrorKind::InvalidRsaKey("not PKCS #1".to_owned()))?;
    Ok((n.to_vec(), e.to_vec()))
}

fn point_of_private(
    key: &[u8],
    algorithm: Algorithm,
) -> Outcome<(EllipticCurve, Vec<u8>, Vec<u8>)> {
    let Scheme::Ecdsa(signing, _) = scheme(algorithm)? else {
        return Err(ErrorKind::InvalidEcdsaKey.into());
    };
    let pair = EcdsaKeyPair::from_pkcs8(signing, key, &SystemRandom::new());
    let pair = pair.map_err(|_| ErrorKind::InvalidEcdsaKey)?;
    let point = pair.public_key().as_ref();
    // The first byte only says that both coordinates follow.
    let both = point.get(1..).ok_or(ErrorKind::InvalidEcdsaKey)?;
    let (x, y) = both.split_at(both.len() / 2);
    let curve = if x.len() == P256 {
        EllipticCurve::P256
    } else {
        EllipticCurve::P384
    };
    Ok((curve, x.to_vec(), y.to_vec()))
}

fn ed25519_of_private(key: &[u8], curve: &EllipticCurve) -> Outcome<Vec<u8>> {
    if *curve != EllipticCurve::Ed25519 {
        return Err(ErrorKind::InvalidAlgorithm.into());
    }
    let pair = Ed25519KeyPair::from_pkcs8_maybe_unchecked(key);
    let pair = pair.map_err(|_| ErrorKind::InvalidEddsaKey)?;
    Ok(pair.public_key().as_ref().to_vec())
}

fn compute_digest(data: &[u8], hash: ThumbprintHash) -> Outcome<Vec<u8>> {
    let algorithm = match hash {
        ThumbprintHash::SHA256 => &digest::SHA256,
        ThumbprintHash::SHA384 => &digest::SHA384,
        ThumbprintHash::SHA512 => &digest::SHA512,
        _ => return Err(ErrorKind::UnsupportedAlgorithm.into()),
    };
    Ok(digest::digest(algorithm, data).as_ref().to_vec())
}

#[cfg(test)]
mod tests {
    use jsonwebtoken::jwk::Jwk;
    use jsonwebtoken::{DecodingKey, EncodingKey, Header, Validation};
    use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, ECDSA_P384_SHA384_FIXED_SIGNING};
    use rustls_pki_types::PrivateKeyDer;
    use rustls_pki_types::pem::PemObject as _;
    use serde_json::{Value, json};

    use super::*;

    const RSA: &[u8] = include_bytes!("../../tests/keys/rsa_pkcs1.der");
    const ED25519: &[u8] = include_bytes!("../../tests/keys/ed25519.pem");

    /// Other users of `jsonwebtoken` in the process may need all of its algorithms.
    #[test]
    fn every_algorithm_of_jsonwebtoken_signs_and_verifies() {
        install();
        let point = |curve| {
            let pair = EcdsaKeyPair::generate_pkcs8(curve, &SystemRandom::new());
            EncodingKey::from_ec_der(pair.unwrap().as_ref())
        };
        let p256 = point(&ECDSA_P256_SHA256_FIXED_SIGNING);
        let p384 = point(&ECDSA_P384_SHA384_FIXED_SIGNING);
        let ed25519 = PrivateKeyDer::from_pem_slice(ED25519).unwrap();
        let ed25519 = EncodingKey::from_ed_der(ed25519.secret_der());
        let (secret, rsa) = (
            EncodingKey::from_secret(&[7; 64]),
            EncodingKey::from_rsa_der(RSA),
        );
        for (algorithm, key) in [
            (Algorithm::HS256, &secret),
            (Algorithm::HS384, &secret),
            (Algorithm::HS512, &secret),
            (Algorithm::ES256, &p256),
            (Algorithm::ES384, &p384),
            (Algorithm::EdDSA, &ed25519),
            (Algorithm::RS256, &rsa),
            (Algorithm::RS384, &rsa),
            (Algorithm::RS512, &rsa),
            (Algorithm::PS256, &rsa),
            (Algorithm::PS384, &rsa),
            (Algorithm::PS512, &rsa),
        ] {
            let token =
                jsonwebtoken::encode(&Header::new(algorithm), &json!({"a": 1}), key).unwrap();
            let public = Jwk::from_encoding_key(key, algorithm).unwrap();
            let public = DecodingKey::from_jwk(&public).unwrap();
            let mut validation = Validation::new(algorithm);
            validation.required_spec_claims.clear();
            let read = jsonwebtoken::decode::<Value>(&token, &public, &validation);
            assert_eq!(read.unwrap().claims, json!({"a": 1}), "{algorithm:?}");
            let changed = token.replacen(".eyJ", ".eyK", 1);
            assert!(jsonwebtoken::decode::<Value>(&changed, &public, &validation).is_err());
        }
        for (key, algorithm, curve) in [
            (&p256, Algorithm::ES256, "P-256"),
            (&p384, Algorithm::ES384, "P-384"),
        ] {
            let public = serde_json::to_value(Jwk::from_encoding_key(key, algorithm).unwrap());
            let public = public.unwrap();
            assert_eq!(public["crv"], curve);
            let [x, y] = ["x", "y"].map(|name| public[name].as_str().unwrap().len());
            assert_eq!(x, y);
        }
        let wrong = point_of_private(RSA, Algorithm::RS256);
        assert_eq!(wrong.unwrap_err().kind(), &ErrorKind::InvalidEcdsaKey);
        let of_another_family = jsonwebtoken::encode(&Header::new(Algorithm::RS256), &1, &secret);
        assert!(of_another_family.is_err());
    }

    #[test]
    fn a_digest_is_of_the_function_that_is_named() {
        for (function, expected) in [
            (ThumbprintHash::SHA256, &digest::SHA256),
            (ThumbprintHash::SHA384, &digest::SHA384),
            (ThumbprintHash::SHA512, &digest::SHA512),
        ] {
            let computed = compute_digest(b"a", function).unwrap();
            assert_eq!(computed, digest::digest(expected, b"a").as_ref());
        }
    }
}
