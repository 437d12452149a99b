//! Subscriptions to collections and everything below them, in all revisions.

use plainly::server::Server;
use plainly_peer::Peer;
use plainly_peer::message::{LEGACY, MODERN, initialize, modern};
use serde_json::{Value, json};

use super::legacy::{done, subscribe, unsubscribe};
use super::support::{NOTHING, Source, listen, server};

/// Subscribes a new client to everything below `uri`.
async fn subscribed(server: &Server, revision: &str, uri: &str) -> Peer {
    let mut peer = Peer::connect(server);
    let mut request = match revision {
        MODERN => listen(1, &json!({"resourceSubscriptions": [uri]})),
        _ => subscribe(1, uri),
    };
    request["params"]["_meta"]["dev.plainly/recursive"] = json!(true);
    if revision == MODERN {
        let told = peer.ask(&request).await;
        assert_eq!(
            told["params"]["notifications"]["resourceSubscriptions"],
            json!([uri])
        );
    } else {
        peer.ask(&initialize(revision)).await;
        assert_eq!(peer.ask(&request).await, done(1), "{revision}");
    }
    peer
}

async fn told(peer: &mut Peer) -> Value {
    peer.next().await["params"]["uri"].take()
}

#[tokio::test]
async fn what_is_below_a_collection_is_told_by_its_own_uri() {
    for revision in LEGACY.into_iter().chain([MODERN]) {
        let source = Source::new();
        let server = server(&source);
        // The second URI is another spelling of the first.
        for uri in ["db://1", "DB://1/"] {
            let mut peer = subscribed(&server, revision, uri).await;
            source.updated("db://12");
            source.updated("db://2/1");
            for below in ["db://1/a", "db://1/a/b"] {
                source.updated(below);
                assert_eq!(told(&mut peer).await, below, "{revision}");
            }
            source.moved("db://1/c");
            assert_eq!(told(&mut peer).await, "db://1/c", "{revision}");
            source.moved("db://");
            assert_eq!(told(&mut peer).await, uri, "{revision}");
            assert_eq!(peer.so_far().await, NOTHING, "{revision}");
        }
    }
}

#[tokio::test]
async fn a_session_hears_no_more_of_it_than_it_last_asked_for() {
    let source = Source::new();
    let server = server(&source);
    for again in [subscribe(2, "db://1"), unsubscribe(2, "db://1")] {
        let mut peer = subscribed(&server, "2025-11-25", "db://1").await;
        assert_eq!(peer.ask(&again).await, done(2));
        source.updated("db://1/a");
        assert_eq!(peer.so_far().await, NOTHING);
    }
}

#[tokio::test]
async fn it_is_declared_where_it_is_told() {
    let (source, blind) = (Source::new(), Source::blind());
    for (source, is_extended, is_told) in [
        (&source, true, true),
        (&source, false, false),
        (&blind, true, false),
    ] {
        let builder = Server::builder("test", "1").store(source.clone());
        let server = builder.resource_extensions(is_extended).build().unwrap();
        let mut peer = Peer::connect(&server);
        let found = peer.ask(&modern(1, "server/discover", json!({}))).await;
        let settings = &found["result"]["capabilities"]["extensions"]["dev.plainly/resources"];
        assert_eq!(settings["recursive"] == true, is_told, "{settings}");
    }
    let builder = Server::builder("test", "1").store(source.clone());
    let server = builder.resource_extensions(false).build().unwrap();
    let mut peer = subscribed(&server, MODERN, "db://1").await;
    source.updated("db://1/a");
    assert_eq!(peer.so_far().await, NOTHING);
}
