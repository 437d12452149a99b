//! The answers of registration and token endpoints: rows 19, 25, 27 and 32.

use plainly::client::oauth::credentials::{ClientAuthMethod, Registration};
use plainly::client::oauth::{FileStore, OAuth, OAuthError, TokenStore as _, credentials};
use plainly_authorization::{Answer, AnswerBody, Binding, Endpoint, Misbehaviour, Rules};
use serde_json::json;

use super::support::assert_why;
use super::support::{REDIRECT, World, connect, greet, refused, why};

fn gives(members: serde_json::Value) -> Misbehaviour {
    Misbehaviour::Members(Endpoint::Token, members)
}

/// Row 19: a refresh token is stored until the server issues another one.
#[tokio::test]
async fn a_renewal_without_a_refresh_token_keeps_the_one_before() {
    let world = World::new(Rules {
        rotates: false,
        ..Rules::default()
    })
    .await;
    let client = world.connect().await;
    for _ in 0..3 {
        world.issuer.expire();
        greet(&client).await.unwrap();
    }
    let renewed = world.issuer.tokens_for("refresh_token");
    let tokens: Vec<_> = renewed
        .iter()
        .map(|it| it.parameter("refresh_token"))
        .collect();
    assert_eq!(tokens.len(), 3);
    assert!(tokens.iter().all(|it| it == &tokens[0]), "{tokens:?}");
    assert_eq!(world.person.visits(), 1);
}

/// Row 19: the server may grant fewer scopes, and the store records that.
#[tokio::test]
async fn a_renewal_with_less_scope_is_noted() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules::default()).await;
    world.server.set(Misbehaviour::Metadata(
        json!({ "scopes_supported": ["a", "b"] }),
    ));
    let login = world.person.login().store(FileStore::new(directory.path()));
    let client = connect(&world.server.url, login).await.unwrap();
    world.issuer.set(gives(json!({ "scope": "a" })));
    world.issuer.expire();
    greet(&client).await.unwrap();
    let kept = FileStore::new(directory.path()).load().await.unwrap();
    let grant = kept.grant(&world.server.url).unwrap();
    assert_eq!(grant.granted_scope, ["a"]);
    assert_eq!(grant.requested_scope, ["a", "b"]);
}

