//! The choices of a client between the offers of honest servers: the server, the scopes, and the
//! client id.

use plainly::client::oauth::credentials::{
    ClientAuthMethod, Credentials, Grant, GrantKey, Registration,
};
use plainly::client::oauth::{
    ClientId, FileStore, Loopback, MemoryStore, OAuth, OAuthError, Secret, TokenStore,
};
use plainly::errors::Revision;
use plainly_authorization::{
    Answer, AuthorizationServer, Binding, Endpoint, Misbehaviour, Rules, location,
};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::support::assert_why;
use super::support::{World, connect, greet, refused, why};

const OAUTH: &str = "/.well-known/oauth-authorization-server";

fn refuses(challenge: &str) -> Misbehaviour {
    Misbehaviour::Refuses(401, vec![challenge.to_owned()])
}

fn metadata(answer: Answer) -> Misbehaviour {
    Misbehaviour::Answers(Endpoint::Metadata, answer)
}

async fn keep(store: &impl TokenStore, change: impl FnOnce(&mut Credentials) + Send) {
    store.update(Box::new(change)).await.unwrap();
}

fn grant(issuer: &str, resource: &str, token: &str) -> Grant {
    let key = GrantKey::new(issuer, resource, "me");
    Grant::new(key, format!("{issuer}/token"), Secret::new(token))
}

/// 2025-03-26: a server without metadata is its own authorization server, if there is no other
/// evidence.
#[tokio::test]
async fn only_a_server_that_has_no_metadata_at_all_is_its_own_authorization_server() {
    let nothing = || Answer::new(404, "");
    let page = || Answer::new(200, "<!doctype html>");
    let named = "Bearer resource_metadata=\"http://127.0.0.1:1/\"";
    for (name, challenge, answer, falls_back, knows_another, expected) in [
        ("nothing", "Bearer", nothing(), true, false, [1, 1]),
        // It may have metadata as an authorization server, but its endpoints are not guessed.
        ("a page", "Bearer", page(), true, false, [1, 0]),
        (
            "it names its metadata",
            named,
            nothing(),
            true,
            false,
            [0, 0],
        ),
        ("no fallback", "Bearer", nothing(), false, false, [0, 0]),
        ("known elsewhere", "Bearer", nothing(), true, true, [0, 0]),
    ] {
        let world = World::behind(metadata(answer)).await;
        let challenge = challenge.replace("http://127.0.0.1:1/", &world.server.url);
        world.server.set(refuses(&challenge));
        let store = MemoryStore::default();
        if knows_another {
            let mut grant = grant(&world.issuer.url, &world.server.url, "ended");
            grant.expires_at = Some(1);
            keep(&store, |kept| kept.keep_grant(&world.server.url, grant)).await;
        }
        let login = world.person.login().store(store);
        let login = if falls_back {
            login
        } else {
            login.without_fallback()
        };
        let error = refused(&world.server.url, login).await;
        assert_why!(&error, name, OAuthError::NoAuthorizationServer { .. });
        let asked = [OAUTH, "/register"].map(|path| world.server.record.count(path));
        assert_eq!(asked, expected, "{name}");
        assert_eq!(world.issuer.record.total(), 0, "{name}");
    }
}

#[tokio::test]
async fn an_authorization_server_is_told_the_revision_of_the_protocol() {
    let world = World::new(Rules::default()).await;
    world.connect().await;
    let asked = world.issuer.record.at(OAUTH).remove(0);
    let revision = asked.header("mcp-protocol-version");
    assert_eq!(revision, Some(Revision::LATEST.as_str()));
}

#[tokio::test]
async fn of_several_authorization_servers_the_one_that_is_known_best_is_asked() {
    #[derive(Clone, Copy, Debug)]
    enum Knows {
        Nobody,
        Client,
        Grant,
    }
    use Knows::{Client, Grant, Nobody};
    for (first, second, expected) in [
        (Nobody, Nobody, 0),
        (Client, Client, 0),
        (Grant, Grant, 0),
        (Nobody, Client, 1),
        (Nobody, Grant, 1),
        (Client, Grant, 1),
        (Grant, Client, 0),
        (Client, Nobody, 0),
    ] {
        let world = World::new(Rules::default()).await;
        let other = AuthorizationServer::start(Rules::default()).await;
        let issuers = [world.issuer.url.clone(), other.url.clone()];
        let store = MemoryStore::default();
        for (issuer, knows) in issuers.iter().zip([first, second]) {
            keep(&store, |kept| match knows {
                Nobody => {}
                Client => kept.keep_registration(Registration::new(&**issuer, "me")),
                Grant => kept.keep_grant(issuer, grant(issuer, "https://a.example", "t")),
            })
            .await;
        }
        let members = json!({ "authorization_servers": issuers });
        world.server.set(Misbehaviour::Metadata(members));
        let login = world.person.login().store(store);
        // The server rejects the token of the other issuer, which does not matter here.
        drop(connect(&world.server.url, login).await);
        let asked = world.person.last().issuer;
        assert_eq!(asked, issuers[expected], "{first:?} {second:?}");
    }
}

