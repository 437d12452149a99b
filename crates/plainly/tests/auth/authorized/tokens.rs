//! The tokens that are accepted over the wire. The tests beside the code that validates tokens
//! check every possible fault.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use plainly_oauth::jose::SigningKey;
use serde_json::{Value, json};

use super::issuer::{Issuer, NOW, changed, encoded, signed};
use super::support::{Guarded, call};

#[tokio::test]
async fn a_good_token_says_who_calls_and_shows_nothing_of_itself() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    let token = issuer.token(json!({}));
    let told = guarded.who(&token).await.unwrap();
    let debug = told["debug"].as_str().unwrap();
    for part in token.split('.') {
        assert!(!debug.contains(part), "{debug}");
    }
    // The server stores only configured claims, and `jti` is not one of them.
    assert_eq!(told["jti"], Value::Null);
    let expected = json!({
        "issuer": issuer.url, "subject": "alice", "client": "app", "scopes": ["read"],
        "expires": NOW + 300, "email": "alice@example.com",
    });
    assert_eq!(changed(told, json!({"debug": null, "jti": null})), expected);
}

/// Lists tokens that attackers send, each with the reason in the rejection.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
async fn a_token_that_is_not_the_issuers_for_this_server_is_refused() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    let good = issuer.claims();
    let public = Value::Object(issuer.key.public_jwk()).to_string();
    let mut by_secret = Header::new(Algorithm::HS256);
    by_secret.kid = Some("k".to_owned());
    let secret = EncodingKey::from_secret(public.as_bytes());
    let by_secret = encoded(&by_secret, &good, &secret);
    let other = SigningKey::generate().unwrap();
    let es256 = |change: fn(&mut Header)| {
        let mut header = Header::new(Algorithm::ES256);
        header.kid = Some("k".to_owned());
        change(&mut header);
        header
    };
    let named = signed(
        &es256(|header| header.jku = Some("https://evil.example/".to_owned())),
        &good,
        &other,
    );
    let path = signed(
        &es256(|header| header.kid = Some("../../etc/passwd".to_owned())),
        &good,
        &other,
    );
    let foreign = signed(&es256(|_| {}), &good, &other);
    let of_type = signed(
        &es256(|header| header.typ = Some("id_token".to_owned())),
        &good,
        &issuer.key,
    );
    let whole = issuer.token(json!({}));
    let none = {
        use base64::Engine as _;
        let encode = |text: &str| base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(text);
        format!(
            "{}.{}.",
            encode(r#"{"alg":"none"}"#),
            encode(&good.to_string())
        )
    };
    for (name, token, why) in [
        ("a_token_without_a_signature", none, "algorithm"),
        (
            "a_token_signed_with_the_public_key_as_a_secret",
            by_secret,
            "algorithm",
        ),
        ("a_token_that_names_its_own_keys", named, "header"),
        ("a_token_whose_key_id_is_a_path", path, "unknown key"),
        ("a_token_of_another_key", foreign, "signature"),
        ("a_token_of_another_type", of_type, "type"),
        (
            "a_token_that_is_cut_off",
            whole[..whole.len() - 2].to_owned(),
            "signature",
        ),
        (
            "a_token_for_another_resource",
            issuer.token(json!({"aud": "https://other.example/mcp"})),
            "audience",
        ),
        (
            "a_token_for_a_prefix_of_the_resource",
            issuer.token(json!({"aud": "https://mcp.example.com"})),
            "audience",
        ),
        (
            "a_token_for_the_resource_with_a_slash",
            issuer.token(json!({"aud": "https://mcp.example.com/mcp/"})),
            "audience",
        ),
        (
            "a_token_for_nobody",
            issuer.token(json!({"aud": null})),
            "audience",
        ),
        (
            "a_token_of_another_issuer",
            issuer.token(json!({"iss": "https://evil.example"})),
            "issuer",
        ),
        (
            "an_id_token",
            issuer.token(json!({"nonce": "n"})),
            "an ID token",
        ),
        (
            "a_token_that_has_ended",
            issuer.token(json!({"exp": NOW - 61})),
            "expired",
        ),
        (
            "a_token_that_never_ends",
            issuer.token(json!({"exp": null})),
            "expired",
        ),
        (
            "a_token_that_begins_later",
            issuer.token(json!({"nbf": NOW + 1000})),
            "not yet valid",
        ),
        (
            "a_token_of_nobody",
            issuer.token(json!({"sub": null, "client_id": null})),
            "no subject",
        ),
        (
            "a_bound_token_where_no_proofs_are_taken",
            issuer.token(json!({"cnf": {"jkt": "x"}})),
            "confirmation",
        ),
        (
            "a_token_bound_to_a_certificate",
            issuer.token(json!({"cnf": {"x5t#S256": "x"}})),
            "confirmation",
        ),
        ("no_token", "x".to_owned(), "malformed"),
        ("a_very_long_token", "x".repeat(10_000), "malformed"),
    ] {
        // The time advances, because too many failures within one second are rejected unread.
        guarded.time.advance(1);
        let refused = guarded.why_refused(&token).await;
        assert_eq!(refused, Some((401, why.to_owned())), "{name}");
    }
    assert_eq!(guarded.ran.count(), 0);
    guarded.who(&whole).await.unwrap();
}

#[tokio::test]
async fn one_subject_of_two_issuers_is_two_principals() {
    let (one, other) = (Issuer::start().await, Issuer::start().await);
    let guarded = Guarded::with(|auth| auth.issuer(&one.url).issuer(&other.url)).await;
    let mut opened = guarded.call(&one.token(json!({})), "works").await;
    let id = opened.json().await["result"]["taskId"]
        .as_str()
        .unwrap()
        .to_owned();
    for (issuer, is_found) in [(&one, true), (&other, false)] {
        let token = issuer.token(json!({}));
        guarded.who(&token).await.unwrap();
        let get = super::support::capable("tasks/get", json!({"taskId": id}));
        let mut found = guarded.post(&super::support::bearer(&token), &get).await;
        assert_eq!(found.json().await["result"].is_object(), is_found);
    }
}

#[tokio::test]
async fn an_address_that_fails_often_has_to_wait_but_not_with_a_good_token() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    for _ in 0..10 {
        assert_eq!(guarded.call("x", "who").await.status, 401);
    }
    let mut refused = guarded.call("x", "who").await;
    assert_eq!(refused.status, 429);
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(
        refused.json().await["error"]["data"]["refusal"],
        "too_many_failures"
    );
    // A client without a token still receives a challenge.
    assert_eq!(guarded.post("", &call("who")).await.status, 401);
    // Other clients at this address are not affected, even with a token that the server has not
    // seen.
    guarded.who(&issuer.token(json!({}))).await.unwrap();
    guarded.time.advance(1);
    assert_eq!(guarded.call("x", "who").await.status, 401);
}
