//! Faults, each with its name in the table of faults.

use std::path::Path;
use std::time::Duration;

use tempfile::TempDir;
use tokio::time::sleep;

use super::*;
use crate::replicas::{SPREAD, write};

impl Replica {
    async fn ping(&self, session: &str) -> u16 {
        self.post(session, request(4, "ping")).await.status
    }

    /// Changes the session, so that it is stored again.
    async fn set_level(&self, session: &str) -> Response {
        let mut level = request(2, "logging/setLevel");
        level["params"] = json!({ "level": "debug" });
        self.post(session, level).await
    }
}

/// Waits until the client is notified that the resource has changed.
async fn hears_of_change(stream: &mut Response) {
    while stream.message().await["method"] != "notifications/resources/updated" {}
}

#[tokio::test]
async fn engine_gone_for_a_minute() {
    let [one, two, _] = replicas().await;
    let session = one.open().await;
    let mut stream = one.listen(&session).await;
    one.subscribe(&session, "resources/subscribe").await;
    one.part.fail(|faults| faults.is_cut = true);
    two.changes.resource_updated(URI);
    // The replica continues to serve known sessions, but can't change them.
    assert_eq!(one.ping(&session).await, 200);
    for refused in [
        one.set_level(&session).await,
        one.try_subscribe(&session, "resources/subscribe").await,
        one.try_subscribe(&session, "resources/unsubscribe").await,
    ] {
        assert_eq!(refused.status, 503);
        assert!(refused.header("retry-after").is_some());
    }
    one.part.fail(|faults| faults.is_cut = false);
    hears_of_change(&mut stream).await;
}

/// After a power cut, records are older, and their versions are used again.
#[tokio::test]
async fn older_record() {
    let engine = InProcess::new();
    let [one, two] = [replica(&engine).await, replica(&engine).await];
    let session = one.open().await;
    let mut stream = one.listen(&session).await;
    let earlier = engine.copy();
    let later = two.open().await;
    for _ in 0..3 {
        assert_eq!(one.set_level(&session).await.status, 200);
    }
    let parts = [&one.part, &two.part];
    for part in parts {
        part.fail(|faults| faults.is_cut = true);
    }
    engine.go_back(&earlier);
    for part in parts {
        part.fail(|faults| faults.is_cut = false);
    }
    // The session that was opened after the copy is unknown.
    while two.ping(&later).await != 404 {}
    // The next change gets a version that the other replica already knows.
    two.subscribe(&session, "resources/subscribe").await;
    two.changes.resource_updated(URI);
    hears_of_change(&mut stream).await;
    let ended = two.http.bare("DELETE /mcp", &session, "").await;
    assert_eq!(ended.status, 204);
    assert_eq!(one.ping(&session).await, 404);
}

#[tokio::test]
async fn session_ended_elsewhere() {
    let [one, two, three] = &replicas().await;
    for ending in [one, two, three, two, one] {
        let session = one.open().await;
        for replica in [one, two, three] {
            assert_eq!(replica.ping(&session).await, 200);
        }
        // The other replicas are not notified.
        ending.part.fail(|faults| faults.lost_events = 1);
        let ended = ending.http.bare("DELETE /mcp", &session, "").await;
        assert_eq!(ended.status, 204);
        let asked = [one, two, three].map(|replica| replica.ping(&session));
        let [a, b, c] = asked;
        assert_eq!(tokio::join!(a, b, c), (404, 404, 404));
    }
}

#[tokio::test]
async fn answerer_killed() {
    let [one, two, three] = replicas().await;
    let session = one.open().await;
    let mut response = one.call(&session, "roots").await;
    let question = response.message().await;
    two.part.fail(|faults| faults.is_cut = true);
    let refused = two.post(&session, answer(&question)).await;
    assert_eq!(refused.status, 503);
    drop(two);
    let accepted = three.post(&session, answer(&question)).await;
    assert_eq!(accepted.status, 202);
    assert_eq!(response.message().await["id"], 1);
    assert!(response.event().await.is_none());
}

