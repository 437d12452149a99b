//! `subscriptions/listen` over a byte stream.

use plainly_peer::table::cases;
use std::sync::atomic::{AtomicBool, Ordering};

use plainly::protocol::types::{Resource, ResourceContents};
use plainly::server::{Changes, Server, SubscribedResources};
use plainly::store::{ListQuery, Page, Store, StoreError, Watch};
use plainly_peer::Peer;
use plainly_peer::message::{modern, notification};
use serde_json::{Value, json};

use super::support::{
    ID, NOTHING, Source, acknowledged, changed, ended, limited, listen, server, telling, updated,
};

#[tokio::test]
async fn first_comes_the_acknowledgement_of_what_will_be_told() {
    let source = Source::new();
    let mut peer = Peer::connect(&server(&source));
    let cases = cases::<(Value, Value)>(include_str!("modern.txt"), "what will be told");
    for (id, (asked, told)) in cases.into_iter().enumerate() {
        let first = peer.ask(&listen(id, &asked)).await;
        assert_eq!(first, acknowledged(id, &told), "{asked}");
    }
}

#[tokio::test]
async fn what_was_not_asked_for_is_not_told() {
    let source = Source::new();
    let mut peer = Peer::connect(&server(&source));
    peer.ask(&listen(
        "one",
        &json!({"resourceSubscriptions": ["db://1"]}),
    ))
    .await;
    peer.ask(&listen(2, &json!({"resourcesListChanged": true})))
        .await;
    assert_eq!(source.watchers(), 1);
    source.updated("db://2");
    source.updated("db://1");
    assert_eq!(peer.next().await, updated("one", "db://1"));
    source.listed();
    assert_eq!(peer.next().await, changed(2, "resources"));
    assert_eq!(peer.so_far().await, NOTHING);
}

#[tokio::test]
async fn each_of_several_subscriptions_hears_for_itself() {
    let source = Source::new();
    let mut peer = Peer::connect(&server(&source));
    let asked = json!({"resourceSubscriptions": ["db://1"]});
    for id in [json!(1), json!("1")] {
        peer.ask(&listen(id, &asked)).await;
    }
    source.updated("db://1");
    let mut told = [peer.next().await, peer.next().await];
    told.sort_by_key(|message| message["params"]["_meta"][ID].is_string());
    assert_eq!(told, [updated(1, "db://1"), updated("1", "db://1")]);
}

#[tokio::test]
async fn requests_are_served_while_somebody_listens() {
    let mut peer = Peer::connect(&server(&Source::new()));
    peer.ask(&listen(1, &json!({"resourcesListChanged": true})))
        .await;
    let reply = peer
        .ask(&modern(2, "tools/call", json!({"name": "hello"})))
        .await;
    assert_eq!(reply["result"]["content"][0]["text"], "Hello!");
    let taken = peer
        .ask(&modern(1, "tools/call", json!({"name": "hello"})))
        .await;
    assert_eq!(taken["error"]["data"]["kind"], "duplicate_id");
}

#[tokio::test]
async fn what_changes_often_is_told_once() {
    let source = Source::new();
    let mut peer = Peer::with_room(&server(&source), 256);
    let asked =
        json!({"resourcesListChanged": true, "resourceSubscriptions": ["db://1", "db://2"]});
    peer.ask(&listen(1, &asked)).await;
    for _ in 0..1_000 {
        source.updated("db://1");
        source.listed();
        source.updated("db://2");
    }
    // The client does not read meanwhile.
    for _ in 0..10_000 {
        tokio::task::yield_now().await;
    }
    let mut missing = vec![
        updated(1, "db://1"),
        updated(1, "db://2"),
        changed(1, "resources"),
    ];
    let mut told = 0;
    while !missing.is_empty() {
        let message = peer.next().await;
        missing.retain(|expected| *expected != message);
        told += 1;
    }
    told += peer.so_far().await.len();
    assert!((3..20).contains(&told), "{told} messages");
}

#[tokio::test]
async fn nothing_is_said_after_a_cancellation() {
    let source = Source::new();
    let mut peer = Peer::connect(&server(&source));
    let asked = json!({"resourceSubscriptions": ["db://1"]});
    peer.ask(&listen(1, &asked)).await;
    peer.ask(&listen("1", &asked)).await;
    peer.send(&notification("cancelled", json!({"requestId": 1})))
        .await;
    assert_eq!(peer.so_far().await, NOTHING);
    source.updated("db://1");
    assert_eq!(peer.next().await, updated("1", "db://1"));
    assert_eq!(peer.so_far().await, NOTHING);
    // The id can be used again.
    assert_eq!(peer.ask(&listen(1, &asked)).await, acknowledged(1, &asked));
    for id in [json!(1), json!("1")] {
        peer.send(&notification("cancelled", json!({"requestId": id})))
            .await;
    }
    source.watched_by(0).await;
    peer.stop();
    assert_eq!(peer.rest().await, NOTHING);
}