/// RFC 9449, 5.1: a token is bound to a key only if both the server and its issuer support that.
#[tokio::test]
async fn a_token_is_bound_where_the_server_takes_that_and_its_issuer_can() {
    let (plain, dpop) = ("Bearer", "DPoP algs=\"ES256\"");
    let taken = || json!({ "dpop_signing_alg_values_supported": ["ES256"] });
    let required = || json!({ "dpop_bound_access_tokens_required": true });
    let empty = || json!({ "dpop_signing_alg_values_supported": [] });
    for (name, challenge, server, issuer, is_bound) in [
        ("nobody", plain, json!({}), json!({}), false),
        ("the issuer alone", plain, json!({}), taken(), false),
        ("required", plain, required(), taken(), true),
        ("taken", plain, taken(), taken(), true),
        ("an empty list", plain, empty(), taken(), false),
        ("by its challenge", dpop, json!({}), taken(), true),
        ("the server alone", dpop, required(), json!({}), false),
        ("by what we can't sign", dpop, taken(), other(), false),
    ] {
        let world = World::behind(refuses(challenge)).await;
        world.server.set(Misbehaviour::Metadata(server));
        world.issuer.set(Misbehaviour::Metadata(issuer));
        world.refused().await;
        let asked = world.issuer.record.at("/authorize").remove(0);
        assert_eq!(asked.parameter("dpop_jkt").is_some(), is_bound, "{name}");
        let asked = world.issuer.tokens_for("authorization_code").remove(0);
        assert_eq!(asked.header("dpop").is_some(), is_bound, "{name}");
    }
}

/// Returns the metadata of an issuer that supports none of the client's algorithms.
fn other() -> Value {
    json!({ "dpop_signing_alg_values_supported": ["RS256"] })
}

/// OpenID Connect Core, 11.
#[tokio::test]
async fn tokens_that_last_are_asked_for_where_there_are_such() {
    for (scopes, expected, prompt) in [
        (vec![], "a", None),
        (vec!["a", "b"], "a", None),
        (vec!["offline_access"], "a offline_access", Some("consent")),
    ] {
        let world = World::new(Rules {
            scopes,
            ..Rules::default()
        })
        .await;
        let members = json!({ "scopes_supported": ["a"] });
        world.server.set(Misbehaviour::Metadata(members));
        greet(&world.connect().await).await.unwrap();
        let asked = world.issuer.record.at("/authorize").remove(0);
        assert_eq!(asked.parameter("scope").as_deref(), Some(expected));
        assert_eq!(asked.parameter("prompt").as_deref(), prompt, "{expected}");
    }
}

#[tokio::test]
async fn a_client_that_its_server_forgot_registers_again_and_no_other_does() {
    for (error, registrations) in [("invalid_client", 2), ("invalid_grant", 1)] {
        let world = World::new(Rules::default()).await;
        let directory = tempfile::tempdir().unwrap();
        let login = || {
            let store = FileStore::new(directory.path());
            world.person.login().store(store)
        };
        let refusal = Answer::refusal(400, error);
        world
            .issuer
            .set(Misbehaviour::AnswersOnce(Endpoint::Token, refusal));
        let refused = refused(&world.server.url, login()).await;
        assert_why!(&refused, error, OAuthError::TokenRefused { .. });
        let client = connect(&world.server.url, login()).await.unwrap();
        greet(&client).await.unwrap();
        let registered = world.issuer.record.count("/register");
        assert_eq!(registered, registrations, "{error}");
    }
}

