//! Tests keys, and the assertions and proofs that a client creates.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use plainly_oauth::Secret;
use plainly_oauth::jose::{
    KeyError, PublicKey, SignatureAlgorithm, SigningKey, client_assertion, dpop,
};
use serde_json::{Value, json};

macro_rules! pem {
    ($name:literal) => {
        include_str!(concat!("../keys/", $name, ".pem"))
    };
}

const NOW: u64 = 1_800_000_000;

/// Header and claims of a token.
fn parts(token: &str) -> (Value, Value) {
    let mut parts = token.split('.').map(|part| {
        let bytes = URL_SAFE_NO_PAD.decode(part).unwrap();
        serde_json::from_slice(&bytes).unwrap_or(Value::Null)
    });
    (parts.next().unwrap(), parts.next().unwrap())
}

#[test]
fn keys_are_read_from_pem_with_an_algorithm_of_their_kind() {
    use SignatureAlgorithm::{ES256, ES384, EdDSA, PS256, RS256, RS512};
    let unknown = |name: &str| Err(KeyError::UnknownAlgorithm(name.to_owned()));
    let other = |algorithm, fits| Err(KeyError::OtherAlgorithm { algorithm, fits });
    for (name, pem, algorithm, expected) in [
        ("P-256", pem!("p256"), None, Ok(ES256)),
        ("P-256", pem!("p256"), Some("ES256"), Ok(ES256)),
        ("P-384", pem!("p384"), None, Ok(ES384)),
        ("Ed25519", pem!("ed25519"), None, Ok(EdDSA)),
        ("Ed25519", pem!("ed25519"), Some("EdDSA"), Ok(EdDSA)),
        ("RSA", pem!("rsa"), None, Ok(RS256)),
        ("RSA", pem!("rsa"), Some("PS256"), Ok(PS256)),
        (
            "RSA in PKCS #1",
            pem!("rsa_pkcs1"),
            Some("RS512"),
            Ok(RS512),
        ),
        (
            "another algorithm",
            pem!("p256"),
            Some("RS256"),
            other(RS256, ES256),
        ),
        (
            "another curve",
            pem!("p384"),
            Some("ES256"),
            other(ES256, ES384),
        ),
        (
            "a shared secret",
            pem!("p256"),
            Some("HS256"),
            unknown("HS256"),
        ),
        ("none", pem!("rsa"), Some("none"), unknown("none")),
        (
            "a small RSA",
            pem!("rsa1024"),
            None,
            Err(KeyError::Unusable),
        ),
        ("P-521", pem!("p521"), None, Err(KeyError::Unusable)),
        ("SEC 1", pem!("p256_sec1"), None, Err(KeyError::Sec1)),
        (
            "encrypted",
            pem!("p256_encrypted"),
            None,
            Err(KeyError::Encrypted),
        ),
        ("no PEM", "MEUCIQ", None, Err(KeyError::NotPem)),
        ("nothing", "", None, Err(KeyError::NotPem)),
    ] {
        let key = SigningKey::from_pkcs8_pem(pem, algorithm);
        assert_eq!(key.map(|key| key.algorithm()), expected, "{name}");
    }
}

#[test]
fn the_name_of_an_unknown_algorithm_is_told_short_and_harmless() {
    let name = format!("\u{1b}[2J{}", "x".repeat(100));
    let refused = SigningKey::from_pkcs8_pem(pem!("p256"), Some(&name)).unwrap_err();
    let shown = format!(
        "unknown algorithm \"\\u{{1b}}[2J{}\": expected",
        "x".repeat(28)
    );
    assert!(refused.to_string().starts_with(&shown), "{refused}");
}

#[test]
fn a_key_is_kept_as_a_secret_and_shows_nothing_of_it() {
    let key = SigningKey::generate().unwrap();
    assert_eq!(key.algorithm(), SignatureAlgorithm::ES256);
    let again = SigningKey::from_secret(&key.to_secret()).unwrap();
    assert_eq!(again.thumbprint(), key.thumbprint());
    let shown = format!("{key:?}");
    assert!(shown.contains(&key.thumbprint()), "{shown}");
    assert!(!shown.contains(&key.to_secret().expose()[40..]), "{shown}");
    let damaged = SigningKey::from_secret(&Secret::new("%"));
    assert_eq!(damaged.unwrap_err(), KeyError::NotBase64);
    let other = SigningKey::from_secret(&Secret::new("AAAA"));
    assert_eq!(other.unwrap_err(), KeyError::Unusable);
    assert_ne!(
        SigningKey::generate().unwrap().thumbprint(),
        key.thumbprint()
    );
}

#[test]
fn the_thumbprints_of_the_rfcs_are_ours() {
    for (jwk, thumbprint) in [
        // RFC 7638, 3.1.
        (
            json!({"kty": "RSA", "alg": "RS256", "kid": "2011-04-29", "e": "AQAB", "n": "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw"}),
            "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs",
        ),
        // RFC 8037, A.3.
        (
            json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"}),
            "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k",
        ),
        // RFC 9449, 6.1.
        (
            json!({"kty": "EC", "crv": "P-256", "x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs", "y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"}),
            "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I",
        ),
    ] {
        let key = PublicKey::read(jwk.as_object().unwrap()).unwrap();
        assert_eq!(key.thumbprint(), thumbprint);
    }
}

#[test]
fn an_assertion_says_who_and_for_whom_and_ends_soon() {
    let key = SigningKey::from_pkcs8_pem(pem!("ed25519"), None).unwrap();
    let one = client_assertion(&key, "me", "https://as.example", NOW).unwrap();
    let (header, mut claims) = parts(one.expose());
    assert_eq!(header, json!({"typ": "JWT", "alg": "EdDSA"}));
    let id = claims.as_object_mut().unwrap().remove("jti").unwrap();
    let expected =
        json!({"iss": "me", "sub": "me", "aud": "https://as.example", "iat": NOW, "exp": NOW + 60});
    assert_eq!(claims, expected);
    assert_eq!(id.as_str().map(str::len), Some(43));
    let two = client_assertion(&key, "me", "https://as.example", NOW).unwrap();
    assert_ne!(parts(two.expose()).1["jti"], id);
}

#[test]
fn a_proof_is_for_one_request() {
    let key = SigningKey::generate().unwrap();
    let token = Secret::new("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU");
    let url = "https://mcp.example.com/mcp?a=b#c";
    let proof = dpop::proof(&key, "POST", url, Some(&token), Some("n-1"), NOW).unwrap();
    let (header, mut claims) = parts(&proof);
    let expected = json!({"typ": "dpop+jwt", "alg": "ES256", "jwk": key.public_jwk()});
    assert_eq!(header, expected);
    let id = claims.as_object_mut().unwrap().remove("jti").unwrap();
    // The digest is the one of RFC 9449, 7.1.
    let expected = json!({
        "htm": "POST", "htu": "https://mcp.example.com/mcp", "iat": NOW, "nonce": "n-1",
        "ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"
    });
    assert_eq!(claims, expected);
    let bare = dpop::proof(&key, "POST", url, None, None, NOW).unwrap();
    let (_, claims) = parts(&bare);
    assert_eq!(claims.get("ath"), None);
    assert_eq!(claims.get("nonce"), None);
    assert_ne!(claims["jti"], id);
}
