//! Tokens that only their issuer can validate.

use plainly::server::auth::Introspection;
use plainly_oauth::Secret;
use plainly_oauth::jose::LONGEST;
use serde_json::{Value, json};

use super::issuer::{Answer, Issuer, NOW, changed};
use super::support::Guarded;

async fn guarded(issuer: &Issuer, change: fn(Introspection) -> Introspection) -> Guarded {
    let asked = Introspection::new(&issuer.url, "me:", Secret::new("s%cret"));
    Guarded::with(|auth| auth.introspect(change(asked))).await
}

fn active(issuer: &Issuer, changes: Value) -> Answer {
    let claims = changed(issuer.claims(), json!({"active": true}));
    Answer::new(200, changed(claims, changes))
}

#[tokio::test]
async fn the_issuer_is_asked_as_a_client_and_its_answer_remembered_for_a_minute() {
    let issuer = Issuer::start().await;
    let guarded = guarded(&issuer, |asked| asked).await;
    issuer
        .behaviour
        .answer_introspection(active(&issuer, json!({})));
    let told = guarded.who("opaque").await.unwrap();
    assert_eq!(told["subject"], "alice");
    assert_eq!(
        issuer.behaviour.asked_with(),
        "Basic bWUlM0E6cyUyNWNyZXQ= token=opaque&token_type_hint=access_token"
    );
    issuer
        .behaviour
        .answer_introspection(Answer::new(200, json!({"active": false})));
    guarded.time.advance(59);
    guarded.who("opaque").await.unwrap();
    assert_eq!(issuer.behaviour.tokens_asked(), 1);
    guarded.time.advance(1);
    assert_eq!(
        guarded.why_refused("opaque").await,
        Some((401, "revoked".to_owned()))
    );
    issuer
        .behaviour
        .answer_introspection(active(&issuer, json!({})));
    guarded.time.advance(9);
    assert_eq!(
        guarded.why_refused("opaque").await,
        Some((401, "revoked".to_owned()))
    );
    assert_eq!(issuer.behaviour.tokens_asked(), 2);
    guarded.time.advance(1);
    guarded.who("opaque").await.unwrap();
}

#[tokio::test]
async fn an_issuer_is_asked_about_nothing_that_is_no_token() {
    let issuer = Issuer::start().await;
    let guarded = guarded(&issuer, |asked| asked).await;
    issuer
        .behaviour
        .answer_introspection(active(&issuer, json!({})));
    let longest = "x".repeat(LONGEST);
    for token in ["", "a b", "a,b", &format!("{longest}x")] {
        let refused = guarded.why_refused(token).await;
        assert_eq!(refused, Some((401, "malformed".to_owned())), "{token:.9}");
    }
    assert_eq!(issuer.behaviour.tokens_asked(), 0);
    guarded.who(&longest).await.unwrap();
    assert_eq!(issuer.behaviour.tokens_asked(), 1);
}

#[tokio::test]
async fn an_issuer_that_fails_is_not_asked_without_end() {
    let issuer = Issuer::start().await;
    for (name, status, has_pause) in [("down", 500, true), ("refuses to answer", 403, false)] {
        let guarded = guarded(&issuer, |asked| asked).await;
        issuer
            .behaviour
            .answer_introspection(Answer::new(status, ""));
        let before = issuer.behaviour.tokens_asked();
        let asked = || issuer.behaviour.tokens_asked() - before;
        for number in 0..12 {
            let expected = if number < 10 { 503 } else { 429 };
            let answered = guarded.call(&number.to_string(), "who").await;
            assert_eq!(answered.status, expected, "{name}: {number}");
        }
        // An answer such as 403 may be about one token, so the server still asks about other
        // tokens.
        assert_eq!(asked(), if has_pause { 1 } else { 10 }, "{name}");
        issuer
            .behaviour
            .answer_introspection(active(&issuer, json!({})));
        guarded.time.advance(4);
        let expected = if has_pause { 503 } else { 200 };
        assert_eq!(guarded.call("a", "who").await.status, expected, "{name}");
        guarded.time.advance(1);
        assert_eq!(guarded.call("b", "who").await.status, 200, "{name}");
    }
}

#[tokio::test]
async fn an_address_that_fails_often_has_nobody_asked() {
    let issuer = Issuer::start().await;
    let guarded = guarded(&issuer, |asked| asked).await;
    issuer
        .behaviour
        .answer_introspection(active(&issuer, json!({})));
    guarded.who("known").await.unwrap();
    issuer
        .behaviour
        .answer_introspection(Answer::new(200, json!({"active": false})));
    for number in 0..10 {
        let refused = guarded.call(&number.to_string(), "who").await;
        assert_eq!(refused.status, 401);
    }
    let asked = issuer.behaviour.tokens_asked();
    assert_eq!(guarded.call("new", "who").await.status, 429);
    guarded.who("known").await.unwrap();
    assert_eq!(issuer.behaviour.tokens_asked(), asked);
}

#[tokio::test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
async fn only_a_plain_yes_for_this_server_lets_in() {
    let issuer = Issuer::start().await;
    let html = Answer::new(200, "<html>active: true</html>");
    let elsewhere = Answer::redirect(format!("{}/introspect", issuer.url));
    for (name, answer, expected) in [
        ("yes", active(&issuer, json!({})), None),
        (
            "no",
            Answer::new(200, json!({"active": false})),
            Some((401, "revoked")),
        ),
        (
            "yes as text",
            active(&issuer, json!({"active": "true"})),
            Some((503, "")),
        ),
        (
            "yes as a number",
            active(&issuer, json!({"active": 1})),
            Some((503, "")),
        ),
        (
            "for nobody",
            active(&issuer, json!({"aud": null})),
            Some((401, "audience")),
        ),
        (
            "for another",
            active(&issuer, json!({"aud": "https://other.example"})),
            Some((401, "audience")),
        ),
        (
            "of another issuer",
            active(&issuer, json!({"iss": "https://evil.example"})),
            Some((401, "issuer")),
        ),
        (
            "a refresh token",
            active(&issuer, json!({"token_type": "refresh_token"})),
            Some((401, "type")),
        ),
        (
            "used as a refresh token",
            active(&issuer, json!({"token_use": "refresh_token"})),
            Some((401, "type")),
        ),
        (
            "ended",
            active(&issuer, json!({"exp": NOW - 60})),
            Some((401, "expired")),
        ),
        ("HTML", html, Some((503, ""))),
        ("nothing", Answer::new(200, ""), Some((503, ""))),
        (
            "an error",
            Answer::new(401, json!({"error": "invalid_client"})),
            Some((503, "")),
        ),
        ("down", Answer::new(500, ""), Some((503, ""))),
        ("a redirect", elsewhere, Some((503, ""))),
    ] {
        let guarded = guarded(&issuer, |asked| asked).await;
        let before = issuer.behaviour.tokens_asked();
        issuer.behaviour.answer_introspection(answer);
        let expected = expected.map(|(status, why)| (status, why.to_owned()));
        assert_eq!(guarded.why_refused("opaque").await, expected, "{name}");
        assert_eq!(issuer.behaviour.tokens_asked(), before + 1, "{name}");
    }
    let unchecked = guarded(&issuer, Introspection::audience_unchecked).await;
    issuer
        .behaviour
        .answer_introspection(active(&issuer, json!({"aud": null})));
    unchecked.who("opaque").await.unwrap();
}