#[tokio::test]
async fn a_token_that_another_got_is_used_unless_it_has_ended() {
    for (ends, is_used) in [(None, true), (Some(u64::MAX), true), (Some(1), false)] {
        let world = World::new(Rules::default()).await;
        let store = MemoryStore::default();
        let mut grant = grant(&world.issuer.url, &world.server.url, "kept-token");
        grant.expires_at = ends;
        keep(&store, |kept| kept.grants.push(grant)).await;
        let login = world.person.login().store(store);
        let client = connect(&world.server.url, login).await.unwrap();
        greet(&client).await.unwrap();
        assert_eq!(world.server.record.has("kept-token"), is_used, "{ends:?}");
        assert_eq!(world.person.visits(), 1, "{ends:?}");
    }
}

/// The user is asked only if a login can satisfy the challenge.
#[tokio::test]
async fn a_person_is_asked_only_for_what_a_login_gives() {
    let (lacking, other) = (
        "Bearer error=\"insufficient_scope\", scope=\"a\"",
        "Bearer error=\"invalid_request\"",
    );
    for (status, challenges, visits) in [
        (401, &["Bearer"][..], 1),
        (401, &[], 1),
        (401, &["Basic realm=\"x\""], 0),
        (401, &["Basic realm=\"x\"", "Bearer"], 1),
        (403, &[lacking], 1),
        (403, &["Bearer scope=\"a\""], 0),
        (403, &[other], 0),
        (403, &[], 0),
    ] {
        let all = challenges.iter().map(|&it| it.to_owned()).collect();
        let world = World::behind(Misbehaviour::Refuses(status, all)).await;
        let connected = connect(&world.server.url, world.person.login()).await;
        let told = connected.expect_err("it was let in");
        assert_eq!(world.person.visits(), visits, "{challenges:?}: {told}");
    }
}

/// 2026-07-28, "Authorization Server Binding", for a client whose program does not name its issuer.
#[tokio::test]
#[expect(clippy::too_many_lines, reason = "it is a table")]
async fn a_client_belongs_where_its_secret_is_kept_or_where_it_was_let_in_here() {
    let mine = || ClientId::new("me").secret("s");
    let registration = |id: &str, secret: Option<&str>| {
        let mut registration = Registration::new("https://as.example", id);
        registration.client_secret = secret.map(Secret::new);
        registration
    };
    let let_in = |id: &str| GrantKey::new("https://as.example", "https://a.example", id);
    for (name, client, registration, let_in, is_bound) in [
        ("unknown", mine(), None, None, false),
        (
            "by its secret",
            mine(),
            Some(registration("me", Some("s"))),
            None,
            true,
        ),
        (
            "another secret",
            mine(),
            Some(registration("me", Some("t"))),
            None,
            false,
        ),
        (
            "another client's",
            mine(),
            Some(registration("you", Some("s"))),
            None,
            false,
        ),
        (
            "no secret",
            ClientId::new("me"),
            Some(registration("me", None)),
            None,
            false,
        ),
        (
            "let in here",
            ClientId::new("me"),
            None,
            Some(let_in("me")),
            true,
        ),
        (
            "another let in",
            ClientId::new("me"),
            None,
            Some(let_in("you")),
            false,
        ),
    ] {
        let world = World::new(Rules::default()).await;
        let store = MemoryStore::default();
        keep(&store, |kept| {
            kept.registrations.extend(registration);
            let let_in = let_in.map(|key| (world.server.url.clone(), key));
            kept.servers.extend(let_in);
        })
        .await;
        let login = world.person.login().store(store).client(client);
        let connected = connect(&world.server.url, login).await;
        let why = connected.err().map(|error| why(&error));
        let is_refused = matches!(why, Some(OAuthError::ClientOfAnotherIssuer { .. }));
        assert_eq!(is_refused, is_bound, "{name}: {why:?}");
        assert_eq!(world.person.visits(), usize::from(!is_bound), "{name}");
    }
}

/// A token of another client of the same user is not used, whether or not it is stored as the token
/// for this server.
#[tokio::test]
async fn a_token_of_another_client_is_not_used() {
    for (id, is_of_here, is_used) in [
        ("me", false, true),
        ("me", true, true),
        ("you", false, false),
        ("you", true, false),
    ] {
        let world = World::new(Rules::default()).await;
        let store = MemoryStore::default();
        let grant = grant(&world.issuer.url, &world.server.url, "kept-token");
        keep(&store, |kept| match is_of_here {
            true => kept.keep_grant(&world.server.url, grant),
            false => kept.grants.push(grant),
        })
        .await;
        let login = world.person.login().store(store).client(ClientId::new(id));
        drop(connect(&world.server.url, login).await);
        let was_used = world.server.record.has("kept-token");
        assert_eq!(was_used, is_used, "{id} {is_of_here}");
    }
}

