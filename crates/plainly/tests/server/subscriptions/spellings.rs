//! Subscriptions to other spellings of resources, and to resources that do not exist yet.

use plainly_peer::Peer;
use plainly_peer::message::initialize;
use serde_json::json;

use super::legacy::{self, done, subscribe, unsubscribe};
use super::support::{NOTHING, Source, acknowledged, listen, server, updated};

/// Spellings of one resource, and a part of it.
const SPELLINGS: [&str; 3] = ["db://1", "DB://1", "DB://1#tail=9"];

#[tokio::test]
async fn each_subscriber_is_told_in_its_own_spelling() {
    let source = Source::new();
    let server = server(&source);
    let mut peers = Vec::new();
    for uri in SPELLINGS {
        let (mut new, mut old) = (Peer::connect(&server), Peer::connect(&server));
        let asked = json!({"resourceSubscriptions": [uri]});
        let told = new.ask(&listen(1, &asked)).await;
        assert_eq!(told, acknowledged(1, &asked));
        old.ask(&initialize("2025-11-25")).await;
        assert_eq!(old.ask(&subscribe(1, uri)).await, done(1));
        peers.push((uri, new, old));
    }
    for _ in 0..2 {
        source.updated("db://2");
        source.updated("db://1");
        for (uri, new, old) in &mut peers {
            assert_eq!(new.next().await, updated(1, uri));
            assert_eq!(old.next().await, legacy::updated(uri));
        }
    }
    for (uri, _, old) in &mut peers {
        assert_eq!(old.ask(&unsubscribe(2, uri)).await, done(2));
    }
    source.updated("db://1");
    for (uri, new, old) in &mut peers {
        assert_eq!(new.next().await, updated(1, uri));
        assert_eq!(old.so_far().await, NOTHING);
    }
}

#[tokio::test]
async fn one_subscriber_is_told_in_all_of_its_spellings() {
    let source = Source::new();
    let mut peer = Peer::connect(&server(&source));
    peer.ask(&initialize("2025-11-25")).await;
    for uri in SPELLINGS {
        assert_eq!(peer.ask(&subscribe(1, uri)).await, done(1));
    }
    source.updated("db://1");
    for uri in SPELLINGS {
        assert_eq!(peer.next().await, legacy::updated(uri));
    }
    assert_eq!(peer.ask(&unsubscribe(2, SPELLINGS[0])).await, done(2));
    source.updated("db://1");
    for uri in &SPELLINGS[1..] {
        assert_eq!(peer.next().await, legacy::updated(uri));
    }
}

#[tokio::test]
async fn what_does_not_exist_yet_is_told_of() {
    let source = Source::new();
    let server = server(&source);
    let (mut new, mut old) = (Peer::connect(&server), Peer::connect(&server));
    let asked = json!({"resourceSubscriptions": ["db://1/gone", "db://a blank"]});
    let told = new.ask(&listen(1, &asked)).await;
    let some = json!({"resourceSubscriptions": ["db://1/gone"]});
    assert_eq!(told, acknowledged(1, &some));
    old.ask(&initialize("2025-11-25")).await;
    assert_eq!(old.ask(&subscribe(1, "db://1/gone")).await, done(1));
    source.updated("db://1/gone");
    assert_eq!(new.next().await, updated(1, "db://1/gone"));
    assert_eq!(old.next().await, legacy::updated("db://1/gone"));
}
