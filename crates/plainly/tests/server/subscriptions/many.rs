//! The cost of many clients that only subscribe.
#![cfg(target_os = "linux")]

use std::process::Command;
use std::task::{Context, Poll, Waker};

use bytes::Bytes;
use http::{HeaderMap, HeaderValue};
use plainly::server::Server;
use plainly::transport::{Exchange, Feed, Frame, ReplyBody};
use serde_json::{Value, json};

use super::support::{Source, changed, listen, server, updated};

const MANY: usize = 10_000;
/// The maximum cost of one client, in bytes, without its connection.
const BYTES: usize = 8 << 10;

/// Returns the resident memory of this process, in bytes.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kib: usize = line
        .unwrap()
        .trim()
        .trim_end_matches(" kB")
        .parse()
        .unwrap();
    kib << 10
}

async fn listening(server: &Server, id: usize) -> Box<dyn Feed> {
    let uri = format!("db://{id}");
    let asked = json!({"resourcesListChanged": true, "resourceSubscriptions": [uri]});
    let mut headers = HeaderMap::new();
    for (name, value) in [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "subscriptions/listen"),
    ] {
        headers.insert(name, HeaderValue::from_static(value));
    }
    let frame = Frame::new(headers, Bytes::from(listen(id, &asked).to_string()));
    match server.exchange(&frame).await.body {
        ReplyBody::Feed(feed) => feed,
        ReplyBody::Whole(body) => panic!("{body:?}"),
    }
}

fn poll(feed: &mut Box<dyn Feed>) -> Option<Value> {
    match feed.poll_event(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(event) => Some(serde_json::from_slice(&event.unwrap().data).unwrap()),
        Poll::Pending => None,
    }
}

/// Set in a process that runs nothing else, so that all its memory belongs to the test.
const ALONE: &str = "PLAINLY_TEST_ALONE";

#[test]
fn ten_thousand_who_listen_cost_little_and_all_hear() {
    if std::env::var_os(ALONE).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        return println!("{} bytes each", runtime.unwrap().block_on(measured()));
    }
    let alone = Command::new(std::env::current_exe().unwrap())
        .args([
            "--exact",
            "subscriptions::many::ten_thousand_who_listen_cost_little_and_all_hear",
        ])
        .args(["--nocapture", "--test-threads=1"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&alone.stdout);
    assert!(alone.status.success(), "{said}");
    assert!(said.contains("bytes each"), "{said}");
}

/// Returns the number of bytes that each client costs.
async fn measured() -> usize {
    let source = Source::new();
    let server = server(&source);
    let before = resident();
    let mut feeds = Vec::with_capacity(MANY);
    for id in 0..MANY {
        let mut feed = listening(&server, id).await;
        assert!(poll(&mut feed).is_some() && poll(&mut feed).is_none());
        feeds.push(feed);
    }
    let each = resident().saturating_sub(before) / MANY;
    assert!(each < BYTES, "{each} bytes each");
    assert_eq!(source.watchers(), 1);
    source.listed();
    source.updated("db://7");
    tokio::task::yield_now().await;
    for (id, feed) in feeds.iter_mut().enumerate() {
        assert_eq!(poll(feed), Some(changed(id, "resources")));
        let own = (id == 7).then(|| updated(7, "db://7"));
        assert_eq!(poll(feed), own);
    }
    drop(feeds);
    source.watched_by(0).await;
    each
}
