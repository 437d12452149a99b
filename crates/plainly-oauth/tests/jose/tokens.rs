//! Tests which access tokens are accepted.

use jsonwebtoken::{Algorithm, EncodingKey};
use plainly_oauth::jose::{
    AccessToken, ClaimRules, Jwks, LONGEST, TokenClaims, TokenRefusal, introspected,
};
use serde_json::{Value, json};

use crate::forging::{ISSUER, NOW, RESOURCE, Signer, encoded, good, sign, with};

fn rules() -> ClaimRules {
    ClaimRules::new(ISSUER, [RESOURCE.to_owned(), "api://mcp".to_owned()])
}

fn verified(token: &str, keys: &Jwks) -> Result<TokenClaims, TokenRefusal> {
    AccessToken::read(token)?.verify(keys, &rules(), NOW)
}

fn header() -> Value {
    json!({"alg": "ES256", "kid": "k", "typ": "at+jwt"})
}

#[test]
fn a_good_token_of_every_algorithm_is_taken() {
    for (name, signer) in [
        ("ES256", Signer::p256()),
        ("ES384", Signer::p384()),
        ("EdDSA", Signer::ed25519()),
        ("RS256", Signer::rsa()),
        ("RS384", Signer::rsa()),
        ("RS512", Signer::rsa()),
        ("PS256", Signer::rsa()),
        ("PS384", Signer::rsa()),
        ("PS512", Signer::rsa()),
    ] {
        let token = signer.sign(&json!({"alg": name, "kid": "k"}), &good());
        let claims = verified(&token, &signer.keys()).unwrap();
        assert_eq!(claims.issuer, ISSUER);
        assert_eq!(claims.subject.as_deref(), Some("alice"));
        assert_eq!(claims.client_id.as_deref(), Some("app"));
        assert_eq!(claims.scopes, ["files:read", "files:write"]);
        assert_eq!(claims.expires_at, NOW + 300);
        assert_eq!(claims.token_id.as_deref(), Some("t-1"));
        assert_eq!(claims.key, None);
        assert_eq!(claims.all["aud"], RESOURCE);
        let other = with(good(), json!({"sub": "bob"}));
        let parts: Vec<_> = token.split('.').collect();
        let changed = format!("{}.{}.{}", parts[0], encoded(&other.to_string()), parts[2]);
        let refused = verified(&changed, &signer.keys());
        assert_eq!(refused, Err(TokenRefusal::Signature), "{name}");
    }
}

/// CVE-2015-9235, CVE-2016-5431; RFC 8725, 3.1.
#[test]
fn a_token_signed_with_the_public_key_as_a_secret_is_refused() {
    let signer = Signer::rsa();
    let jwk = Value::Object(signer.key.public_jwk());
    let claims = good().to_string();
    for (name, secret) in [
        ("the key as JSON", jwk.to_string()),
        ("its modulus", jwk["n"].as_str().unwrap().to_owned()),
        ("nothing", String::new()),
    ] {
        let key = EncodingKey::from_secret(secret.as_bytes());
        let header = r#"{"alg":"HS256","kid":"k"}"#;
        let token = sign(header, &claims, &key, Algorithm::HS256);
        let refused = verified(&token, &signer.keys());
        assert_eq!(refused, Err(TokenRefusal::Algorithm), "{name}");
    }
}

#[test]
fn a_token_without_a_signature_is_refused() {
    let signer = Signer::rsa();
    for name in ["none", "None", "NONE", "", "nOnE", "ES256K", "dir"] {
        let header = json!({"alg": name, "kid": "k"}).to_string();
        let token = format!("{}.{}.", encoded(&header), encoded(&good().to_string()));
        let refused = verified(&token, &signer.keys());
        assert_eq!(refused, Err(TokenRefusal::Algorithm), "{name}");
    }
    let empty = format!(
        "{}.{}.",
        encoded(&header().to_string()),
        encoded(&good().to_string())
    );
    let refused = verified(&empty, &Signer::p256().keys());
    assert_eq!(refused, Err(TokenRefusal::Signature));
}

