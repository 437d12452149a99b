//! `resources/subscribe` and its notifications in sessions of older revisions, over a byte stream.

use plainly::server::{Changes, Principal};
use plainly_peer::Peer;
use plainly_peer::message::{LEGACY, initialize, notification, request};
use serde_json::{Value, json};

use super::support::{NOTHING, Source, acknowledged, limited, listen, server, telling};

pub(crate) fn subscribe(id: u64, uri: &str) -> Value {
    request(id, "resources/subscribe", json!({"uri": uri}))
}

pub(crate) fn unsubscribe(id: u64, uri: &str) -> Value {
    request(id, "resources/unsubscribe", json!({"uri": uri}))
}

pub(crate) fn updated(uri: &str) -> Value {
    notification("resources/updated", json!({"uri": uri}))
}

pub(crate) fn listed() -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/resources/list_changed"})
}

pub(crate) fn done(id: u64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": {}})
}

#[tokio::test]
async fn a_session_is_told_of_what_it_subscribed_to_and_of_all_lists() {
    for revision in LEGACY {
        let source = Source::new();
        let mut peer = Peer::connect(&server(&source));
        let opened = peer.ask(&initialize(revision)).await;
        assert_eq!(
            opened["result"]["capabilities"]["resources"],
            json!({"subscribe": true, "listChanged": true}),
            "{revision}"
        );
        let found = peer.ask(&subscribe(1, "db://1")).await;
        assert_eq!(found, done(1), "{revision}");
        let found = peer.ask(&subscribe(2, "db://1")).await;
        assert_eq!(found, done(2), "{revision}");
        source.updated("db://2");
        source.updated("db://1");
        assert_eq!(peer.next().await, updated("db://1"), "{revision}");
        source.listed();
        assert_eq!(peer.next().await, listed(), "{revision}");
        assert_eq!(peer.ask(&unsubscribe(3, "db://1")).await, done(3));
        source.updated("db://1");
        assert_eq!(peer.so_far().await, NOTHING, "{revision}");
        peer.stop();
        assert_eq!(peer.rest().await, NOTHING, "{revision}");
        source.watched_by(0).await;
    }
}

#[tokio::test]
async fn what_can_not_be_there_can_not_be_subscribed_to() {
    let mut peer = Peer::connect(&server(&Source::new()));
    peer.ask(&initialize("2025-11-25")).await;
    for uri in ["db://1 2", "nobody://1"] {
        let reply = peer.ask(&subscribe(1, uri)).await;
        assert_eq!(reply["error"]["data"], json!({"uri": uri}), "{reply}");
    }
    assert_eq!(peer.ask(&unsubscribe(1, "nobody://1")).await, done(1));
    let reply = peer
        .ask(&request(1, "resources/subscribe", json!({})))
        .await;
    assert_eq!(reply["error"]["code"], -32602, "{reply}");
}

#[tokio::test]
async fn a_session_subscribes_to_so_many() {
    let mut peer = Peer::connect(&limited(&Source::new(), |limits| {
        limits.subscriptions.uris = 2
    }));
    peer.ask(&initialize("2025-11-25")).await;
    for (id, is_done) in [(1, true), (2, true), (3, false)] {
        let reply = peer.ask(&subscribe(id, &format!("db://{id}"))).await;
        assert_eq!(reply == done(id), is_done, "{reply}");
    }
    assert_eq!(peer.ask(&unsubscribe(4, "db://1")).await, done(4));
    assert_eq!(peer.ask(&subscribe(5, "db://3")).await, done(5));
}

#[tokio::test]
async fn what_one_subscribes_to_leaves_room_for_others() {
    // An eighth of the limit is enough for two short URIs, in all subscriptions of both eras
    // together.
    let server = limited(&Source::new(), |limits| {
        limits.subscriptions.bytes_in_all = 8 * 600
    });
    let [alice, bob] = ["alice", "bob"].map(Principal::new);
    let [mut old, mut new, mut other] =
        [&alice, &alice, &bob].map(|who| Peer::known(&server, Some(who), 1 << 16));
    let asked = |uri: &str| json!({"resourceSubscriptions": [uri]});
    old.ask(&initialize("2025-11-25")).await;
    assert_eq!(old.ask(&subscribe(1, "db://1")).await, done(1));
    assert_eq!(old.ask(&subscribe(2, "db://1")).await, done(2));
    let told = new.ask(&listen(1, &asked("db://2"))).await;
    assert_eq!(told, acknowledged(1, &asked("db://2")));
    for refused in [
        new.ask(&listen(2, &asked("db://3"))).await,
        old.ask(&subscribe(3, "db://3")).await,
    ] {
        let message = refused["error"]["message"].as_str().unwrap();
        assert!(message.ends_with("try again later"), "{refused}");
    }
    let told = other.ask(&listen(1, &asked("db://3"))).await;
    assert_eq!(told, acknowledged(1, &asked("db://3")));
    assert_eq!(old.ask(&unsubscribe(4, "db://1")).await, done(4));
    let told = new.ask(&listen(3, &asked("db://3"))).await;
    assert_eq!(told, acknowledged(3, &asked("db://3")));
}

#[tokio::test]
async fn a_server_that_can_not_tell_has_no_such_methods() {
    let mut peer = Peer::connect(&server(&Source::blind()));
    let opened = peer.ask(&initialize("2025-11-25")).await;
    assert_eq!(opened["result"]["capabilities"]["resources"], json!({}));
    for message in [subscribe(1, "db://1"), unsubscribe(1, "db://1")] {
        assert_eq!(peer.ask(&message).await["error"]["code"], -32601);
    }
}

#[tokio::test]
async fn eras_do_not_share_their_methods() {
    let mut peer = Peer::connect(&server(&Source::new()));
    peer.ask(&initialize("2025-11-25")).await;
    let mut old = listen(1, &json!({}));
    old["params"].as_object_mut().unwrap().remove("_meta");
    assert_eq!(peer.ask(&old).await["error"]["code"], -32601);
    let mut new = listen(1, &json!({}));
    new["method"] = json!("resources/subscribe");
    assert_eq!(peer.ask(&new).await["error"]["code"], -32601);
}

#[tokio::test]
async fn who_initializes_again_begins_again() {
    let changes = Changes::new();
    let mut peer = Peer::connect(&telling(&changes));
    peer.ask(&initialize("2025-06-18")).await;
    peer.ask(&subscribe(1, "db://1")).await;
    peer.ask(&initialize("2025-11-25")).await;
    changes.resource_updated("db://1");
    changes.tools_changed();
    let tools = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
    assert_eq!(peer.so_far().await, [tools]);
}

#[tokio::test]
async fn a_batch_may_subscribe() {
    let source = Source::new();
    let mut peer = Peer::connect(&server(&source));
    peer.ask(&initialize("2025-03-26")).await;
    let batch = json!([subscribe(1, "db://1"), subscribe(2, "db://2")]);
    assert_eq!(peer.ask(&batch).await, json!([done(1), done(2)]));
    source.updated("db://2");
    assert_eq!(peer.next().await, updated("db://2"));
}