#[tokio::test]
async fn a_token_is_renewed_for_the_server_that_it_is_for() {
    let world = World::new(Rules::default()).await;
    let client = world.connect().await;
    world.issuer.expire();
    greet(&client).await.unwrap();
    let renewed = world.issuer.tokens_for("refresh_token").remove(0);
    assert_eq!(
        renewed.parameter("resource"),
        Some(world.server.url.clone())
    );
}

/// Some authorization servers accept `localhost` in a redirect URI, and no loopback address.
#[tokio::test]
async fn a_registration_is_tried_again_for_another_redirect_and_for_nothing_else() {
    for (error, is_let_in) in [
        ("invalid_redirect_uri", true),
        ("invalid_client_metadata", false),
    ] {
        let world = World::new(Rules::default()).await;
        let refusal = Answer::refusal(400, error);
        world
            .issuer
            .set(Misbehaviour::AnswersOnce(Endpoint::Registration, refusal));
        let connected = connect(&world.server.url, world.person.login()).await;
        assert_eq!(connected.is_ok(), is_let_in, "{error}");
        let asked = world.issuer.record.count("/register");
        assert_eq!(asked, 1 + usize::from(is_let_in), "{error}");
    }
}

#[tokio::test]
async fn a_client_that_is_forgotten_at_a_renewal_registers_again() {
    for (error, registrations) in [("invalid_client", 2), ("invalid_grant", 1)] {
        let world = World::new(Rules::default()).await;
        let client = world.connect().await;
        let refusal = Answer::refusal(400, error);
        world.issuer.expire();
        world
            .issuer
            .set(Misbehaviour::AnswersOnce(Endpoint::Token, refusal));
        greet(&client).await.unwrap();
        let registered = world.issuer.record.count("/register");
        let visits = world.person.visits();
        assert_eq!((registered, visits), (registrations, 2), "{error}");
    }
}

/// The client that a token was issued to renews it, with the secret that the program has now.
#[tokio::test]
async fn a_renewal_is_of_the_client_that_the_token_was_given_to() {
    // These are `me:kept` and `me:new` in Base64.
    let (kept, new) = ("Basic bWU6a2VwdA==", "Basic bWU6bmV3");
    let given = || ClientId::new("me").secret("new");
    for (client, is_here, expected) in [
        (None, false, kept),
        (Some(given()), false, new),
        (Some(given()), true, new),
    ] {
        let world = World::new(Rules::default()).await;
        let registration = |issuer: &str, id: &str, secret: &str| {
            let mut registration = Registration::new(issuer, id);
            registration.client_secret = Some(Secret::new(secret));
            registration.method = ClientAuthMethod::Basic;
            registration
        };
        let store = MemoryStore::default();
        let mut grant = grant(&world.issuer.url, &world.server.url, "ended");
        grant.expires_at = Some(1);
        grant.refresh_token = Some(Secret::new("refresh"));
        keep(&store, |it| {
            it.keep_registration(registration("https://other.example", "me", "other"));
            it.keep_registration(registration(&world.issuer.url, "me", "kept"));
            it.keep_grant(&world.server.url, grant);
        })
        .await;
        let login = world.person.login().store(store);
        let login = match client {
            Some(client) if is_here => login.client(client.issuer(&*world.issuer.url)),
            Some(client) => login.client(client),
            None => login,
        };
        drop(connect(&world.server.url, login).await);
        let renewed = world.issuer.tokens_for("refresh_token").remove(0);
        assert_eq!(renewed.header("authorization"), Some(expected));
    }
}

#[tokio::test]
async fn a_token_is_asked_for_again_only_with_a_nonce_that_was_wanted_and_given() {
    for (binding, error, nonce, requests) in [
        (Binding::Dpop, "use_dpop_nonce", Some("n"), 2),
        (Binding::Dpop, "use_dpop_nonce", None, 1),
        (Binding::Dpop, "invalid_request", Some("n"), 1),
        (Binding::Bearer, "use_dpop_nonce", Some("n"), 1),
    ] {
        let world = World::new(Rules {
            binding,
            ..Rules::default()
        })
        .await;
        let refusal = Answer::refusal(400, error);
        let refusal = match nonce {
            Some(nonce) => refusal.with("dpop-nonce", nonce),
            None => refusal,
        };
        world
            .issuer
            .set(Misbehaviour::AnswersOnce(Endpoint::Token, refusal));
        let connected = connect(&world.server.url, world.person.login()).await;
        let asked = world.issuer.record.count("/token");
        assert_eq!(asked, requests, "{binding:?} {error} {nonce:?}");
        assert_eq!(connected.is_ok(), requests == 2, "{error} {nonce:?}");
    }
}

