//! Exchanges that would never end: rows 21 and 33.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::Client;
use plainly::client::oauth::{MemoryStore, OAuth, OAuthError};
use plainly_authorization::{Answer, AnswerBody, Endpoint, Misbehaviour, Rules};
use plainly_peer::within;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::support::assert_why;
use super::support::{World, connect, greet, refused, why};

/// Row 21.
#[tokio::test]
async fn a_token_that_is_refused_for_ever_costs_one_login() {
    let refuses = || Misbehaviour::Refuses(401, vec!["Bearer error=\"invalid_token\"".to_owned()]);
    let world = World::behind(refuses()).await;
    assert_why!(
        world.refused().await,
        "at once",
        OAuthError::StillUnauthorized { .. }
    );
    assert_eq!(world.person.visits(), 1);
    assert!(world.requests() <= 10, "{}", world.requests());

    // A token that was valid before is renewed first.
    let world = World::new(Rules::default()).await;
    let client = world.connect().await;
    world.server.set(refuses());
    for _ in 0..3 {
        let error = why(&greet(&client).await.unwrap_err());
        assert_why!(&error, "later", OAuthError::StillUnauthorized { .. });
    }
    assert_eq!(world.issuer.tokens_for("refresh_token").len(), 1);
    assert_eq!(world.person.visits(), 2);
    assert_eq!(world.issuer.reused(), 0);
}

/// Row 21, for a login that the program requested.
#[tokio::test]
async fn a_token_that_somebody_wished_for_and_that_is_refused_costs_no_other_login() {
    let world = World::new(Rules::default()).await;
    let oauth = Arc::new(world.person.login());
    oauth.log_in(&world.server.url).await.unwrap();
    let refuses = vec!["Bearer error=\"invalid_token\"".to_owned()];
    world.server.set(Misbehaviour::Refuses(401, refuses));
    let client = Client::http(&world.server.url).authorizer(oauth);
    let error = why(&within(client.connect()).await.expect_err("it was let in"));
    assert_why!(&error, "wished for", OAuthError::StillUnauthorized { .. });
    assert_eq!(world.person.visits(), 1);
}

/// Row 21.
#[tokio::test]
async fn rights_that_are_refused_for_ever_are_asked_for_once() {
    let challenge = "Bearer error=\"insufficient_scope\", scope=\"a\"".to_owned();
    let refuses = || Misbehaviour::Refuses(403, vec![challenge.clone()]);
    let world = World::behind(refuses()).await;
    let error = world.refused().await;
    assert_why!(&error, "at once", OAuthError::ScopeRefused { wanted, .. } if wanted == &["a"]);
    assert_eq!(world.person.visits(), 1);

    let world = World::new(Rules::default()).await;
    let client = world.connect().await;
    world.server.set(refuses());
    for _ in 0..3 {
        let error = why(&greet(&client).await.unwrap_err());
        assert_why!(&error, "later", OAuthError::ScopeRefused { .. });
    }
    assert_eq!(world.person.visits(), 2);
}

#[tokio::test]
async fn rights_that_only_the_metadata_name_are_asked_for_once() {
    let challenge = "Bearer error=\"insufficient_scope\"".to_owned();
    let world = World::new(Rules::default()).await;
    let client = world.connect().await;
    let names = json!({ "scopes_supported": ["a"] });
    world.server.set(Misbehaviour::Metadata(names));
    world
        .server
        .set(Misbehaviour::Refuses(403, vec![challenge]));
    for _ in 0..3 {
        let error = why(&greet(&client).await.unwrap_err());
        assert_why!(&error, "later", OAuthError::ScopeRefused { wanted, .. } if wanted == &["a"]);
        assert_eq!(world.person.last().scope, ["a"]);
        assert_eq!(world.person.visits(), 2);
    }
}

/// Row 21.
#[tokio::test]
async fn ever_more_rights_are_asked_for_twice() {
    let world = World::new(Rules::default()).await;
    let client = world.connect().await;
    world.server.set(Misbehaviour::WantsMoreForEver);
    for _ in 0..3 {
        let error = why(&greet(&client).await.unwrap_err());
        assert_why!(&error, "more", OAuthError::ScopeRefused { .. });
    }
    assert_eq!(world.person.visits(), 1 + 2);
    assert!(world.requests() <= 40, "{}", world.requests());
}

/// Row 21: the user is not asked about scopes beyond the program's own limit.
#[tokio::test]
async fn rights_beyond_a_limit_are_not_asked_for() {
    let world = World::new(Rules::default()).await;
    world.server.need_to_call("admin");
    let login = world.person.login().scope(["read"]);
    let client = connect(&world.server.url, login).await.unwrap();
    world.issuer.record.clear();
    let error = why(&greet(&client).await.unwrap_err());
    assert_why!(&error, "limit", OAuthError::ScopeRefused { .. });
    assert_eq!(world.person.visits(), 1);
    assert_eq!(world.issuer.record.total(), 0);
}

/// Returns a login on another device, and the pages that were shown for it.
fn elsewhere() -> (OAuth, Arc<Mutex<Vec<String>>>) {
    let pages = Arc::new(Mutex::new(Vec::new()));
    let shown = Arc::clone(&pages);
    let login = OAuth::new().device(move |page| {
        shown.lock().unwrap().push(page.url.to_owned());
    });
    (login, pages)
}