#[tokio::test]
async fn one_cancelled_in_the_same_breath_says_nothing_at_all() {
    let mut peer = Peer::connect(&server(&Source::new()));
    let asked = listen(1, &json!({"resourcesListChanged": true}));
    let cancel = notification("cancelled", json!({"requestId": 1}));
    peer.send_all([&asked, &cancel]).await;
    assert_eq!(peer.so_far().await, NOTHING);
}

#[tokio::test]
async fn a_server_that_stops_says_so_to_each_once() {
    let source = Source::new();
    for stops in [true, false] {
        let mut peer = Peer::connect(&server(&source));
        for id in 1..=3 {
            peer.ask(&listen(id, &json!({"resourcesListChanged": true})))
                .await;
        }
        if stops {
            peer.stop();
        } else {
            peer.finish().await;
        }
        let mut rest = peer.rest().await;
        rest.sort_by_key(|message| message["id"].as_u64());
        assert_eq!(rest, [ended(1), ended(2), ended(3)]);
        peer.served().await.unwrap();
        source.watched_by(0).await;
    }
}

#[tokio::test]
async fn what_has_ended_leaves_its_id_and_its_place() {
    let server = limited(&Source::new(), |limits| {
        limits.subscriptions.per_connection = 1
    });
    let mut peer = Peer::connect(&server);
    let asked = json!({"resourcesListChanged": true});
    peer.ask(&listen(1, &asked)).await;
    server.end_subscriptions();
    assert_eq!(peer.next().await, ended(1));
    let reply = peer.ask(&modern(1, "resources/list", json!({}))).await;
    assert_eq!((&reply["id"], &reply["error"]), (&json!(1), &json!(null)));
}

