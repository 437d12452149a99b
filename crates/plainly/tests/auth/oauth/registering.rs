//! Clients that registered by themselves: their scopes, the reasons to register again, and the
//! tokens of the earlier registration.

use std::time::Duration;

use plainly::client::oauth::{FileStore, Loopback, OAuth, OAuthError, TokenStore as _};
use plainly_authorization::{ProtectedServer, Rules};
use serde_json::{Value, json};

use super::support::assert_why;
use super::support::{World, connect, greet, refused};

/// Returns the scopes of all registrations in order.
fn scopes(world: &World) -> Vec<Value> {
    let registered = world.issuer.record.at("/register");
    let bodies = registered.iter().map(|it| &it.body);
    let bodies = bodies.map(|it| serde_json::from_str::<Value>(it).unwrap());
    bodies.map(|it| it["scope"].clone()).collect()
}

#[tokio::test]
async fn a_client_that_is_to_ask_for_more_than_it_registered_for_registers_anew() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules::default()).await;
    world.server.need(&["read"]);
    world.server.need_to_call("write");
    // The server names its scopes one by one.
    let all = [Value::Null, json!("read"), json!("read write")];
    let store = || FileStore::new(directory.path());
    let login = world.person.login().store(store());
    let client = connect(&world.server.url, login).await.unwrap();
    greet(&client).await.unwrap();
    assert_eq!(scopes(&world), all);
    assert_eq!(world.person.visits(), all.len());

    // The client does not register again for fewer scopes.
    let kept = store().load().await.unwrap();
    assert_eq!((kept.registrations.len(), kept.grants.len()), (1, 1));
    world.issuer.revoke();
    let login = world.person.login().store(store()).scope(["read"]);
    connect(&world.server.url, login).await.unwrap();
    assert_eq!(scopes(&world).len(), all.len());
    assert_eq!(world.person.visits(), all.len() + 1);
}

#[tokio::test]
async fn what_the_client_before_was_given_elsewhere_is_still_renewed() {
    let directory = tempfile::tempdir().unwrap();
    let rules = Rules {
        methods: vec!["client_secret_post"],
        ..Rules::default()
    };
    let world = World::new(rules).await;
    let other = ProtectedServer::start(&world.issuer).await;
    world.server.need(&["one"]);
    other.need(&["other"]);
    let login = || world.person.login().store(FileStore::new(directory.path()));
    let clients = [
        connect(&world.server.url, login()).await.unwrap(),
        connect(&other.url, login()).await.unwrap(),
    ];
    let all = [Value::Null, json!("one"), json!("one other")];
    assert_eq!(scopes(&world), all);
    let visits = world.person.visits();
    world.issuer.expire();
    for client in &clients {
        greet(client).await.unwrap();
    }
    assert_eq!(world.issuer.tokens_for("refresh_token").len(), 2);
    assert_eq!(world.person.visits(), visits);
}

/// A login may time out because the authorization server shows an error page to an unknown client.
#[tokio::test]
async fn a_client_that_nobody_came_back_to_registers_anew() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::new(Rules::default()).await;
    let store = || FileStore::new(directory.path());
    let nobody = Loopback::new(|_| Ok(())).timeout(Duration::ZERO);
    let login = OAuth::new().consent(nobody).store(store());
    let error = refused(&world.server.url, login).await;
    assert_why!(error, "nobody", OAuthError::ConsentTimedOut { .. });
    let login = world.person.login().store(store());
    connect(&world.server.url, login).await.unwrap();
    assert_eq!(scopes(&world).len(), 2);
}
