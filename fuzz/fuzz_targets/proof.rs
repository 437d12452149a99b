//! The parts of a proof of possession. The proof must be accepted only with a signature of the key
//! that the token is bound to, for this request, now and once, according to a second parser.

#![no_main]

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use libfuzzer_sys::fuzz_target;
use plainly_fuzz::{NOW, public_jwk, signed, type_of};
use plainly_oauth::jose::dpop::{Nonces, ProvenRequest, Replays, WINDOW, check};
use plainly_oauth::jose::{LONGEST, ProofRefusal, PublicKey};
use ring::digest::{SHA256, digest};
use serde_json::Value;
use url::Url;

const TOKEN: &str = "t";
const URL: &str = "https://mcp.example/mcp";
/// A nonce issued by the server.
const FRESH: &str = "fresh";

/// A server that has issued one nonce.
#[derive(Debug)]
struct OneNonce;

impl Nonces for OneNonce {
    fn given_at(&self, nonce: &str, now: u64) -> Option<u64> {
        (nonce == FRESH).then_some(now)
    }
}

static THUMBPRINT: LazyLock<String> =
    LazyLock::new(|| PublicKey::read(&public_jwk()).unwrap().thumbprint());

// The input has lines: the header, the claims, and a signature (empty for the key's own).
fuzz_target!(|text: &str| {
    let mut lines = text.splitn(3, '\n');
    let [header, claims, signature] = std::array::from_fn(|_| lines.next().unwrap_or_default());
    let values = [header, claims].map(|text| serde_json::from_str::<Value>(text).ok());
    let is_good = match &values {
        [Some(header), Some(claims)] => is_for_a_proof(header) && is_for_the_request(claims),
        _ => false,
    };

    // The text as written may have a duplicate member, for which it must be rejected.
    let (written, is_own) = signed(header, claims, signature);
    let as_written = prove(&written, None);
    assert!(as_written.is_err() || is_good && is_own);
    assert!(prove(text, None).is_err());

    if let [Some(header), Some(claims)] = values {
        let proven = prove_signed(&header, &claims, None);
        assert_eq!(proven.is_ok(), is_good, "{proven:?}");
        prove_with_nonce(&header, &claims, is_good);
    }
});

/// If a nonce is required, only a fresh one from the server may be accepted.
fn prove_with_nonce(header: &Value, claims: &Value, is_good: bool) {
    let is_fresh = claims["nonce"] == FRESH;
    let proven = prove_signed(header, claims, Some(&OneNonce));
    let expected = match (is_good, is_fresh) {
        (true, true) => Some(Ok(())),
        (true, false) => Some(Err(ProofRefusal::Nonce)),
        (false, _) => None,
    };
    match expected {
        Some(expected) => assert_eq!(proven, expected),
        None => assert!(proven.is_err()),
    }
}

fn prove_signed(
    header: &Value,
    claims: &Value,
    nonces: Option<&dyn Nonces>,
) -> Result<(), ProofRefusal> {
    let (proof, _) = signed(&header.to_string(), &claims.to_string(), "");
    assert!(proof.len() <= LONGEST);
    prove(&proof, nonces)
}

/// Whether the proof is accepted. It must be accepted only once.
fn prove(proof: &str, nonces: Option<&dyn Nonces>) -> Result<(), ProofRefusal> {
    let seen = Replays::default();
    let request = ProvenRequest {
        method: "POST",
        url: URL,
        access_token: TOKEN,
        key: &THUMBPRINT,
        holder: "alice",
        nonces,
        now: NOW,
    };
    let proven = check(proof, &request, &seen);
    if proven.is_ok() {
        let again = check(proof, &request, &seen);
        assert_eq!(again, Err(ProofRefusal::Replayed));
        let key = "another";
        let stolen = check(
            proof,
            &ProvenRequest { key, ..request },
            &Replays::default(),
        );
        assert_eq!(stolen, Err(ProofRefusal::OtherKey));
    }
    proven
}

fn is_for_a_proof(header: &Value) -> bool {
    const REFUSED: [&str; 6] = ["crit", "b64", "zip", "jku", "x5u", "x5c"];
    let jwk = &header["jwk"];
    let own = public_jwk();
    header["alg"] == "EdDSA"
        && type_of(header).as_deref() == Some("dpop+jwt")
        && REFUSED.iter().all(|name| header.get(name).is_none())
        && own.iter().all(|(name, value)| jwk[name] == *value)
        && jwk.get("d").is_none()
}

fn is_for_the_request(claims: &Value) -> bool {
    let hashed = URL_SAFE_NO_PAD.encode(digest(&SHA256, TOKEN.as_bytes()));
    let is_text = |it: &&str| !it.is_empty();
    let made_at = claims["iat"].as_u64();
    claims["jti"].as_str().filter(is_text).is_some()
        && claims["htm"] == "POST"
        && claims["htu"].as_str().is_some_and(is_of_the_request)
        && made_at.is_some_and(|at| at.max(NOW) - at.min(NOW) <= WINDOW)
        && claims["ath"] == hashed
}

fn is_of_the_request(url: &str) -> bool {
    let bare = url.split(['?', '#']).next();
    let parsed = bare.and_then(|url| Url::parse(url).ok());
    parsed.is_some_and(|url| url.as_str() == URL)
}