#[tokio::test]
async fn whatever_the_id_it_is_listened_or_refused() {
    let server = server(&Source::new());
    let long = format!(r#""{}""#, "x".repeat(1 << 20));
    let ids = [
        r#""\ud800""#,
        r#""\ud83d\ude00""#,
        r#""\u0000\n""#,
        r#""\udc00\ud800""#,
        "9223372036854775807",
        "9223372036854775808",
        &"9".repeat(400),
        "1e400",
        "-0",
        "1.0",
        "null",
        &long,
    ];
    for id in ids {
        let mut peer = Peer::connect(&server);
        let asked = json!({"resourcesListChanged": true});
        let listen = listen("THE ID", &asked).to_string();
        peer.write(listen.replace("\"THE ID\"", id) + "\n").await;
        peer.finish().await;
        let replies = peer.rest().await;
        let is_served = replies.iter().any(|reply| reply["result"].is_object());
        let is_refused = replies.iter().any(|reply| reply["error"].is_object());
        assert!(is_served != is_refused, "{id:.20}: {replies:?}");
        peer.served().await.unwrap();
    }
}

#[tokio::test]
async fn one_that_ends_before_it_has_begun_has_begun_first() {
    let server = server(&Source::new());
    let mut peer = Peer::connect(&server);
    let asked = json!({"resourcesListChanged": true});
    peer.send(&listen(1, &asked)).await;
    peer.finish().await;
    assert_eq!(peer.rest().await, [acknowledged(1, &asked), ended(1)]);
}

#[tokio::test]
async fn stores_are_watched_while_somebody_is_told_of_resources() {
    let source = Source::new();
    let server = server(&source);
    assert_eq!(source.watchers(), 0);
    let mut first = Peer::connect(&server);
    first
        .ask(&listen(1, &json!({"toolsListChanged": true})))
        .await;
    assert_eq!(source.watchers(), 0);
    first
        .ask(&listen(2, &json!({"resourcesListChanged": true})))
        .await;
    let mut second = Peer::connect(&server);
    second
        .ask(&listen(1, &json!({"resourceSubscriptions": ["db://1"]})))
        .await;
    assert_eq!(source.watchers(), 1);
    drop(first);
    assert_eq!(second.so_far().await, NOTHING);
    assert_eq!(source.watchers(), 1);
    drop(second);
    source.watched_by(0).await;
}

#[tokio::test]
async fn there_is_room_for_so_many() {
    let source = Source::new();
    let server = limited(&source, |limits| {
        limits.subscriptions.open = 3;
        limits.subscriptions.per_connection = 2;
        limits.subscriptions.uris = 2;
        limits.subscriptions.uri_bytes = 15;
        limits.uri_bytes = 10;
        limits.requests_per_connection = 0;
    });
    let mut peer = Peer::connect(&server);
    for (uris, code) in [
        (json!(["db://12345", "db://1"]), -32602),
        (json!(["db://1", "db://2", "db://3"]), -32602),
        (json!(["db://678901"]), -32602),
    ] {
        let refused = peer
            .ask(&listen(0, &json!({"resourceSubscriptions": uris})))
            .await;
        assert_eq!(refused["error"]["code"], code, "{refused}");
        assert_eq!(refused["id"], 0);
    }
    let asked = json!({"resourceSubscriptions": ["db://1", "db://2"]});
    for id in 1..=2 {
        let found = peer.ask(&listen(id, &asked)).await;
        assert_eq!(found, acknowledged(id, &asked));
    }
    let third = peer.ask(&listen(3, &asked)).await;
    assert_eq!(third["error"]["data"]["kind"], "overloaded", "{third}");
    let mut other = Peer::connect(&server);
    assert_eq!(other.ask(&listen(1, &asked)).await, acknowledged(1, &asked));
    let fourth = other.ask(&listen(2, &asked)).await;
    assert_eq!(fourth["error"]["data"]["kind"], "overloaded", "{fourth}");
    drop(peer);
    source.watched_by(1).await;
    assert_eq!(other.ask(&listen(2, &asked)).await, acknowledged(2, &asked));
}

#[tokio::test]
async fn wrong_parameters_are_told_as_such() {
    let mut peer = Peer::connect(&server(&Source::new()));
    for params in [
        json!({}),
        json!({"notifications": []}),
        json!({"notifications": {"toolsListChanged": 1}}),
        json!({"notifications": {"resourceSubscriptions": "db://1"}}),
        json!({"notifications": {"resourceSubscriptions": [1]}}),
    ] {
        let reply = peer
            .ask(&modern(1, "subscriptions/listen", params.clone()))
            .await;
        assert_eq!(reply["error"]["code"], -32602, "{params}: {reply}");
    }
}

#[tokio::test]
async fn a_server_declares_what_it_tells() {
    let told = json!({"subscribe": true, "listChanged": true});
    let changes = Changes::new();
    let plain = server(&Source::blind());
    for (server, resources, tools) in [
        (plain, json!({}), json!({})),
        (server(&Source::new()), told.clone(), json!({})),
        (telling(&changes), told, json!({"listChanged": true})),
    ] {
        let mut peer = Peer::connect(&server);
        let reply = peer.ask(&modern(1, "server/discover", json!({}))).await;
        let capabilities = &reply["result"]["capabilities"];
        assert_eq!(capabilities["resources"], resources);
        assert_eq!(capabilities["tools"], tools);
    }
}

#[tokio::test]
async fn an_author_tells_what_no_store_knows() {
    let changes = Changes::new();
    let mut peer = Peer::connect(&telling(&changes));
    let asked = json!({
        "toolsListChanged": true,
        "promptsListChanged": true,
        "resourcesListChanged": true,
        "resourceSubscriptions": ["db://1"],
    });
    assert_eq!(peer.ask(&listen(1, &asked)).await, acknowledged(1, &asked));
    changes.prompts_changed();
    assert_eq!(peer.next().await, changed(1, "prompts"));
    changes.tools_changed();
    assert_eq!(peer.next().await, changed(1, "tools"));
    changes.resource_updated("db://1");
    assert_eq!(peer.next().await, updated(1, "db://1"));
    changes.resources_changed();
    assert_eq!(peer.next().await, changed(1, "resources"));
}

#[tokio::test(start_paused = true)]
async fn one_who_reads_nothing_is_closed() {
    let source = Source::new();
    let mut peer = Peer::with_room(&server(&source), 600);
    let uris: Vec<_> = (0..100).map(|row| format!("db://{row}")).collect();
    peer.send(&listen(1, &json!({"resourceSubscriptions": uris})))
        .await;
    let error = peer.served().await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::TimedOut);
    source.watched_by(0).await;
}

/// A store that panics when it is watched.
#[derive(Debug, Default)]
struct Unwatchable(AtomicBool);

impl Store for Unwatchable {
    fn serves(&self, _uri: &str) -> bool {
        true
    }

    async fn list(&self, _query: ListQuery<'_>) -> Result<Page, StoreError> {
        Ok(Page::default())
    }

    async fn metadata(&self, _uri: &str) -> Result<Resource, StoreError> {
        Err(StoreError::NotFound)
    }

    async fn read(&self, _uri: &str) -> Result<Vec<ResourceContents>, StoreError> {
        Err(StoreError::NotFound)
    }

    fn watch(&self, _: SubscribedResources) -> Option<Watch> {
        let is_built = self.0.swap(true, Ordering::Relaxed);
        assert!(!is_built, "the store is out of order");
        Some(Watch::new(futures_util::stream::pending()))
    }
}

#[tokio::test]
async fn a_store_that_panics_when_it_is_to_be_watched_fails_the_request_alone() {
    let store = Unwatchable::default();
    let server = Server::builder("test", "1").store(store).build().unwrap();
    let mut peer = Peer::connect(&server);
    let refused = peer
        .ask(&listen(1, &json!({"resourcesListChanged": true})))
        .await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    let asked = json!({"toolsListChanged": true});
    let other = peer.ask(&listen(2, &asked)).await;
    assert_eq!(other, acknowledged(2, &json!({})));
}