/// The timeout of a call does not apply while the user logs in, on this device or another one. It
/// does apply while the token is renewed. Time is simulated.
#[tokio::test(start_paused = true)]
async fn a_call_waits_for_a_person_and_not_for_who_renews_their_token() {
    for is_elsewhere in [false, true] {
        let world = World::new(Rules::default()).await;
        let login = match is_elsewhere {
            true => elsewhere().0,
            false => world.person.login(),
        };
        let client = connect(&world.server.url, login).await.unwrap();
        let never = Answer::new(200, "").body(AnswerBody::Never);
        world
            .issuer
            .set(Misbehaviour::Answers(Endpoint::Token, never));
        world.issuer.expire();
        // This is shorter than the timeout of a token endpoint.
        let client = client.with_timeout(Duration::from_secs(5));
        let error = greet(&client).await.unwrap_err();
        assert!(error.is_timeout(), "{is_elsewhere}: {error}");
    }
}

/// Row 33. Time is simulated.
#[tokio::test(start_paused = true)]
async fn a_login_at_another_device_is_asked_about_slowly_and_ends() {
    let cases: [(&str, Value, &str, u64, usize); 5] = [
        (
            "no pause",
            json!({ "interval": 0, "expires_in": 10 }),
            "authorization_pending",
            10,
            10,
        ),
        (
            "no interval",
            json!({ "interval": null, "expires_in": 20 }),
            "authorization_pending",
            20,
            4,
        ),
        (
            "a pause below zero",
            json!({ "interval": -7, "expires_in": 10 }),
            "authorization_pending",
            10,
            10,
        ),
        (
            "thirty years",
            json!({ "expires_in": 1e9 }),
            "authorization_pending",
            1800,
            360,
        ),
        (
            "ever slower",
            json!({ "interval": 1, "expires_in": 1e9 }),
            "slow_down",
            1800,
            27,
        ),
    ];
    for (name, members, polled, seconds, most) in cases {
        let world = World::hostile(Misbehaviour::Members(Endpoint::Device, members)).await;
        world.issuer.set(Misbehaviour::DevicePolled(polled));
        let (login, pages) = elsewhere();
        let began = Instant::now();
        let error = refused(&world.server.url, login).await;
        assert_why!(&error, name, OAuthError::ConsentTimedOut { .. });
        let took = began.elapsed();
        assert!(took <= Duration::from_secs(seconds + 1), "{name}: {took:?}");
        let asked = world.issuer.record.count("/token");
        assert!(asked <= most, "{name}: {asked}");
        assert_eq!(pages.lock().unwrap().len(), 1, "{name}");
    }
}

/// Row 33.
#[tokio::test]
async fn no_page_is_shown_that_is_none() {
    for page in [
        "javascript:alert(1)",
        "http://x.example/",
        "https://as.example/\u{1b}[2J",
        "//evil",
    ] {
        for member in ["verification_uri", "verification_uri_complete"] {
            let mut members = json!({});
            members[member] = page.into();
            let world = World::hostile(Misbehaviour::Members(Endpoint::Device, members)).await;
            let (login, pages) = elsewhere();
            let error = refused(&world.server.url, login).await;
            assert_why!(&error, page, OAuthError::TokenUnusable { .. });
            assert_eq!(pages.lock().unwrap().len(), 0, "{page}");
            world.assert_no_token_request(page);
        }
    }
}

/// Row 33: a correct login succeeds. Time is simulated.
#[tokio::test(start_paused = true)]
async fn a_person_can_log_in_at_another_device() {
    let world = World::new(Rules::default()).await;
    let (login, pages) = elsewhere();
    let client = connect(&world.server.url, login).await.unwrap();
    greet(&client).await.unwrap();
    assert_eq!(
        *pages.lock().unwrap(),
        [format!("{}/enter", world.issuer.url)]
    );
    for answer in ["access_denied", "expired_token"] {
        let world = World::hostile(Misbehaviour::DevicePolled(answer)).await;
        let (login, _pages) = elsewhere();
        let error = refused(&world.server.url, login).await;
        assert_why!(&error, answer, OAuthError::Denied { .. });
        assert_eq!(world.issuer.record.count("/token"), 1);
    }
}

/// Time is simulated.
#[tokio::test(start_paused = true)]
async fn a_login_at_another_device_outlasts_a_server_that_is_unavailable_for_a_moment() {
    for answer in [
        Answer::refusal(503, "temporarily_unavailable"),
        Answer::refusal(429, "too_many_requests"),
        Answer::new(200, "").body(AnswerBody::Never),
    ] {
        let world = World::new(Rules::default()).await;
        let case = format!("{answer:?}");
        world
            .issuer
            .set(Misbehaviour::AnswersOnce(Endpoint::Token, answer));
        let client = connect(&world.server.url, elsewhere().0).await.unwrap();
        greet(&client).await.unwrap();
        assert_eq!(world.issuer.record.count("/token"), 2, "{case}");
    }
}

/// Time is simulated.
#[tokio::test(start_paused = true)]
async fn a_client_that_is_unknown_where_a_login_starts_registers_again() {
    let world = World::new(Rules::default()).await;
    let store = MemoryStore::default();
    let refusal = Answer::refusal(400, "invalid_client");
    world
        .issuer
        .set(Misbehaviour::AnswersOnce(Endpoint::Device, refusal));
    let login = || elsewhere().0.store(store.clone());
    let error = refused(&world.server.url, login()).await;
    assert_why!(&error, "unknown", OAuthError::TokenRefused { .. });
    let client = connect(&world.server.url, login()).await.unwrap();
    greet(&client).await.unwrap();
    assert_eq!(world.issuer.record.count("/register"), 2);
}