#[tokio::test]
async fn a_token_that_is_kept_is_used_at_once() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules::default()).await;
    let login = || world.person.login().store(FileStore::new(directory.path()));
    greet(&connect(&world.server.url, login()).await.unwrap())
        .await
        .unwrap();
    world.issuer.record.clear();
    world.server.record.clear();
    greet(&connect(&world.server.url, login()).await.unwrap())
        .await
        .unwrap();
    assert_eq!(world.issuer.record.total(), 0);
    let requests = world.server.record.all();
    assert!(
        requests
            .iter()
            .all(|it| it.header("authorization").is_some())
    );
}

#[tokio::test]
async fn a_token_that_has_ended_and_can_never_be_renewed_is_not_sent() {
    let store = MemoryStore::default();
    let world = World::new(Rules::default()).await;
    let login = || world.person.login().store(store.clone());
    login().log_in(&world.server.url).await.unwrap();
    keep(&store, |kept| {
        let grant = &mut kept.grants[0];
        (grant.expires_at, grant.renew_at) = (Some(1), Some(1));
    })
    .await;
    let refusal = Answer::refusal(400, "invalid_grant");
    world
        .issuer
        .set(Misbehaviour::AnswersOnce(Endpoint::Token, refusal));
    connect(&world.server.url, login()).await.unwrap();
    assert_eq!(world.person.visits(), 2);
}

/// A token is renewed even if the metadata can't be read, but not if they are those of another
/// server.
#[tokio::test]
async fn nothing_is_renewed_for_a_server_that_says_that_it_is_another() {
    let world = World::new(Rules::default()).await;
    let client = world.connect().await;
    let members = json!({ "resource": "https://other.example/mcp" });
    world.server.set(Misbehaviour::Metadata(members));
    world.issuer.expire();
    let error = why(&greet(&client).await.unwrap_err());
    assert_why!(&error, "another", OAuthError::ResourceMismatch { .. });
    assert_eq!(world.issuer.tokens_for("refresh_token").len(), 0);
}

#[tokio::test]
async fn rights_that_another_client_has_got_are_not_asked_for_again() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules::default()).await;
    let login = || world.person.login().store(FileStore::new(directory.path()));
    let one = connect(&world.server.url, login()).await.unwrap();
    let other = connect(&world.server.url, login()).await.unwrap();
    assert_eq!(world.person.visits(), 1);
    for (scope, visits) in [("a", 2), ("b", 3)] {
        world.server.need_to_call(scope);
        greet(&other).await.unwrap();
        assert_eq!(world.person.visits(), visits, "{scope}");
        greet(&one).await.unwrap();
        assert_eq!(world.person.visits(), visits, "{scope}");
    }
}

#[tokio::test]
async fn a_client_whose_port_is_taken_registers_another_where_it_can() {
    for can in [true, false] {
        let world = World::new(Rules {
            registers: can,
            ..Rules::default()
        })
        .await;
        let taken = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let redirect = format!("http://{}/callback", taken.local_addr().unwrap());
        let mut registration = Registration::new(&*world.issuer.url, "kept");
        registration.redirect_uri = Some(redirect);
        let store = MemoryStore::default();
        keep(&store, |kept| kept.keep_registration(registration)).await;
        let browser = Loopback::new(|page| {
            let url = page.url.to_owned();
            tokio::spawn(async move { drop(location(&location(&url).await.unwrap()).await) });
            Ok(())
        });
        let login = OAuth::new().consent(browser).store(store);
        let connected = connect(&world.server.url, login).await;
        let registered = world.issuer.record.count("/register");
        assert_eq!((connected.is_ok(), registered), (can, usize::from(can)));
        let why = connected.err().map(|error| why(&error));
        let is_unknown = matches!(why, Some(OAuthError::NoClientId { .. }));
        assert!(!is_unknown, "{why:?}");
    }
}