#[tokio::test]
async fn foreign_keys() {
    let engine = InProcess::new();
    let [one, two] = [replica(&engine).await, replica(&engine).await];
    let stranger = replica_with(&engine, Keys::new([8; 32])).await;
    let session = one.open().await;
    let mut stream = one.listen(&session).await;
    stranger.changes.tools_changed();
    two.subscribe(&session, "resources/subscribe").await;
    two.changes.resource_updated(URI);
    let told = stream.message().await;
    assert_eq!(told["method"], "notifications/resources/updated");
    // The replica can't read records of others, and reports that.
    assert_eq!(stranger.ping(&session).await, 503);
    let own = stranger.open().await;
    assert_eq!(stranger.ping(&own).await, 200);
    assert_eq!(one.ping(&session).await, 200);
}

#[tokio::test]
async fn keys_rotated() {
    let (directory, engine) = (TempDir::new().unwrap(), InProcess::new());
    let files = ["a", "b", "c"].map(|name| directory.path().join(name));
    let put = |file: &Path, lines: &[u8], age| write(file, lines, age);
    files.iter().for_each(|file| put(file, &[1], SPREAD));
    let mut all = Vec::new();
    for file in &files {
        all.push(replica_with(&engine, Keys::file(file).unwrap()).await);
    }
    let fresh = || replica_with(&engine, Keys::new([2; 32]));
    let (session, early) = (all[0].open().await, fresh().await);
    let other = early.open().await;
    // The other replicas can't read its events yet, and would miss them.
    early.part.fail(|faults| faults.is_cut = true);
    let mut stream = all[0].listen(&session).await;
    all[0].subscribe(&session, "resources/subscribe").await;
    let pause = || sleep(Duration::from_millis(20));

    for file in &files {
        put(file, &[2, 1], Duration::ZERO);
        hears_from_all(&all, &session, &mut stream).await;
    }
    for replica in &all {
        while replica.ping(&other).await != 200 {
            pause().await;
        }
    }
    for file in &files {
        put(file, &[2, 1], SPREAD);
        hears_from_all(&all, &session, &mut stream).await;
    }
    // All replicas now seal with the new key, the only key of the fresh replica.
    let fresh = fresh().await;
    for replica in &all {
        while fresh.ping(&replica.open().await).await != 200 {
            pause().await;
        }
    }
    files
        .iter()
        .for_each(|file| put(file, &[2], Duration::ZERO));
    hears_from_all(&all, &session, &mut stream).await;
}

/// Checks that every replica accepts changes, and that the client is notified of the changes of
/// each.
async fn hears_from_all(all: &[Replica], session: &str, stream: &mut Response) {
    for replica in all {
        assert_eq!(replica.set_level(session).await.status, 200);
        replica.changes.resource_updated(URI);
        let told = stream.message().await;
        assert_eq!(told["method"], "notifications/resources/updated");
    }
}

#[tokio::test]
async fn huge() {
    let [one, two, _] = replicas().await;
    for part in [&one.part, &two.part] {
        part.fail(|faults| faults.max_value = 56 << 10);
    }
    let mut stream = one.http.bare("GET /sse", EVENTS, "").await;
    let post = format!("POST {}", stream.event().await.unwrap().data);
    let accepted = two.http.bare(&post, JSON, initialize("2024-11-05"));
    assert_eq!(accepted.await.status, 202);
    assert!(stream.event().await.is_some());
    // This is the size limit of a message, minus the surrounding JSON.
    let text = "x".repeat((4 << 20) - 200);
    one.gate.open(1);
    let accepted = two.http.bare(&post, JSON, call(4, "wait", &text));
    assert_eq!(accepted.await.status, 202);
    let reply = stream.event().await.unwrap().json();
    assert!(reply["result"]["content"][0]["text"] == text);
}