/// CVE-2018-0114; RFC 8725, 3.5 and 3.10.
#[test]
fn a_token_does_not_choose_the_key_that_it_is_verified_with() {
    use TokenRefusal::{Header, Malformed, UnknownKey};
    let attacker = Signer::p384();
    let own = attacker.key.public_jwk();
    for (name, added, expected) in [
        ("jwk", json!({"jwk": own}), Header),
        ("jku", json!({"jku": "https://evil.example/keys"}), Header),
        ("x5u", json!({"x5u": "https://evil.example/cert"}), Header),
        ("x5c", json!({"x5c": ["MIIB"]}), Header),
        ("crit", json!({"crit": ["exp"], "exp": 1}), Header),
        ("crit of nothing", json!({"crit": []}), Header),
        ("b64", json!({"b64": false, "crit": ["b64"]}), Header),
        ("b64 alone", json!({"b64": false}), Header),
        ("zip", json!({"zip": "DEF"}), Header),
        ("a path", json!({"kid": "../../dev/null"}), UnknownKey),
        ("SQL", json!({"kid": "' UNION SELECT 'k"}), UnknownKey),
        ("an empty id", json!({"kid": ""}), UnknownKey),
        ("a number as id", json!({"kid": 1}), Malformed),
        ("a list as id", json!({"kid": ["k"]}), Malformed),
        ("another family", json!({"alg": "ES384"}), UnknownKey),
    ] {
        let token = attacker.sign(
            &with(header(), with(json!({"alg": "ES384"}), added)),
            &good(),
        );
        let refused = verified(&token, &Signer::p256().keys());
        assert_eq!(refused, Err(expected), "{name}");
    }
}

/// CVE-2022-21449, and texts that a lenient parser would accept.
#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn a_signature_or_a_form_that_is_almost_right_is_refused() {
    use TokenRefusal::{Algorithm, Malformed, Signature};
    let signer = Signer::p256();
    let token = signer.sign(&header(), &good());
    let (message, signature) = token.rsplit_once('.').unwrap();
    let (first, claims) = message.split_once('.').unwrap();
    let zeros = encoded(&"\0".repeat(64));
    let doubled = |name: &str| {
        let claims = good()
            .to_string()
            .replacen('{', &format!("{{\"{name}\":\"x\","), 1);
        signer.sign_bytes(&header().to_string(), &claims)
    };
    for (name, token, expected) in [
        ("r = s = 0", format!("{message}.{zeros}"), Signature),
        (
            "a short signature",
            format!("{message}.{}", &signature[..80]),
            Signature,
        ),
        (
            "DER",
            format!("{message}.MEUCIQDv4G5V4G5V4G5V4G5V4G5V4G5V4G5V4G5V4G5V4G5V4G5V4AIgAA"),
            Signature,
        ),
        ("no base64", format!("{message}.%%"), Signature),
        (
            "padding of the signature",
            format!("{message}.{signature}=="),
            Signature,
        ),
        (
            "trailing bits",
            format!("{message}.{}B", &signature[..85]),
            Signature,
        ),
        (
            "padding of the header",
            format!("{first}=.{claims}.{signature}"),
            Malformed,
        ),
        ("a space", format!(" {token}"), Malformed),
        ("a new line", format!("{token}\n"), Signature),
        ("two parts", message.to_owned(), Malformed),
        ("four parts", format!("{token}.x"), Malformed),
        ("five parts", format!("{token}.x.y"), Malformed),
        ("nothing", String::new(), Malformed),
        ("dots", "..".to_owned(), Malformed),
        (
            "JSON",
            json!({"payload": claims, "protected": first, "signature": signature}).to_string(),
            Malformed,
        ),
        ("doubled aud", doubled("aud"), Malformed),
        ("doubled iss", doubled("iss"), Malformed),
        (
            "doubled alg",
            signer.sign_bytes(
                r#"{"alg":"none","alg":"ES256","kid":"k"}"#,
                &good().to_string(),
            ),
            Malformed,
        ),
        (
            "no algorithm",
            signer.sign_bytes(r#"{"kid":"k"}"#, &good().to_string()),
            Algorithm,
        ),
        (
            "claims that are a list",
            signer.sign_bytes(&header().to_string(), "[]"),
            Malformed,
        ),
        (
            "8 KiB and more",
            signer.sign(&header(), &with(good(), json!({"x": "x".repeat(6000)}))),
            Malformed,
        ),
    ] {
        let refused = verified(&token, &signer.keys());
        assert_eq!(refused.unwrap_err(), expected, "{name}");
    }
}

