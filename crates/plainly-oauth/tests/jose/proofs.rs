//! Tests which proofs are accepted.

use plainly_oauth::Secret;
use plainly_oauth::jose::dpop::{self, Nonces, ProvenRequest, Replays};
use plainly_oauth::jose::{ProofRefusal, SigningKey};
use serde_json::{Value, json};

use crate::forging::{NOW, RESOURCE, Signer, encoded, with};

const TOKEN: &str = "a.b.c";
const URL: &str = RESOURCE;

fn request(key: &str) -> ProvenRequest<'_> {
    ProvenRequest {
        method: "POST",
        url: URL,
        access_token: TOKEN,
        key,
        holder: "alice",
        nonces: None,
        now: NOW,
    }
}

fn checked(proof: &str, key: &str) -> Result<(), ProofRefusal> {
    dpop::check(proof, &request(key), &Replays::default())
}

fn header(signer: &Signer) -> Value {
    json!({"typ": "dpop+jwt", "alg": signer.key.algorithm().name(), "jwk": signer.key.public_jwk()})
}

fn claims() -> Value {
    let digest = "nQm-KMmZPqCNFbEDwZBUOXZ_3dV2JhBxPKpTxjkXV6E";
    json!({"jti": "j", "htm": "POST", "htu": URL, "iat": NOW, "ath": digest})
}

#[test]
fn a_proof_of_ours_is_taken_once() {
    let key = SigningKey::generate().unwrap();
    let (token, seen) = (Secret::new(TOKEN), Replays::default());
    let thumbprint = key.thumbprint();
    let request = request(&thumbprint);
    let proof = dpop::proof(&key, "POST", URL, Some(&token), None, NOW).unwrap();
    assert_eq!(dpop::check(&proof, &request, &seen), Ok(()));
    assert_eq!(
        dpop::check(&proof, &request, &seen),
        Err(ProofRefusal::Replayed)
    );
    let again = dpop::proof(&key, "POST", URL, Some(&token), None, NOW).unwrap();
    assert_eq!(dpop::check(&again, &request, &seen), Ok(()));
}

/// RFC 9449, 4.3, 7.2 and 11.
#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn a_proof_for_anything_else_is_refused() {
    use ProofRefusal::{Malformed, Method, Time, Token, Url};
    let signer = Signer::p256();
    let own = dpop::proof(
        &signer.key,
        "POST",
        URL,
        Some(&Secret::new(TOKEN)),
        None,
        NOW,
    )
    .unwrap();
    let middle = own.split('.').nth(1).unwrap();
    let decoded = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, middle);
    let good: Value = serde_json::from_slice(&decoded.unwrap()).unwrap();
    for (name, changes, expected) in [
        ("as it is", json!({}), None),
        ("another method", json!({"htm": "GET"}), Some(Method)),
        ("another case", json!({"htm": "post"}), Some(Method)),
        ("no method", json!({"htm": null}), Some(Method)),
        (
            "another path",
            json!({"htu": "https://mcp.example.com/other"}),
            Some(Url),
        ),
        (
            "another host",
            json!({"htu": "https://evil.example/mcp"}),
            Some(Url),
        ),
        (
            "another port",
            json!({"htu": "https://mcp.example.com:8443/mcp"}),
            Some(Url),
        ),
        (
            "another scheme",
            json!({"htu": "http://mcp.example.com/mcp"}),
            Some(Url),
        ),
        ("no URL", json!({"htu": null}), Some(Url)),
        ("a path alone", json!({"htu": "/mcp"}), Some(Url)),
        (
            "the port of the scheme",
            json!({"htu": "https://mcp.example.com:443/mcp"}),
            None,
        ),
        (
            "a host in capitals",
            json!({"htu": "HTTPS://MCP.example.com/mcp"}),
            None,
        ),
        (
            "a query",
            json!({"htu": "https://mcp.example.com/mcp?a=b#c"}),
            None,
        ),
        ("made 300 s ago", json!({"iat": NOW - 300}), None),
        ("made 301 s ago", json!({"iat": NOW - 301}), Some(Time)),
        ("from the future", json!({"iat": NOW + 301}), Some(Time)),
        ("no time", json!({"iat": null}), Some(Time)),
        (
            "a time as text",
            json!({"iat": NOW.to_string()}),
            Some(Time),
        ),
        (
            "another token",
            json!({"ath": "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo"}),
            Some(Token),
        ),
        ("no token", json!({"ath": null}), Some(Token)),
        ("no name", json!({"jti": null}), Some(Malformed)),
        ("an empty name", json!({"jti": ""}), Some(Malformed)),
    ] {
        let proof = signer.sign(&header(&signer), &with(good.clone(), changes));
        let refused = checked(&proof, &signer.key.thumbprint()).err();
        assert_eq!(refused, expected, "{name}");
    }
}

