//! The endpoints in an authorization server's metadata: rows 1, 6, 10, 12 and 18.

use plainly::client::oauth::OAuthError;
use plainly_authorization::{Answer, AuthorizationServer, Endpoint, Misbehaviour, Rules};
use serde_json::json;

use super::support::assert_why;
use super::support::{Person, World, connect, greet, refused};

/// Row 1. An invalid URL is never opened, and is escaped in an error.
#[tokio::test]
async fn what_is_no_page_is_never_opened() {
    for page in [
        "file:///etc/passwd",
        "javascript:alert(1)",
        "ms-settings:",
        "vscode://x",
        "https://as.example/a b",
        "https://as.example/\"",
        "https://as.example/'",
        "https://as.example/`id`",
        "https://as.example/\r\nx",
        "https://as.example/\u{1b}[2J",
        "https://user:password@as.example/",
        "https://as.example/#x",
        "-a Calculator",
        "https://as.example/?state=x",
        "https://as.example/?%72edirect_uri=x",
        "http://x.example/?$(calc)",
        "http://10.0.0.1/",
    ] {
        let members = json!({ "authorization_endpoint": page });
        let world = World::hostile(Misbehaviour::Metadata(members)).await;
        let error = world.refused().await;
        assert_why!(&error, page, OAuthError::Metadata { .. });
        let told = format!("{error} {error:?}");
        assert!(!told.contains(['\u{1b}', '\r', '\n']), "{told}");
        assert!(!told.contains("password@"), "{told}");
        assert_eq!(world.person.visits(), 0, "{page}");
        assert_eq!(world.issuer.record.count("/token"), 0, "{page}");
    }
    let page = "https://169.254.169.254/";
    let members = json!({ "authorization_endpoint": page });
    let world = World::hostile(Misbehaviour::Metadata(members)).await;
    assert_why!(world.refused().await, page, OAuthError::Fenced { .. });
    assert_eq!(world.person.visits(), 0, "{page}");
}

/// Row 6.
#[tokio::test]
async fn what_is_posted_follows_no_redirect() {
    let elsewhere = AuthorizationServer::start(Rules::default()).await;
    for status in [301, 302, 303, 307, 308] {
        let away = |path| Answer::redirect(status, &format!("{}{path}", elsewhere.url));

        let world = World::hostile(Misbehaviour::Answers(Endpoint::Token, away("/token"))).await;
        let error = world.refused().await;
        assert_why!(&error, status, OAuthError::TokenRefused { status: it, .. } if *it == status);
        assert_eq!(world.issuer.record.count("/token"), 1);

        let switch = Misbehaviour::Answers(Endpoint::Registration, away("/register"));
        let world = World::hostile(switch).await;
        let error = world.refused().await;
        assert_why!(&error, status, OAuthError::RegistrationRefused { status: it, .. } if *it == status);
        assert_eq!(world.issuer.record.count("/register"), 1);

        // A redirected refresh token, and then a redirected revocation.
        let world = World::new(Rules::default()).await;
        let login = world.person.login();
        let client = connect(&world.server.url, login).await.unwrap();
        let switch = Misbehaviour::Answers(Endpoint::Token, away("/token"));
        world.issuer.set(switch);
        world.issuer.expire();
        greet(&client).await.unwrap_err();
        assert_eq!(world.issuer.tokens_for("refresh_token").len(), 1);

        let world = World::new(Rules::default()).await;
        let login = world.person.login();
        login.log_in(&world.server.url).await.unwrap();
        let switch = Misbehaviour::Answers(Endpoint::Revocation, away("/revoke"));
        world.issuer.set(switch);
        let error = login.log_out(&world.server.url).await.unwrap_err();
        assert_why!(&error, status, OAuthError::RevocationRefused { .. });
        assert_eq!(world.issuer.record.count("/revoke"), 1);
    }
    assert_eq!(elsewhere.record.total(), 0);
}

/// Row 10.
#[tokio::test]
async fn metadata_of_another_issuer_are_not_used() {
    let world = World::new(Rules::default()).await;
    let url = &world.issuer.url;
    let port = url.rsplit(':').next().unwrap();
    for issuer in [
        format!("{url}/"),
        format!("{url}/tenant"),
        format!("{url}#x"),
        url.replace("http", "HTTP"),
        url.replace("http", "https"),
        format!("http://localhost:{port}"),
        "https://as.example".to_owned(),
    ] {
        world.issuer.behave();
        world
            .issuer
            .set(Misbehaviour::Metadata(json!({ "issuer": issuer })));
        let error = world.refused().await;
        assert_why!(&error, issuer, OAuthError::IssuerMismatch { got, .. } if *got == issuer);
        world.assert_no_login(&issuer);
    }
    // A program can tolerate the trailing slash alone.
    let slash = format!("{url}/");
    world.issuer.behave();
    world
        .issuer
        .set(Misbehaviour::Metadata(json!({ "issuer": slash })));
    let login = Person::default().login().tolerate_issuer_slash();
    let error = refused(&world.server.url, login).await;
    // The issuer in the callback must then be equal to the name in the metadata, byte by byte.
    assert_why!(&error, slash, OAuthError::IssuerMismatch { expected, got, .. }
        if *expected == slash && got == url);
}

/// Row 12.
#[tokio::test]
async fn a_login_without_pkce_is_refused_before_anybody_is_asked() {
    for methods in [json!(null), json!([]), json!(["plain"]), json!(["s256"])] {
        let members = json!({ "code_challenge_methods_supported": methods });
        let world = World::hostile(Misbehaviour::Metadata(members)).await;
        assert_why!(
            world.refused().await,
            methods,
            OAuthError::PkceUnsupported { .. }
        );
        world.assert_no_login(&methods.to_string());
    }
}

/// Row 18.
#[tokio::test]
async fn a_token_is_renewed_where_it_was_given_whatever_the_metadata_say_by_then() {
    let attacker = AuthorizationServer::start(Rules::default()).await;
    let world = World::new(Rules::default()).await;
    let client = world.connect().await;
    let members = json!({ "token_endpoint": format!("{}/token", attacker.url) });
    world.issuer.set(Misbehaviour::Metadata(members));
    world.issuer.expire();
    greet(&client).await.unwrap();
    assert_eq!(world.issuer.tokens_for("refresh_token").len(), 1);
    assert_eq!(attacker.record.total(), 0);
    assert_eq!(world.person.visits(), 1);
}

/// Row 18.
#[tokio::test]
async fn another_authorization_server_is_told_nothing_of_the_one_before() {
    let rules = || Rules {
        methods: vec!["client_secret_basic"],
        ..Rules::default()
    };
    let world = World::new(rules()).await;
    let next = AuthorizationServer::start(Rules {
        marker: "next",
        ..rules()
    })
    .await;
    let client = world.connect().await;
    world.server.migrate(&next);
    greet(&client).await.unwrap();
    assert_eq!(next.record.count("/register"), 1);
    assert_eq!(next.record.count("/token"), 1);
    assert_eq!(next.tokens_for("refresh_token").len(), 0);
    assert!(!next.record.has("secret-"), "{:?}", next.record.all());
    assert!(!next.record.has("c2VjcmV0"), "{:?}", next.record.all());
    assert_eq!(world.issuer.tokens_for("refresh_token").len(), 0);
    assert_eq!(world.person.visits(), 2);
    assert_eq!(world.person.last().issuer, next.url);
    // The stored tokens of the first server are still valid there.
    world.server.migrate(&world.issuer);
    greet(&client).await.unwrap();
    assert_eq!(world.person.visits(), 2);
}