#[test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
fn a_token_says_whom_it_is_for_and_for_how_long() {
    use TokenRefusal::{
        Audience, Confirmation, Expired, IdToken, Issuer, Malformed, NoSubject, NotYetValid,
    };
    let signer = Signer::p256();
    for (name, changes, expected) in [
        ("as it is", json!({}), None),
        ("audience in a list", json!({"aud": ["x", RESOURCE]}), None),
        ("an alias", json!({"aud": "api://mcp"}), None),
        (
            "another resource",
            json!({"aud": "https://other.example/mcp"}),
            Some(Audience),
        ),
        (
            "a prefix",
            json!({"aud": "https://mcp.example.com"}),
            Some(Audience),
        ),
        (
            "a slash",
            json!({"aud": "https://mcp.example.com/mcp/"}),
            Some(Audience),
        ),
        (
            "another case",
            json!({"aud": "https://MCP.example.com/mcp"}),
            Some(Audience),
        ),
        (
            "both in one text",
            json!({"aud": format!("x {RESOURCE}")}),
            Some(Audience),
        ),
        ("nobody", json!({"aud": []}), Some(Audience)),
        ("no audience", json!({"aud": null}), Some(Audience)),
        (
            "a list with a number",
            json!({"aud": [1, RESOURCE]}),
            Some(Audience),
        ),
        (
            "a list in a list",
            json!({"aud": [[RESOURCE]]}),
            Some(Audience),
        ),
        (
            "an object",
            json!({"aud": {RESOURCE: true}}),
            Some(Audience),
        ),
        (
            "another issuer",
            json!({"iss": "https://evil.example"}),
            Some(Issuer),
        ),
        (
            "a slash on the issuer",
            json!({"iss": "https://as.example/"}),
            Some(Issuer),
        ),
        ("no issuer", json!({"iss": null}), Some(Issuer)),
        ("a list of issuers", json!({"iss": [ISSUER]}), Some(Issuer)),
        ("ended now, within the leeway", json!({"exp": NOW}), None),
        ("ended 59 s ago", json!({"exp": NOW - 59}), None),
        ("ended 60 s ago", json!({"exp": NOW - 60}), Some(Expired)),
        ("no end", json!({"exp": null}), Some(Expired)),
        (
            "an end as text",
            json!({"exp": (NOW + 60).to_string()}),
            Some(Malformed),
        ),
        ("a negative end", json!({"exp": -1}), Some(Malformed)),
        (
            "an end with a fraction",
            json!({"exp": NOW as f64 + 60.5}),
            None,
        ),
        ("an end beyond all times", json!({"exp": 1e300}), None),
        ("begins in 60 s", json!({"nbf": NOW + 60}), None),
        (
            "begins in 61 s",
            json!({"nbf": NOW + 61}),
            Some(NotYetValid),
        ),
        (
            "issued in the future",
            json!({"iat": NOW + 61}),
            Some(NotYetValid),
        ),
        ("a client for itself", json!({"sub": null}), None),
        (
            "a client by its older name",
            json!({"sub": null, "client_id": null, "azp": "app"}),
            None,
        ),
        (
            "nobody at all",
            json!({"sub": null, "client_id": null}),
            Some(NoSubject),
        ),
        ("an empty subject", json!({"sub": ""}), Some(Malformed)),
        ("a number as subject", json!({"sub": 1}), Some(Malformed)),
        (
            "an ID token with a nonce",
            json!({"nonce": "n"}),
            Some(IdToken),
        ),
        (
            "an ID token with a hash",
            json!({"at_hash": "h"}),
            Some(IdToken),
        ),
        (
            "a certificate",
            json!({"cnf": {"x5t#S256": "h"}}),
            Some(Confirmation),
        ),
        (
            "a key and a certificate",
            json!({"cnf": {"jkt": "h", "x5t#S256": "h"}}),
            Some(Confirmation),
        ),
        ("no kind of proof", json!({"cnf": {}}), Some(Confirmation)),
        ("a text as proof", json!({"cnf": "h"}), Some(Confirmation)),
    ] {
        let token = signer.sign(&header(), &with(good(), changes));
        let refused = verified(&token, &signer.keys()).err();
        assert_eq!(refused, expected, "{name}");
    }
    let bound = signer.sign(&header(), &with(good(), json!({"cnf": {"jkt": "h"}})));
    let key = verified(&bound, &signer.keys()).unwrap().key;
    assert_eq!(key.as_deref(), Some("h"));
}

