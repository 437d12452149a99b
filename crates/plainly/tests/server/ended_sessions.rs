//! The report of each ended session to the program, whatever ended the session.

#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use plainly::limits::Limits;
use plainly::server::EndedSession;
use plainly::{Server, Tool};
use plainly_peer::message::{self, modern};
use plainly_peer::{Site, within};
use serde_json::json;

/// The reports so far.
#[derive(Clone, Default)]
struct Reports(Arc<Mutex<Vec<EndedSession>>>);

impl Reports {
    fn of(change: impl FnOnce(&mut Limits)) -> (Self, Server) {
        let reports = Self::default();
        let kept = reports.clone();
        let mut limits = Limits::default();
        change(&mut limits);
        let server = Server::builder("test", "1")
            .limits(limits)
            .tool(Tool::new("hello", async || "Hello!"))
            .on_session_end(move |session| kept.0.lock().unwrap().push(*session));
        (reports, server.build().unwrap())
    }

    /// Returns the parts of the reports that are the same in each run.
    fn take(&self) -> Vec<String> {
        let ended = std::mem::take(&mut *self.0.lock().unwrap());
        let line = |it: &EndedSession| format!("{} {} {:?}", it.revision, it.transport, it.error);
        ended.iter().map(line).collect()
    }
}

#[tokio::test]
async fn a_session_over_http_is_reported_once_whatever_ends_it() {
    let (reports, server) = Reports::of(|limits| limits.sessions.open = 16);
    let site = Site::serve(server.http().path("/mcp")).await;
    let deleted = site.session("/mcp", "2025-11-25").await;
    for status in [204, 404] {
        let reply = site.bare("DELETE /mcp", &deleted, "").await;
        assert_eq!(reply.status, status);
    }
    assert_eq!(reports.take(), ["2025-11-25 http None"]);
    // One client may have an eighth of all sessions, so its third session replaces its first.
    for revision in ["2025-03-26", "2025-06-18", "2025-11-25"] {
        site.session("/mcp", revision).await;
    }
    assert_eq!(reports.take(), ["2025-03-26 http None"]);
    // In the newest revision, requests belong to no session.
    let list = modern(1, "tools/list", json!({}));
    assert_eq!(site.post("/mcp", None, &list).await.status, 200);
    server.end_sessions();
    let mut left = reports.take();
    left.sort();
    assert_eq!(left, ["2025-06-18 http None", "2025-11-25 http None"]);
    server.end_sessions();
    assert_eq!(reports.take(), [""; 0]);
}

#[tokio::test]
async fn an_idle_session_counts_to_its_last_use() {
    let idle = Duration::from_millis(200);
    let (reports, server) = Reports::of(|limits| limits.sessions.idle = idle);
    let site = Site::serve(server.http().path("/mcp")).await;
    site.session("/mcp", "2025-11-25").await;
    tokio::time::sleep(2 * idle).await;
    site.session("/mcp", "2025-11-25").await;
    let ended = reports.0.lock().unwrap();
    assert!(ended.len() == 1 && ended[0].duration < idle, "{ended:?}");
}

#[tokio::test]
async fn a_connection_is_a_session_if_a_client_made_itself_known() {
    let (reports, server) = Reports::of(|_| {});
    let unknown = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    for (message, expected) in [
        (unknown, None),
        (message::initialize("2025-06-18"), Some("2025-06-18")),
        (modern(1, "tools/list", json!({})), Some("2026-07-28")),
    ] {
        let line = format!("{message}\n");
        let served = server.serve(line.as_bytes(), tokio::io::sink()).await;
        served.unwrap();
        let of = |error: &str| Vec::from_iter(expected.map(|it| format!("{it} stream {error}")));
        assert_eq!(reports.take(), of("None"), "{message}");
        // The client does not read its reply.
        let (gone, writer) = tokio::io::duplex(1);
        drop(gone);
        let served = server.serve(line.as_bytes(), writer).await;
        served.unwrap_err();
        assert_eq!(reports.take(), of("Some(BrokenPipe)"), "{message}");
    }
}

#[tokio::test]
async fn a_client_of_the_oldest_http_that_hangs_up_ends_its_session() {
    let (reports, server) = Reports::of(|_| {});
    let site = Site::serve(server.http().path("/mcp").sse_endpoint("/sse")).await;
    let mut events = site
        .bare("GET /sse", "Accept: text/event-stream\r\n", "")
        .await;
    let endpoint = events.event().await.unwrap().data;
    let initialize = message::initialize("2024-11-05");
    site.send(&format!("POST {endpoint}"), "", initialize).await;
    events.event().await;
    drop(events);
    within(async {
        while reports.0.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(reports.take(), ["2024-11-05 stream None"]);
}

#[tokio::test]
async fn an_observer_that_panics_ends_no_more_than_the_session() {
    let server = Server::builder("test", "1")
        .on_session_end(|_| panic!("counted too far"))
        .build()
        .unwrap();
    let site = Site::serve(server.http().path("/mcp")).await;
    for _ in 0..2 {
        let session = site.session("/mcp", "2025-11-25").await;
        let reply = site.bare("DELETE /mcp", &session, "").await;
        assert_eq!(reply.status, 204);
    }
}
