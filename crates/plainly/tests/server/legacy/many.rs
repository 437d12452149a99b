//! Sessions that are opened and abandoned.
#![cfg(target_os = "linux")]

use std::fs;
use std::future::poll_fn;
use std::process::Command;
use std::time::Instant;

use bytes::Bytes;
use http::HeaderMap;
use plainly::server::Server;
use plainly::transport::{Exchange, Frame};
use serde_json::Value;

use plainly_peer::Gate;

use super::support::{initialize, request, server};

/// The maximum number of sessions, and of streams.
const MOST: usize = 10_000;
/// The maximum number of bytes that a session may use.
const BYTES: usize = 4 << 10;

/// The maximum number of bytes that an event stream may use, without its connection.
const STREAM_BYTES: usize = 64 << 10;

/// Set in a process that runs nothing else, so that all its memory belongs to the test.
const ALONE: &str = "PLAINLY_TEST_ALONE";

#[test]
fn ten_thousand_sessions_cost_little_and_more_cost_nothing() {
    let name = "legacy::many::ten_thousand_sessions_cost_little_and_more_cost_nothing";
    alone(name, measured);
}

#[test]
fn ten_thousand_streams_of_events_cost_little_and_more_are_refused() {
    let name = "legacy::many::ten_thousand_streams_of_events_cost_little_and_more_are_refused";
    alone(name, streams_measured);
}

/// Runs the test with this name in a process of its own.
#[expect(clippy::print_stdout, reason = "what was measured is for people")]
fn alone<F: Future<Output = String>>(name: &str, measured: impl FnOnce() -> F) {
    if std::env::var_os(ALONE).is_some() {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        return println!("{}", runtime.unwrap().block_on(measured()));
    }
    let alone = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", name, "--nocapture", "--test-threads=1"])
        .env(ALONE, "1")
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&alone.stdout);
    assert!(alone.status.success(), "{said}");
    assert!(said.contains("bytes each"), "{said}");
    println!("{said}");
}

/// Measures streams, and returns the result as text.
async fn streams_measured() -> String {
    let server = server(&Gate::new(), |_| {});
    let head = || Frame::new(HeaderMap::new(), Bytes::new());
    let hello = Bytes::from(initialize("2024-11-05").to_string());
    let before = resident();
    let mut pipes = Vec::new();
    for _ in 0..MOST {
        let mut pipe = server.open_pipe(head()).unwrap();
        let frame = Frame::new(HeaderMap::new(), hello.clone());
        assert_eq!(server.put(&pipe.name, frame).await.status, 202);
        let opened = poll_fn(|context| pipe.feed.poll_event(context)).await;
        assert!(opened.unwrap().data.starts_with(b"{\"jsonrpc\""));
        pipes.push(pipe);
    }
    let each = resident().saturating_sub(before) / MOST;
    assert!(each < STREAM_BYTES, "{each} bytes each");
    assert!(server.open_pipe(head()).is_err());
    pipes.truncate(MOST - 1);
    assert!(server.open_pipe(head()).is_ok());
    format!("{each} bytes each")
}

/// Measures sessions, and returns the result as text.
async fn measured() -> String {
    let server = server(&Gate::new(), |_| {});
    let first = open(&server).await;
    let before = resident();
    for _ in 1..MOST {
        open(&server).await;
    }
    let full = resident();
    let each = full.saturating_sub(before) / MOST;
    assert!(each < BYTES, "{each} bytes each");
    assert_eq!(ping(&server, &first).await, 200);
    let start = Instant::now();
    for _ in 0..MOST {
        open(&server).await;
    }
    let time = start.elapsed() / MOST as u32;
    let more = resident().saturating_sub(full);
    assert!(more < MOST * BYTES / 10, "{more} bytes more");
    // The session had been idle longest when the others were opened.
    assert_eq!(ping(&server, &first).await, 404);
    let last = open(&server).await;
    assert_eq!(ping(&server, &last).await, 200);
    format!("{each} bytes each, {time:?} each beyond")
}

async fn open(server: &Server) -> String {
    let body = Bytes::from(initialize("2025-11-25").to_string());
    let reply = server.exchange(&Frame::new(HeaderMap::new(), body)).await;
    reply.headers["mcp-session-id"].to_str().unwrap().to_owned()
}

async fn ping(server: &Server, session: &str) -> u16 {
    let mut headers = HeaderMap::new();
    headers.insert("mcp-session-id", session.parse().unwrap());
    let body: Value = request(1, "ping");
    let frame = Frame::new(headers, Bytes::from(body.to_string()));
    server.exchange(&frame).await.status.as_u16()
}

/// Returns the resident memory of this process, in bytes.
fn resident() -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mut lines = status.lines();
    let line = lines.find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<usize>().ok());
    kilobytes.unwrap_or(0) << 10
}