#[test]
fn what_a_token_claims_is_known_before_it_is_believed_and_shown_to_nobody() {
    let signer = Signer::p256();
    let token = signer.sign(&header(), &good());
    let read = AccessToken::read(&token).unwrap();
    assert_eq!(read.claimed_issuer(), Some(ISSUER));
    assert_eq!(format!("{read:?}"), "AccessToken { .. }");
    let nobody = signer.sign(&header(), &with(good(), json!({"iss": null})));
    let read = AccessToken::read(&nobody).unwrap();
    assert_eq!(read.claimed_issuer(), None);
}

#[test]
fn a_token_of_8_kib_is_taken_and_a_longer_one_refused() {
    let signer = Signer::p256();
    let mut longest = 0;
    for length in 5800..5900 {
        let claims = with(good(), json!({"x": "x".repeat(length)}));
        let token = signer.sign(&header(), &claims);
        let is_taken = verified(&token, &signer.keys()).is_ok();
        assert_eq!(is_taken, token.len() <= LONGEST, "{}", token.len());
        longest = longest.max(if is_taken { token.len() } else { 0 });
    }
    assert_eq!(longest, LONGEST);
}

#[test]
fn only_access_tokens_are_taken_by_their_type() {
    let signer = Signer::p256();
    for (typ, is_taken) in [
        (json!("at+jwt"), true),
        (json!("AT+JWT"), true),
        (json!("application/at+jwt"), true),
        (json!("JWT"), true),
        (json!(null), true),
        (json!("dpop+jwt"), false),
        (json!("id_token"), false),
        (json!("logout+jwt"), false),
        (json!("at+jwt "), false),
        (json!("application/application/jwt"), false),
        (json!(1), false),
    ] {
        let token = signer.sign(&with(header(), json!({"typ": typ})), &good());
        let refused = verified(&token, &signer.keys()).err();
        assert_eq!(refused, (!is_taken).then_some(TokenRefusal::Type), "{typ}");
    }
}

#[test]
fn scopes_are_read_as_issuers_write_them() {
    let signer = Signer::p256();
    for (changes, expected) in [
        (json!({"scope": "a b"}), &["a", "b"][..]),
        (json!({"scope": null, "scp": "a b"}), &["a", "b"]),
        (json!({"scope": null, "scp": ["a", "b"]}), &["a", "b"]),
        (json!({"scope": ["a"], "scp": ["a", 1]}), &["a"]),
        (json!({"scope": {"a": true}}), &[]),
        (json!({"scope": null}), &[]),
    ] {
        let token = signer.sign(&header(), &with(good(), changes.clone()));
        let scopes = verified(&token, &signer.keys()).unwrap().scopes;
        assert_eq!(scopes, expected, "{changes}");
    }
}

#[test]
fn an_answer_about_a_token_is_judged_like_a_token() {
    use TokenRefusal::{Audience, Expired, Issuer, Revoked};
    let active = with(good(), json!({"active": true}));
    for (name, changes, checks_audience, expected) in [
        ("as it is", json!({}), true, Some(None)),
        (
            "inactive",
            json!({"active": false}),
            true,
            Some(Some(Revoked)),
        ),
        ("active as text", json!({"active": "true"}), true, None),
        ("active as a number", json!({"active": 1}), true, None),
        ("nothing about it", json!({"active": null}), true, None),
        (
            "no audience",
            json!({"aud": null}),
            true,
            Some(Some(Audience)),
        ),
        (
            "no audience, none asked",
            json!({"aud": null}),
            false,
            Some(None),
        ),
        (
            "another audience, none asked",
            json!({"aud": "x"}),
            false,
            Some(Some(Audience)),
        ),
        ("no issuer", json!({"iss": null}), true, Some(None)),
        (
            "another issuer",
            json!({"iss": "https://evil.example"}),
            true,
            Some(Some(Issuer)),
        ),
        ("ended", json!({"exp": NOW - 60}), true, Some(Some(Expired))),
        ("no end", json!({"exp": null}), true, Some(Some(Expired))),
    ] {
        let answer = with(active.clone(), changes).to_string();
        let judged = introspected(answer.as_bytes(), &rules(), checks_audience, NOW);
        assert_eq!(judged.ok().map(Result::err), expected, "{name}");
    }
    for answer in ["<html>", "", "[]", r#"{"active":true,"active":true}"#] {
        assert!(
            introspected(answer.as_bytes(), &rules(), true, NOW).is_err(),
            "{answer}"
        );
    }
}
