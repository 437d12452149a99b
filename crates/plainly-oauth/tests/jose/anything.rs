//! Tests that any input is rejected without a panic.

use plainly_oauth::jose::dpop::{self, ProvenRequest, Replays};
use plainly_oauth::jose::{AccessToken, ClaimRules, Jwks, SigningKey, introspected};
use proptest::prelude::*;

use crate::forging::{NOW, RESOURCE, Signer, encoded, good};

/// Texts that resemble tokens: parts of valid letters, and parts of JSON.
fn nearly() -> impl Strategy<Value = String> {
    let json = prop_oneof![
        Just(r#"{"alg":"ES256"}"#.to_owned()),
        Just(r#"{"alg":"ES256","typ":"dpop+jwt","jwk":{"kty":"EC","crv":"P-256","x":"AA","y":"AA"}}"#.to_owned()),
        Just(good().to_string()),
        "[{}\\[\\]\":,a-z0-9]{0,40}",
    ];
    let part = prop_oneof![
        json.prop_map(|json| encoded(&json)),
        "[A-Za-z0-9_=-]{0,90}",
        any::<String>()
    ];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.join("."))
}

proptest! {
    #[test]
    fn no_text_is_a_token_that_its_issuer_has_not_signed(text in nearly()) {
        let signer = Signer::p256();
        let rules = ClaimRules::new("https://as.example", [RESOURCE.to_owned()]);
        let verified = AccessToken::read(&text).and_then(|token| token.verify(&signer.keys(), &rules, NOW));
        prop_assert!(verified.is_err());
    }

    #[test]
    fn no_text_is_a_proof_that_its_holder_has_not_signed(text in nearly()) {
        let request = ProvenRequest {
            method: "POST",
            url: RESOURCE,
            access_token: "t",
            key: "k",
            holder: "alice",
            nonces: None,
            now: NOW,
        };
        prop_assert!(dpop::check(&text, &request, &Replays::default()).is_err());
    }

    #[test]
    fn documents_and_keys_of_any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200), text in nearly()) {
        let rules = ClaimRules::new("https://as.example", [RESOURCE.to_owned()]);
        for bytes in [bytes.as_slice(), text.as_bytes()] {
            prop_assert!(Jwks::read(bytes).is_err());
            prop_assert!(introspected(bytes, &rules, true, NOW).is_err());
        }
        prop_assert!(SigningKey::from_pkcs8_pem(&text, None).is_err());
        let framed = format!("-----BEGIN PRIVATE KEY-----\n{}\n-----END PRIVATE KEY-----\n", encoded(&text));
        prop_assert!(SigningKey::from_pkcs8_pem(&framed, None).is_err());
    }
}