#[test]
fn a_proof_is_signed_with_the_key_in_it_and_with_no_other() {
    use ProofRefusal::{Algorithm, Header, Key, Malformed, OtherKey, Signature, Type};
    let (own, rsa) = (Signer::p256(), Signer::rsa());
    let private = with(Value::Object(own.key.public_jwk()), json!({"d": "AAAA"}));
    let secret = json!({"kty": "oct", "k": "AAAA"});
    for (name, changes, expected) in [
        ("an access token", json!({"typ": "at+jwt"}), Type),
        ("no type", json!({"typ": null}), Type),
        ("no key", json!({"jwk": null}), Key),
        ("a private key", json!({"jwk": private}), Key),
        ("a shared secret", json!({"jwk": secret}), Key),
        ("a text as key", json!({"jwk": "k"}), Key),
        (
            "a key of another family",
            json!({"jwk": rsa.key.public_jwk()}),
            Algorithm,
        ),
        (
            "a key of someone else",
            json!({"jwk": SigningKey::generate().unwrap().public_jwk()}),
            Signature,
        ),
        ("crit", json!({"crit": ["b64"]}), Header),
        ("jku", json!({"jku": "https://evil.example"}), Header),
    ] {
        let proof = own.sign(&with(header(&own), changes), &claims());
        let refused = checked(&proof, &own.key.thumbprint());
        assert_eq!(refused, Err(expected), "{name}");
    }
    let token = Secret::new(TOKEN);
    let proof = dpop::proof(&own.key, "POST", URL, Some(&token), None, NOW).unwrap();
    let refused = checked(&proof, &rsa.key.thumbprint());
    assert_eq!(refused, Err(OtherKey));
    for name in ["none", "HS256"] {
        let header = with(header(&own), json!({"alg": name})).to_string();
        let unsigned = format!("{}.{}.", encoded(&header), encoded(&claims().to_string()));
        assert_eq!(
            checked(&unsigned, &own.key.thumbprint()),
            Err(Algorithm),
            "{name}"
        );
    }
    assert_eq!(checked("", &own.key.thumbprint()), Err(Malformed));
    assert_eq!(
        checked(&format!("{proof},{proof}"), &own.key.thumbprint()),
        Err(Malformed)
    );
}

/// A server whose nonces are times.
#[derive(Debug)]
struct Times;

impl Nonces for Times {
    fn given_at(&self, nonce: &str, now: u64) -> Option<u64> {
        let given: u64 = nonce.parse().ok()?;
        (now - given <= dpop::WINDOW).then_some(given)
    }
}

#[test]
fn where_nonces_are_asked_for_an_old_one_is_refused() {
    let key = SigningKey::generate().unwrap();
    let (token, thumbprint) = (Secret::new(TOKEN), key.thumbprint());
    let (fresh, old) = (NOW.to_string(), (NOW - 301).to_string());
    let since_now = || Replays::starting_at(NOW + 65);
    for (name, nonce, seen, expected) in [
        ("fresh", Some(fresh.as_str()), Replays::default(), Ok(())),
        (
            "old",
            Some(&*old),
            Replays::default(),
            Err(ProofRefusal::Nonce),
        ),
        (
            "made up",
            Some("n"),
            Replays::default(),
            Err(ProofRefusal::Nonce),
        ),
        ("none", None, Replays::default(), Err(ProofRefusal::Nonce)),
        (
            "before the start",
            Some(&*fresh),
            since_now(),
            Err(ProofRefusal::Time),
        ),
    ] {
        let proof = dpop::proof(&key, "POST", URL, Some(&token), nonce, NOW).unwrap();
        let request = ProvenRequest {
            nonces: Some(&Times),
            ..request(&thumbprint)
        };
        let checked = dpop::check(&proof, &request, &seen);
        assert_eq!(checked, expected, "{name}");
    }
}

/// The clock of a slow client shows an earlier time than that of the nonce.
#[test]
fn a_proof_was_made_no_earlier_than_its_nonce() {
    let key = SigningKey::generate().unwrap();
    let (token, thumbprint) = (Secret::new(TOKEN), key.thumbprint());
    let seen = Replays::starting_at(NOW);
    for (given, expected) in [(NOW, Ok(())), (NOW - 60, Err(ProofRefusal::Time))] {
        let nonce = given.to_string();
        let proof = dpop::proof(&key, "POST", URL, Some(&token), Some(&nonce), NOW - 100).unwrap();
        let request = ProvenRequest {
            nonces: Some(&Times),
            ..request(&thumbprint)
        };
        assert_eq!(dpop::check(&proof, &request, &seen), expected);
    }
}
