//! Tests which keys of a set are used.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plainly_oauth::jose::{AccessToken, ClaimRules, Jwks, TokenRefusal, UnusableKeys};
use serde_json::{Value, json};

use crate::forging::{ISSUER, NOW, RESOURCE, Signer, good, with};

fn read(set: &Value) -> Result<Jwks, UnusableKeys> {
    Jwks::read(set.to_string().as_bytes())
}

/// A modulus of `length` bytes that starts with `first`.
fn number(first: u8, length: usize) -> Value {
    let mut bytes = vec![0xff; length];
    bytes[0] = first;
    json!({"n": URL_SAFE_NO_PAD.encode(bytes)})
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn keys_that_verify_nothing_are_left_out() {
    let point = Value::Object(Signer::p256().key.public_jwk());
    let rsa = Value::Object(Signer::rsa().key.public_jwk());
    let small = "w".repeat(170);
    for (name, key, is_used) in [
        ("P-256", point.clone(), true),
        ("RSA", rsa.clone(), true),
        (
            "for signatures",
            with(point.clone(), json!({"use": "sig"})),
            true,
        ),
        (
            "for encryption",
            with(point.clone(), json!({"use": "enc"})),
            false,
        ),
        (
            "for verifying",
            with(point.clone(), json!({"key_ops": ["verify"]})),
            true,
        ),
        (
            "for wrapping",
            with(point.clone(), json!({"key_ops": ["wrapKey"]})),
            false,
        ),
        (
            "its algorithm",
            with(rsa.clone(), json!({"alg": "PS256"})),
            true,
        ),
        (
            "another algorithm",
            with(point.clone(), json!({"alg": "RS256"})),
            false,
        ),
        (
            "encryption by its algorithm",
            with(rsa.clone(), json!({"alg": "RSA-OAEP"})),
            false,
        ),
        ("a shared secret", json!({"kty": "oct", "k": "AAAA"}), false),
        (
            "an unknown kind",
            json!({"kty": "AKP", "alg": "ML-DSA-44", "pub": "AAAA"}),
            false,
        ),
        (
            "an unknown curve",
            with(point.clone(), json!({"crv": "secp256k1"})),
            false,
        ),
        (
            "another curve",
            with(point.clone(), json!({"crv": "P-384"})),
            false,
        ),
        ("a small RSA", with(rsa.clone(), json!({"n": small})), false),
        (
            "a huge RSA",
            with(rsa.clone(), json!({"n": "w".repeat(2000)})),
            false,
        ),
        ("2047 bits", with(rsa.clone(), number(0x7f, 256)), false),
        ("2048 bits", with(rsa.clone(), number(0x80, 256)), true),
        ("8192 bits", with(rsa.clone(), number(0xff, 1024)), true),
        ("8193 bits", with(rsa.clone(), number(0x01, 1025)), false),
        (
            "a zero before the modulus",
            with(
                rsa.clone(),
                json!({"n": format!("AAAA{}", rsa["n"].as_str().unwrap())}),
            ),
            true,
        ),
        ("no base64", with(point.clone(), json!({"x": "%"})), false),
        (
            "no coordinate",
            with(point.clone(), json!({"y": null})),
            false,
        ),
        (
            "a private key",
            with(point.clone(), json!({"d": "AAAA"})),
            false,
        ),
        ("a number as id", with(point, json!({"kid": 1})), false),
        ("no object", json!(1), false),
    ] {
        let expected = is_used.then_some(()).ok_or(UnusableKeys::NoneUsable);
        assert_eq!(
            read(&json!({"keys": [key]})).map(|_| ()),
            expected,
            "{name}"
        );
    }
}

#[test]
fn a_document_that_is_no_set_of_keys_is_refused() {
    let key = Signer::p256().key.public_jwk();
    let many = vec![key.clone(); 257];
    for (name, set, expected) in [
        ("256 keys", json!({"keys": many[1..]}), Ok(())),
        (
            "257 keys",
            json!({"keys": many}),
            Err(UnusableKeys::TooMany),
        ),
        (
            "no keys",
            json!({"keys": []}),
            Err(UnusableKeys::NoneUsable),
        ),
        (
            "no list",
            json!({"keys": key}),
            Err(UnusableKeys::Malformed),
        ),
        ("a list alone", json!([key]), Err(UnusableKeys::Malformed)),
    ] {
        assert_eq!(read(&set).map(|_| ()), expected, "{name}");
    }
    for text in ["", "<html>", r#"{"keys":[],"keys":[]}"#] {
        let refused = Jwks::read(text.as_bytes());
        assert_eq!(refused, Err(UnusableKeys::Malformed), "{text}");
    }
    let twice = json!({"keys": [key]})
        .to_string()
        .replacen("\"kty\"", "\"kty\":\"EC\",\"kty\"", 1);
    assert_eq!(Jwks::read(twice.as_bytes()), Err(UnusableKeys::Malformed));
}

#[test]
fn a_key_that_is_for_one_algorithm_verifies_no_other() {
    let signer = Signer::rsa();
    let rules = ClaimRules::new(ISSUER, [RESOURCE.to_owned()]);
    for (own, used, expected) in [
        (json!(null), "RS256", None),
        (json!(null), "PS256", None),
        (json!("PS256"), "PS256", None),
        (json!("PS256"), "RS256", Some(TokenRefusal::UnknownKey)),
        (json!("RS512"), "RS256", Some(TokenRefusal::UnknownKey)),
    ] {
        let key = with(Value::Object(signer.key.public_jwk()), json!({"alg": own}));
        let keys = read(&json!({"keys": [key]})).unwrap();
        let token = signer.sign(&json!({"alg": used}), &good());
        let token = AccessToken::read(&token).unwrap();
        let verified = token.verify(&keys, &rules, NOW);
        assert_eq!(verified.err(), expected, "{own} {used}");
    }
}

#[test]
fn a_key_id_names_the_only_key_that_is_tried() {
    let (own, other) = (Signer::p256(), Signer::p384());
    let foreign = plainly_oauth::jose::SigningKey::generate().unwrap();
    let rules = ClaimRules::new(ISSUER, [RESOURCE.to_owned()]);
    let named = |jwk, id: &str| with(Value::Object(jwk), json!({"kid": id}));
    let keys = json!({"keys": [
        named(foreign.public_jwk(), "foreign"),
        named(own.key.public_jwk(), "own"),
        named(other.key.public_jwk(), "other"),
        Value::Object(own.key.public_jwk()),
    ]});
    let keys = read(&keys).unwrap();
    for (header, expected) in [
        (json!({"alg": "ES256", "kid": "own"}), None),
        (json!({"alg": "ES256"}), None),
        (
            json!({"alg": "ES256", "kid": "foreign"}),
            Some(TokenRefusal::Signature),
        ),
        (
            json!({"alg": "ES256", "kid": "other"}),
            Some(TokenRefusal::UnknownKey),
        ),
        (
            json!({"alg": "ES256", "kid": "OWN"}),
            Some(TokenRefusal::UnknownKey),
        ),
    ] {
        let token = own.sign(&header, &good());
        let token = AccessToken::read(&token).unwrap();
        let verified = token.verify(&keys, &rules, NOW);
        assert_eq!(verified.err(), expected, "{header}");
    }
}

#[test]
fn a_token_without_a_key_id_is_tried_with_eight_keys_of_its_algorithm() {
    let (own, other) = (Signer::p256(), Signer::p384());
    let foreign = plainly_oauth::jose::SigningKey::generate().unwrap();
    let rules = ClaimRules::new(ISSUER, [RESOURCE.to_owned()]);
    let token = own.sign(&json!({"alg": "ES256"}), &good());
    for (name, foreign_keys, expected) in [
        ("first", 0, None),
        ("eighth", 7, None),
        ("ninth", 8, Some(TokenRefusal::Signature)),
    ] {
        let mut keys = vec![other.key.public_jwk(); 20];
        keys.extend(vec![foreign.public_jwk(); foreign_keys]);
        keys.push(own.key.public_jwk());
        let keys = read(&json!({"keys": keys})).unwrap();
        let verified = AccessToken::read(&token)
            .unwrap()
            .verify(&keys, &rules, NOW);
        assert_eq!(verified.err(), expected, "{name}");
    }
}
