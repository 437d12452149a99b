//! The parts of an access token, and an issuer's keys. The token must be accepted only with a
//! signature of one of the keys, and only if a second parser of its claims finds no fault. The same
//! for an introspection response about a token.

#![no_main]

use std::sync::LazyLock;

use libfuzzer_sys::fuzz_target;
use plainly_fuzz::{NOW, public_jwk, signed, type_of};
use plainly_oauth::jose::{
    AccessToken, ClaimRules, Jwks, LEEWAY, LONGEST, TokenClaims, TokenRefusal, introspected,
};
use serde_json::{Value, json};

const ISSUER: &str = "https://as.example";
const AUDIENCES: [&str; 2] = ["https://mcp.example/mcp", "api://mcp"];

static KEYS: LazyLock<Jwks> = LazyLock::new(|| {
    let mut jwk = public_jwk();
    jwk.insert("kid".to_owned(), json!("k"));
    Jwks::read(json!({"keys": [jwk]}).to_string().as_bytes()).unwrap()
});

static RULES: LazyLock<ClaimRules> =
    LazyLock::new(|| ClaimRules::new(ISSUER, AUDIENCES.map(str::to_owned)));

// The input has lines: the header, the claims, a signature (empty for the key's own), and a set of
// keys.
fuzz_target!(|text: &str| {
    let mut lines = text.splitn(4, '\n');
    let [header, claims, signature, keys] =
        std::array::from_fn(|_| lines.next().unwrap_or_default());
    let values = [header, claims].map(|text| serde_json::from_str::<Value>(text).ok());
    let is_good = match &values {
        [Some(header), Some(claims)] => is_for_a_token(header) && lets_in(claims, NOW),
        _ => false,
    };

    // The text as written may have a duplicate member, for which it must be rejected.
    let (written, is_own) = signed(header, claims, signature);
    let as_written = verify(&written, &KEYS);
    assert!(as_written.is_err() || is_good && is_own);
    // The text as a whole is not a token.
    assert!(verify(text, &KEYS).is_err());

    if let [Some(header), Some(claims)] = &values {
        let (token, _) = signed(&header.to_string(), &claims.to_string(), "");
        let verified = verify(&token, &KEYS);
        if token.len() <= LONGEST {
            assert_eq!(verified.is_ok(), is_good, "{verified:?}");
        }
        for taken in verified.iter().chain(&as_written) {
            check(taken, claims);
        }
        ask_the_issuer(claims);
        read_keys(keys, &token);
    }
});

fn verify(token: &str, keys: &Jwks) -> Result<TokenClaims, TokenRefusal> {
    AccessToken::read(token)?.verify(keys, &RULES, NOW)
}

/// Checks that the token is accepted with the parsed keys only if its own key is among them.
fn read_keys(keys: &str, token: &str) {
    let Ok(read) = Jwks::read(keys.as_bytes()) else {
        return;
    };
    let set: Value = serde_json::from_str(keys).unwrap();
    let set = set["keys"].as_array().unwrap();
    assert!(!set.is_empty() && set.len() <= 256);
    let own = &public_jwk()["x"];
    assert!(verify(token, &read).is_err() || set.iter().any(|key| key["x"] == *own));
}

fn ask_the_issuer(claims: &Value) {
    let answer = claims.to_string();
    for checks_audience in [true, false] {
        let judged = introspected(answer.as_bytes(), &RULES, checks_audience, NOW);
        assert_eq!(judged.is_err(), !claims["active"].is_boolean());
        let is_ours = claims.get("iss").is_none_or(|it| it == ISSUER);
        let is_for_us = !checks_audience && claims.get("aud").is_none() || names_us(claims);
        let is_good = claims["active"] == true && is_ours && is_for_us && is_in_time(claims, NOW);
        assert_eq!(judged.is_ok_and(|it| it.is_ok()), is_good);
    }
}

fn is_for_a_token(header: &Value) -> bool {
    const REFUSED: [&str; 7] = ["crit", "b64", "zip", "jku", "x5u", "x5c", "jwk"];
    let typ = type_of(header);
    header["alg"] == "EdDSA"
        && typ.is_some_and(|typ| ["", "jwt", "at+jwt"].contains(&typ.as_str()))
        && REFUSED.iter().all(|name| header.get(name).is_none())
        && header.get("kid").is_none_or(|id| id == "k")
}

fn lets_in(claims: &Value, now: u64) -> bool {
    claims["iss"] == ISSUER && names_us(claims) && is_in_time(claims, now)
}

fn names_us(claims: &Value) -> bool {
    let is_ours = |it: &Value| AUDIENCES.iter().any(|own| it == own);
    match &claims["aud"] {
        Value::Array(all) => all.iter().all(Value::is_string) && all.iter().any(is_ours),
        one => is_ours(one),
    }
}

/// Whether a token is valid at this time, apart from its issuer and its audience.
fn is_in_time(claims: &Value, now: u64) -> bool {
    let (now, leeway) = (now as f64, LEEWAY as f64);
    let ends = claims["exp"].as_f64();
    let has_begun = |name: &str| match claims.get(name) {
        None => true,
        Some(at) => at
            .as_f64()
            .is_some_and(|at| at >= 0.0 && at.floor() <= now + leeway),
    };
    let is_text = |name: &str| claims[name].is_null() || said(claims, name).is_some();
    let client = match claims["client_id"] {
        Value::Null => "azp",
        _ => "client_id",
    };
    let names_somebody = said(claims, "sub").or(said(claims, client)).is_some();
    let proof = claims
        .get("cnf")
        .map(|it| it.as_object().is_some_and(|it| it.len() == 1) && it["jkt"].is_string());
    claims.is_object()
        && ends.is_some_and(|at| at >= 0.0 && at.floor() + leeway > now)
        && has_begun("nbf")
        && has_begun("iat")
        && claims.get("nonce").is_none()
        && claims.get("at_hash").is_none()
        && names_somebody
        && ["sub", client, "jti"].into_iter().all(is_text)
        && proof.unwrap_or(true)
}

fn said<'a>(claims: &'a Value, name: &str) -> Option<&'a str> {
    claims[name].as_str().filter(|text| !text.is_empty())
}

/// Checks that each accepted value is in the claims.
fn check(taken: &TokenClaims, claims: &Value) {
    assert_eq!(taken.issuer, ISSUER);
    assert_eq!(taken.subject.as_deref(), said(claims, "sub"));
    assert_eq!(taken.key.as_deref(), claims["cnf"]["jkt"].as_str());
    assert_eq!(taken.token_id.as_deref(), said(claims, "jti"));
    let client = said(claims, "client_id").or(said(claims, "azp"));
    assert_eq!(taken.client_id.as_deref(), client);
    assert!(taken.scopes.len() <= 100);
    let text = format!("{} {}", claims["scope"], claims["scp"]);
    assert!(taken.scopes.iter().all(|scope| text.contains(scope)));
}
