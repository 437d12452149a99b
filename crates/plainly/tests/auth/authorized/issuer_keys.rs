//! The keys of an issuer that is down, slow to change, or lying.

use serde_json::json;

use super::issuer::{Answer, Issuer, changed};
use super::support::Guarded;

/// RFC 8725: unknown keys must not make the server flood the issuer with requests.
#[tokio::test]
async fn unknown_keys_are_asked_for_once_a_minute_and_good_tokens_go_on() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    let good = issuer.token(json!({}));
    guarded.who(&good).await.unwrap();
    assert_eq!(issuer.behaviour.keys_asked(), 1);
    for attempt in 0..100 {
        // Ten failures within a second would make the server reject further tokens unread.
        if attempt % 9 == 0 {
            guarded.time.advance(1);
        }
        let token = issuer.signed(&format!("unknown-{attempt}"), &issuer.claims());
        let refused = guarded.why_refused(&token).await;
        assert_eq!(refused, Some((401, "unknown key".to_owned())));
    }
    assert_eq!(issuer.behaviour.keys_asked(), 1);
    guarded.time.advance(60);
    let other = issuer.token(json!({"jti": "t-2", "exp": guarded.time.now() + 60}));
    guarded.who(&other).await.unwrap();
    for attempt in 0..5 {
        let token = issuer.signed(&format!("unknown-{attempt}"), &issuer.claims());
        assert!(guarded.why_refused(&token).await.is_some());
    }
    assert_eq!(issuer.behaviour.keys_asked(), 2);
}

#[tokio::test]
async fn a_new_key_is_found_once_a_token_has_it() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    guarded.who(&issuer.token(json!({}))).await.unwrap();
    issuer
        .behaviour
        .answer_keys(Answer::new(200, issuer.keys("new")));
    let token = issuer.signed("new", &issuer.claims());
    let too_soon = guarded.why_refused(&token).await;
    assert_eq!(too_soon, Some((401, "unknown key".to_owned())));
    guarded.time.advance(60);
    guarded.who(&token).await.unwrap();
    // The old key is not in the new set of keys, which has replaced the old set.
    let old = issuer.token(json!({"jti": "t-2"}));
    assert_eq!(
        guarded.why_refused(&old).await,
        Some((401, "unknown key".to_owned()))
    );
}

/// A key that its issuer has removed is accepted for a minute, and no longer.
#[tokio::test]
async fn a_good_token_is_remembered_for_a_minute() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    guarded.who(&issuer.token(json!({}))).await.unwrap();
    guarded.time.advance(60);
    let good = issuer.token(json!({"jti": "t-2"}));
    guarded.who(&good).await.unwrap();
    issuer
        .behaviour
        .answer_keys(Answer::new(200, issuer.keys("new")));
    let new = issuer.signed("new", &issuer.claims());
    guarded.who(&new).await.unwrap();
    guarded.time.advance(59);
    guarded.who(&good).await.unwrap();
    guarded.time.advance(1);
    assert_eq!(
        guarded.why_refused(&good).await,
        Some((401, "unknown key".to_owned()))
    );
}

#[tokio::test]
async fn many_who_need_the_keys_ask_for_them_once() {
    let issuer = Issuer::start().await;
    let guarded = Guarded::by(&issuer).await;
    let tokens: Vec<_> = (0..20)
        .map(|id| issuer.token(json!({"jti": id.to_string()})))
        .collect();
    let all = tokens.iter().map(|token| guarded.who(token));
    for told in futures_util::future::join_all(all).await {
        told.unwrap();
    }
    assert_eq!(issuer.behaviour.keys_asked(), 1);
}

#[tokio::test]
async fn keys_that_can_not_be_read_leave_the_old_ones_and_without_any_it_is_unavailable() {
    let issuer = Issuer::start().await;
    let many = json!({"keys": vec![issuer.key.public_jwk(); 10_000]});
    let elsewhere = Answer::redirect(format!(
        "{}/.well-known/oauth-authorization-server",
        issuer.url
    ));
    let bad = [
        ("down", Answer::new(503, "")),
        ("gone", Answer::new(404, "")),
        ("empty", Answer::new(200, "")),
        ("without keys", Answer::new(200, json!({"keys": []}))),
        ("10,000 keys", Answer::new(200, many)),
        ("HTML", Answer::new(200, "<html>")),
        ("a redirect", elsewhere),
        ("too large", Answer::new(200, "x".repeat((1 << 20) + 1))),
    ];
    for (name, answer) in bad {
        issuer.behaviour.answer_keys(answer.clone());
        let fresh = Guarded::by(&issuer).await;
        let token = issuer.token(json!({}));
        let mut refused = fresh.call(&token, "who").await;
        assert_eq!(refused.status, 503, "{name}");
        assert_eq!(refused.header("retry-after"), Some("5"), "{name}");
        let reply = refused.json().await;
        assert_eq!(
            reply["error"]["data"]["kind"], "cannot_verify",
            "{name}: {reply}"
        );

        issuer
            .behaviour
            .answer_keys(Answer::new(200, issuer.keys("k")));
        fresh.time.advance(5);
        fresh.who(&token).await.unwrap();
        issuer.behaviour.answer_keys(answer);
        // After this time the keys are old, and the results about tokens are dropped.
        let hours = |fresh: &Guarded| {
            issuer.token(json!({"exp": fresh.time.now() + 60, "jti": fresh.time.now().to_string()}))
        };
        fresh.time.advance(2 * 60 * 60);
        fresh.who(&hours(&fresh)).await.unwrap();
        fresh.time.advance(23 * 60 * 60);
        assert_eq!(
            fresh.call(&hours(&fresh), "who").await.status,
            503,
            "{name}"
        );
        issuer
            .behaviour
            .answer_keys(Answer::new(200, issuer.keys("k")));
    }
}

#[tokio::test]
async fn the_metadata_of_another_issuer_names_no_keys() {
    let issuer = Issuer::start().await;
    let right = json!({"issuer": issuer.url, "jwks_uri": format!("{}/keys", issuer.url)});
    for (name, answer) in [
        (
            "another",
            Answer::new(
                200,
                changed(right.clone(), json!({"issuer": "https://evil.example"})),
            ),
        ),
        (
            "with a slash",
            Answer::new(
                200,
                changed(right.clone(), json!({"issuer": format!("{}/", issuer.url)})),
            ),
        ),
        (
            "without keys",
            Answer::new(200, changed(right, json!({"jwks_uri": null}))),
        ),
        ("down", Answer::new(500, "")),
        ("HTML", Answer::new(200, "<html>")),
    ] {
        issuer.behaviour.answer_metadata(answer);
        let fresh = Guarded::by(&issuer).await;
        let refused = fresh.call(&issuer.token(json!({})), "who").await;
        assert_eq!(refused.status, 503, "{name}");
        assert_eq!(issuer.behaviour.keys_asked(), 0, "{name}");
    }
}
