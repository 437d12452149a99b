//! The servers that a client sends its secrets to: rows 18, 28, 29, 30 and 34. The tests of the
//! HTTP client check, for every authorizer, that no token follows an `endpoint` event or is sent
//! over the network in plain text (row 28).

use std::future::ready;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use plainly::client::oauth::{ClientId, FileStore, OAuth, OAuthError, Secret};
use plainly_authorization::{
    Answer, AuthorizationServer, Endpoint, KnownClient, Misbehaviour, Proof, ProtectedServer, Rules,
};
use serde_json::json;

use super::support::assert_why;
use super::support::{Person, World, connect, greet, refused, why};

const SECRET: &str = "planted-client-secret";

fn known() -> Rules {
    Rules {
        registers: false,
        clients: vec![KnownClient {
            id: "batch-client",
            proof: Proof::Basic(SECRET.to_owned()),
        }],
        methods: vec!["client_secret_basic"],
        ..Rules::default()
    }
}

/// Row 28.
#[tokio::test]
async fn a_call_with_a_token_follows_no_redirect() {
    let attacker = AuthorizationServer::start(Rules::default()).await;
    for status in [301, 302, 303, 307, 308] {
        let world = World::new(Rules::default()).await;
        let client = world.connect().await;
        let away = Answer::redirect(status, &format!("{}/mcp", attacker.url));
        world
            .server
            .set(Misbehaviour::Answers(Endpoint::Server, away));
        let error = greet(&client).await.unwrap_err();
        assert_eq!(error.http_status(), Some(status), "{error}");
    }
    assert_eq!(attacker.record.total(), 0);
}

/// Row 29.
#[tokio::test]
async fn a_token_is_for_one_server_alone() {
    let directory = tempfile::tempdir().unwrap();
    let store = || FileStore::new(directory.path());
    let world = World::new(Rules::default()).await;
    let other = ProtectedServer::at(&world.issuer, "/other").await;
    let login = world.person.login().store(store());
    let client = connect(&world.server.url, login).await.unwrap();
    greet(&client).await.unwrap();
    let first = world.server.record.all().pop().unwrap();
    let first = first.header("authorization").unwrap().to_owned();
    // The other server claims to be the first one, so it is not the server that was called.
    other.set(Misbehaviour::Metadata(
        json!({ "resource": world.server.url }),
    ));
    let login = world.person.login().store(store());
    let error = refused(&other.url, login).await;
    assert_why!(&error, "claimed", OAuthError::ResourceMismatch { .. });
    other.behave();
    let login = world.person.login().store(store());
    let client = connect(&other.url, login).await.unwrap();
    greet(&client).await.unwrap();
    assert!(!other.record.has(&first), "{first}");
    assert_eq!(world.person.visits(), 2);
    assert_eq!(world.issuer.record.count("/register"), 1);
    assert_eq!(world.issuer.tokens_for("refresh_token").len(), 0);
}

/// Row 29, for servers on the same host and port, which differ by their paths.
#[tokio::test]
async fn a_token_is_not_for_the_server_at_another_path() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules::default()).await;
    let login = || {
        let store = FileStore::new(directory.path());
        world.person.login().store(store)
    };
    let client = connect(&world.server.url, login()).await.unwrap();
    greet(&client).await.unwrap();
    let first = world.server.record.all().pop().unwrap();
    let first = first.header("authorization").unwrap().to_owned();
    for (visits, path) in [(2, "-evil"), (3, "/deeper")] {
        world.server.record.clear();
        let url = format!("{}{path}", world.server.url);
        let client = connect(&url, login()).await.unwrap();
        greet(&client).await.unwrap();
        assert!(!world.server.record.has(&first), "{path}");
        assert_eq!(world.person.visits(), visits, "{path}");
    }
}

/// Row 34, for a client that names its issuer: other servers learn nothing, not even that the
/// client exists.
#[tokio::test]
async fn what_proves_a_client_is_told_its_own_authorization_server_alone() {
    let attacker = World::new(known()).await;
    let own = AuthorizationServer::start(known()).await;
    let client = || {
        ClientId::new("batch-client")
            .issuer(&*own.url)
            .secret(SECRET)
    };
    let asked = Arc::new(AtomicUsize::new(0));
    let source = || {
        let asked = Arc::clone(&asked);
        move || {
            asked.fetch_add(1, Ordering::SeqCst);
            ready(Ok::<_, io::Error>(Secret::new("planted-assertion")))
        }
    };
    for (name, oauth) in [
        ("client credentials", OAuth::client_credentials(client())),
        ("workload", OAuth::workload(client(), source())),
        ("login", attacker.person.login().client(client())),
    ] {
        let error = refused(&attacker.server.url, oauth).await;
        assert_why!(&error, name, OAuthError::ClientOfAnotherIssuer { expected, got, .. }
            if *expected == own.url && *got == attacker.issuer.url);
        attacker.assert_no_login(name);
    }
    assert!(!attacker.issuer.record.has("batch-client"));
    assert!(!attacker.issuer.record.has("planted"));
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    assert_eq!(own.record.total(), 0);
}

/// Rows 18 and 34, for a client that does not name its issuer: its issuer is the first one that it
/// meets.
#[tokio::test]
async fn a_client_is_bound_to_the_first_authorization_server_that_it_meets() {
    for is_login in [true, false] {
        let world = World::new(known()).await;
        let attacker = AuthorizationServer::start(known()).await;
        let client = ClientId::new("batch-client").secret(SECRET);
        let oauth = match is_login {
            true => world.person.login().client(client),
            false => OAuth::client_credentials(client),
        };
        let client = connect(&world.server.url, oauth).await.unwrap();
        greet(&client).await.unwrap();
        world.server.migrate(&attacker);
        let error = why(&greet(&client).await.unwrap_err());
        assert_why!(&error, is_login, OAuthError::ClientOfAnotherIssuer { .. });
        for path in ["/authorize", "/token", "/register"] {
            assert_eq!(attacker.record.count(path), 0, "{path}");
        }
    }
}

/// Row 18: the binding also holds in the next process, which shares the store.
#[tokio::test]
async fn a_client_stays_bound_as_long_as_what_it_was_given_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let login = |person: &Person| {
        let client = ClientId::new("batch-client").secret(SECRET);
        person
            .login()
            .client(client)
            .store(FileStore::new(directory.path()))
    };
    let world = World::new(known()).await;
    let attacker = AuthorizationServer::start(known()).await;
    let client = connect(&world.server.url, login(&world.person))
        .await
        .unwrap();
    greet(&client).await.unwrap();
    drop(client);
    world.server.migrate(&attacker);
    let error = refused(&world.server.url, login(&world.person)).await;
    assert_why!(&error, "later", OAuthError::ClientOfAnotherIssuer { .. });
    assert!(!attacker.record.has("batch-client"));
    assert_eq!(attacker.record.count("/token"), 0);
}