/// Returns answers of a token endpoint that contain no token, and whether each is an error of
/// OAuth.
fn no_tokens() -> [(&'static str, Answer, bool); 8] {
    let ok = |body| Answer::new(200, body);
    [
        (
            "another type",
            ok(r#"{"access_token": "t", "token_type": "mac"}"#),
            false,
        ),
        ("no type", ok(r#"{"access_token": "t"}"#), false),
        ("no token", ok(r#"{"token_type": "Bearer"}"#), false),
        (
            "a bound one",
            ok(r#"{"access_token": "t", "token_type": "DPoP"}"#),
            false,
        ),
        ("no JSON", ok("access_token=t&token_type=bearer"), false),
        (
            "an error in a 200",
            ok(r#"{"error": "bad_verification_code"}"#),
            true,
        ),
        (
            "an error",
            Answer::refusal(400, "unauthorized_client"),
            true,
        ),
        ("a failure", Answer::new(503, ""), true),
    ]
}

/// Row 19, for logins and for renewals.
#[tokio::test]
async fn an_answer_that_is_no_token_is_told_as_what_it_is() {
    for (name, answer, is_refused) in no_tokens() {
        let answers = Misbehaviour::Answers(Endpoint::Token, answer);
        let world = World::hostile(answers.clone()).await;
        let at_login = world.refused().await;
        let world = World::new(Rules::default()).await;
        let client = world.connect().await;
        world.issuer.set(answers);
        world.issuer.expire();
        let at_renewal = why(&greet(&client).await.unwrap_err());
        assert_eq!(world.issuer.tokens_for("refresh_token").len(), 1, "{name}");
        // What no retry changes leads to another login, which fails here, too.
        let is_final = matches!(at_renewal, OAuthError::TokenRefused { status: ..=499, .. });
        let visits = 1 + usize::from(is_final);
        for error in [at_login, at_renewal] {
            let expected = match is_refused {
                true => matches!(error, OAuthError::TokenRefused { .. }),
                false => matches!(error, OAuthError::TokenUnusable { .. }),
            };
            assert!(expected, "{name}: {error:?}");
        }
        assert!(!world.server.record.has("Bearer t\""), "{name}");
        // Once the server behaves, the next call succeeds.
        world.issuer.behave();
        greet(&client).await.unwrap();
        assert_eq!(world.person.visits(), visits, "{name}");
        assert_eq!(world.issuer.reused(), 0, "{name}");
    }
}

/// Whatever the server's reason is.
#[tokio::test]
async fn a_token_whose_renewal_is_refused_leads_to_another_login() {
    for answer in [
        Answer::refusal(400, "invalid_grant"),
        Answer::refusal(400, "invalid_request"),
        Answer::refusal(403, "access_denied"),
        Answer::refusal(200, "bad_refresh_token"),
        Answer::new(403, "<h1>no</h1>"),
    ] {
        let case = format!("{answer:?}");
        let world = World::new(Rules::default()).await;
        let client = world.connect().await;
        world.issuer.expire();
        world
            .issuer
            .set(Misbehaviour::AnswersOnce(Endpoint::Token, answer));
        greet(&client)
            .await
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        assert_eq!(world.person.visits(), 2, "{case}");
    }
}

#[tokio::test]
async fn a_server_that_renews_no_token_has_people_log_in_again() {
    let refusal = Answer::refusal(400, "unsupported_grant_type");
    let directory = tempfile::tempdir().unwrap();
    let store = || FileStore::new(directory.path());
    let world = World::new(Rules::default()).await;
    let login = world.person.login().store(store());
    let client = connect(&world.server.url, login).await.unwrap();
    world.issuer.expire();
    let once = Misbehaviour::AnswersOnce(Endpoint::Token, refusal.clone());
    world.issuer.set(once);
    greet(&client).await.unwrap();
    assert_eq!(world.person.visits(), 2);

    // If no user can be asked, the client does not try the renewal again either.
    world.issuer.expire();
    world
        .issuer
        .set(Misbehaviour::Answers(Endpoint::Token, refusal));
    for _ in 0..2 {
        let error = refused(&world.server.url, OAuth::new().store(store())).await;
        assert_why!(error, "nobody", OAuthError::LoginRequired { .. });
    }
    assert_eq!(world.issuer.tokens_for("refresh_token").len(), 2);
}

/// Row 27.
#[tokio::test]
async fn a_lifetime_is_bounded_whatever_it_is() {
    for (lifetime, renewals) in [
        (json!(1e300), 0),
        (json!("60"), 0),
        (json!(50), 0),
        (json!("later"), 0),
        (json!([1]), 0),
        (json!(null), 0),
        (json!(-1), 0),
        (json!(0), 0),
    ] {
        let world = World::hostile(gives(json!({ "expires_in": lifetime }))).await;
        let client = world.connect().await;
        for _ in 0..3 {
            greet(&client).await.unwrap();
        }
        let renewed = world.issuer.tokens_for("refresh_token").len();
        assert!(renewed <= renewals, "{lifetime}: {renewed}");
        assert_eq!(world.person.visits(), 1, "{lifetime}");
        assert_eq!(world.issuer.reused(), 0, "{lifetime}");
    }
    let answer = r#"{"access_token": "t", "token_type": "Bearer", "expires_in": NaN}"#;
    let answers = Misbehaviour::Answers(Endpoint::Token, Answer::new(200, answer));
    let world = World::hostile(answers).await;
    assert_why!(
        world.refused().await,
        "NaN",
        OAuthError::TokenUnusable { .. }
    );
}

/// A stored token that ends soon, and whose renewal fails, is still used.
#[tokio::test(start_paused = true)]
async fn a_token_is_used_as_long_as_it_lasts_if_it_cannot_be_renewed() {
    for answer in [
        Answer::new(503, ""),
        Answer::new(200, "").body(AnswerBody::Never),
        Answer::new(200, "").body(AnswerBody::Endless),
        Answer::new(403, "<h1>no</h1>"),
        Answer::refusal(400, "invalid_grant"),
        Answer::refusal(400, "invalid_request"),
    ] {
        let is_refused = (400..500).contains(&answer.status);
        let case = format!("{answer:?}");
        let directory = tempfile::tempdir().unwrap();
        let world = World::new(Rules::default()).await;
        let login = || {
            let store = FileStore::new(directory.path());
            world.person.login().store(store)
        };
        connect(&world.server.url, login()).await.unwrap();
        let ends_soon =
            Box::new(|it: &mut credentials::Credentials| it.grants[0].renew_at = Some(1));
        let store = FileStore::new(directory.path());
        store.update(ends_soon).await.unwrap();
        world
            .issuer
            .set(Misbehaviour::Answers(Endpoint::Token, answer));
        let client = connect(&world.server.url, login()).await.unwrap();
        greet(&client)
            .await
            .unwrap_or_else(|error| panic!("{case}: {error}"));
        let asked = world.issuer.tokens_for("refresh_token").len();
        // What no retry changes is not tried again before each request.
        assert!(asked == 1 || asked > 1 && !is_refused, "{case}: {asked}");
        assert_eq!(world.person.visits(), 1, "{case}");
    }
}

#[tokio::test]
async fn a_token_is_used_as_long_as_it_lasts_if_nothing_renews_it() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules {
        refreshes: false,
        ..Rules::default()
    })
    .await;
    let login = || world.person.login().store(FileStore::new(directory.path()));
    connect(&world.server.url, login()).await.unwrap();
    let ends_soon = Box::new(|it: &mut credentials::Credentials| it.grants[0].renew_at = Some(1));
    let store = FileStore::new(directory.path());
    store.update(ends_soon).await.unwrap();
    let client = connect(&world.server.url, login()).await.unwrap();
    greet(&client).await.unwrap();
    assert_eq!(world.person.visits(), 1);
}

/// Row 27.
#[tokio::test]
async fn what_fits_in_no_header_is_no_token() {
    for (name, token) in [
        ("a header more", "t\r\nX-Evil: 1".to_owned()),
        ("a newline", "t\n".to_owned()),
        ("a space", "t t".to_owned()),
        ("a letter", "tö".to_owned()),
        ("17 KiB", "t".repeat(17 << 10)),
        ("1 MiB", "t".repeat(1 << 20)),
    ] {
        for member in ["access_token", "refresh_token"] {
            let mut members = json!({});
            members[member] = token.clone().into();
            let world = World::hostile(gives(members)).await;
            let error = world.refused().await;
            assert_why!(
                &error,
                name,
                OAuthError::TokenUnusable { .. } | OAuthError::Metadata { .. }
            );
            assert!(!world.server.record.has("x-evil"), "{name}");
            assert!(!world.server.record.has("authorization"), "{name}");
        }
    }
}

/// Row 25.
#[tokio::test]
async fn a_registration_of_something_else_is_not_used() {
    for (name, members) in [
        (
            "another redirect",
            json!({ "redirect_uris": ["http://127.0.0.1:1/evil"] }),
        ),
        ("no redirect", json!({ "redirect_uris": [] })),
        (
            "redirects that are none",
            json!({ "redirect_uris": REDIRECT }),
        ),
        (
            "an unknown method",
            json!({ "token_endpoint_auth_method": "tls_client_auth" }),
        ),
        (
            "a method without a secret",
            json!({ "token_endpoint_auth_method": "client_secret_basic" }),
        ),
        ("no id", json!({ "client_id": null })),
        ("an empty id", json!({ "client_id": "" })),
        ("a number", json!({ "client_id": 7 })),
        ("a long id", json!({ "client_id": "i".repeat(2049) })),
        ("an id of two lines", json!({ "client_id": "a\nb" })),
        ("a longer id", json!({ "client_id": "i".repeat(1 << 20) })),
        (
            "a long secret",
            json!({ "client_secret": "s".repeat(2049) }),
        ),
        (
            "a secret that has ended",
            json!({ "client_secret": "s", "client_secret_expires_at": 1 }),
        ),
    ] {
        let world = World::hostile(Misbehaviour::Members(Endpoint::Registration, members)).await;
        assert_why!(world.refused().await, name, OAuthError::Metadata { .. });
        assert_eq!(world.person.visits(), 0, "{name}");
        assert_eq!(world.issuer.record.count("/register"), 1, "{name}");
        world.assert_no_token_request(name);
    }
    for (name, answer) in [
        ("10 MiB", Answer::new(201, "x".repeat(10 << 20))),
        ("no JSON", Answer::new(201, "registered")),
    ] {
        let world = World::hostile(Misbehaviour::Answers(Endpoint::Registration, answer)).await;
        assert_why!(world.refused().await, name, OAuthError::Metadata { .. });
        assert_eq!(world.person.visits(), 0, "{name}");
    }
    let answer = Answer::refusal(403, "access_denied");
    let world = World::hostile(Misbehaviour::Answers(Endpoint::Registration, answer)).await;
    assert_why!(
        world.refused().await,
        "no",
        OAuthError::RegistrationRefused { status: 403, .. }
    );
}

/// Row 25.
#[tokio::test]
async fn a_client_whose_secret_has_ended_registers_anew() {
    let directory = tempfile::tempdir().unwrap();
    let store = FileStore::new(directory.path());
    let world = World::new(Rules::default()).await;
    let mut ended = Registration::new(world.issuer.url.as_str(), "ended");
    ended.method = ClientAuthMethod::Basic;
    ended.client_secret = Some("ended-secret".into());
    ended.secret_expires_at = Some(1);
    ended.redirect_uri = Some(REDIRECT.to_owned());
    let keep = Box::new(|it: &mut credentials::Credentials| {
        it.keep_registration(ended);
    });
    store.update(keep).await.unwrap();
    let login = world.person.login().store(store);
    let client = connect(&world.server.url, login).await.unwrap();
    greet(&client).await.unwrap();
    assert_eq!(world.issuer.record.count("/register"), 1);
    assert!(!world.issuer.record.has("ended"));
}

fn bound(binding: Binding) -> Rules {
    Rules {
        binding,
        ..Rules::default()
    }
}

/// Row 32.
#[tokio::test]
async fn a_token_that_anybody_could_use_is_not_taken_where_a_bound_one_was_asked_for() {
    let world = World::new(bound(Binding::Dpop)).await;
    world.issuer.set(gives(json!({ "token_type": "Bearer" })));
    let error = world.refused().await;
    assert_why!(&error, "login", OAuthError::DpopDowngraded { .. });
    assert!(!world.server.record.has("secret-"));

    let world = World::new(bound(Binding::Dpop)).await;
    let client = world.connect().await;
    world.issuer.set(gives(json!({ "token_type": "Bearer" })));
    world.issuer.expire();
    let error = why(&greet(&client).await.unwrap_err());
    assert_why!(&error, "renewal", OAuthError::DpopDowngraded { .. });
    assert!(!world.server.record.has("Bearer"));
}

/// Row 32.
#[tokio::test]
async fn another_nonce_each_time_is_given_up_soon() {
    let world = World::new(bound(Binding::DpopWithNonce)).await;
    world.issuer.set(Misbehaviour::NonceForEver);
    let error = world.refused().await;
    assert_why!(&error, "issuer", OAuthError::TokenRefused { error: Some(code), .. } if code == "use_dpop_nonce");
    assert_eq!(world.issuer.record.count("/token"), 2);

    let world = World::new(bound(Binding::DpopWithNonce)).await;
    let client = world.connect().await;
    world.server.set(Misbehaviour::NonceForEver);
    world.server.record.clear();
    let error = greet(&client).await.unwrap_err();
    assert_eq!(error.http_status(), Some(401), "{error}");
    assert_eq!(world.server.record.count("/mcp"), 2);
    assert_eq!(world.person.visits(), 1);
}

/// RFC 9449, 9: a demand for a nonce must not prevent the login of a client without a token.
#[tokio::test]
async fn a_nonce_is_no_answer_to_a_request_without_a_token() {
    let world = World::new(bound(Binding::Dpop)).await;
    let refusal = Answer::new(401, "")
        .with("www-authenticate", "DPoP error=\"use_dpop_nonce\"")
        .with("dpop-nonce", "n");
    world
        .server
        .set(Misbehaviour::Answers(Endpoint::Server, refusal));
    let error = connect(&world.server.url, world.person.login()).await;
    assert_eq!(error.unwrap_err().http_status(), Some(401));
    assert_eq!(world.person.visits(), 1);
}

/// Row 32.
#[tokio::test]
async fn a_nonce_without_measure_is_not_sent_back() {
    let nonce = "n".repeat(1025);
    let refusal = || Answer::refusal(400, "use_dpop_nonce").with("dpop-nonce", nonce.clone());
    let world = World::new(bound(Binding::Dpop)).await;
    world
        .issuer
        .set(Misbehaviour::Answers(Endpoint::Token, refusal()));
    world.refused().await;
    let sent = world.issuer.record.at("/token");
    assert!(sent.len() <= 2, "{}", sent.len());
    for sent in sent {
        assert!(sent.header("dpop").unwrap().len() < 1024, "{sent:?}");
    }
}
