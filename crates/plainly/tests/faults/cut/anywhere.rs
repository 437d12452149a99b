//! Every conversation, cut at every point.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::time::Duration;

use plainly::Revision;
use serde_json::json;

use super::fixture::Fixture;
use super::framing::Way;
use super::talking::Client;
use super::wire::{Cut, Moments, Wire, listen};

/// A limit that no conversation reaches.
const ALL: usize = usize::MAX;

async fn open(
    fixture: &Fixture,
    address: SocketAddr,
    (way, revision): (Way, Revision),
    moments: usize,
) -> Result<Client, Cut> {
    let moments = Moments::new(moments);
    let wire = Wire::open(way, &fixture.server, address, moments).await?;
    Ok(Client::new(wire, revision))
}

/// Holds the whole conversation.
async fn talk(client: &mut Client) -> Result<(), Cut> {
    client.begin().await?;
    if client.is_modern() {
        client.listen().await?;
    }
    client.question().await?;
    if client.is_modern() {
        client.follow().await?;
    }
    Ok(())
}

/// Checks that the next client is served, and that the previous client's handlers end.
async fn next_one(fixture: &Fixture, address: SocketAddr, why: &str) {
    // An unfinished session ends here, because the new session needs its slot.
    let session = (Way::Http, Revision::V2025_11_25);
    let mut client = open(fixture, address, session, ALL).await.unwrap();
    client.begin().await.unwrap();
    let result = client
        .ask("tools/call", json!({"name": "echo"}))
        .await
        .unwrap();
    assert_eq!(result["content"][0]["text"], "here", "{why}: {result}");
    // A task continues without its client until another client cancels it.
    let tasks = std::mem::take(&mut *fixture.tasks.lock().unwrap());
    let modern = (Way::Stream, Revision::V2026_07_28);
    let mut client = open(fixture, address, modern, ALL).await.unwrap();
    for task in tasks {
        client
            .ask("tasks/cancel", json!({"taskId": task}))
            .await
            .unwrap();
    }
    fixture.running.is_over(why).await;
}

/// Returns the number of sessions. One client may have an eighth of them, or one. SSE sessions need
/// more, because the end of their stream is noticed with a delay.
fn sessions(way: Way) -> usize {
    if way == Way::Events { 8 * 2 } else { 1 }
}

/// Cuts the conversation at every point.
async fn cut_everywhere(way: Way, revision: Revision, step: usize) {
    let fixture = Fixture::with(sessions(way), |builder| builder);
    let site = listen(&fixture.server).await;
    let address = site.address;
    let mut whole = open(&fixture, address, (way, revision), ALL).await.unwrap();
    talk(&mut whole).await.unwrap();
    let moments = &whole.wire.moments;
    // All points near the start or end of a message, and some of the others.
    let near = |end: &usize| end.saturating_sub(1)..=end + 1;
    let mut places: BTreeSet<usize> = moments.ends.iter().flat_map(near).collect();
    places.extend((0..moments.spent).step_by(step));
    drop(whole);
    for place in places {
        let why = format!("{way:?} {revision} cut after {place}");
        let talking = async {
            let mut client = open(&fixture, address, (way, revision), place).await?;
            talk(&mut client).await
        };
        let talked = tokio::time::timeout(Duration::from_secs(20), talking).await;
        // The conversation was cut or complete.
        talked
            .unwrap_or_else(|_| panic!("{why}: it hangs"))
            .unwrap_or(());
        next_one(&fixture, address, &why).await;
    }
    let mut last = open(&fixture, address, (way, revision), ALL).await.unwrap();
    talk(&mut last).await.unwrap();
}

#[tokio::test]
async fn a_modern_stream_is_cut() {
    cut_everywhere(Way::Stream, Revision::V2026_07_28, 7).await;
}

#[tokio::test]
async fn the_stream_of_a_session_is_cut() {
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        cut_everywhere(Way::Stream, revision, 7).await;
    }
}

#[tokio::test]
async fn modern_requests_over_http_are_cut() {
    cut_everywhere(Way::Http, Revision::V2026_07_28, 41).await;
}

#[tokio::test]
async fn sessions_over_http_are_cut() {
    for revision in [Revision::V2025_06_18, Revision::V2025_11_25] {
        cut_everywhere(Way::Http, revision, 41).await;
    }
}

#[tokio::test]
async fn streams_of_events_are_cut() {
    cut_everywhere(Way::Events, Revision::V2025_11_25, 41).await;
}
