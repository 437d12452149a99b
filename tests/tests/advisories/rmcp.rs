//! Faults of the official Rust SDK on the side of the server, mended or still in its source.

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tower::ServiceExt;

use crate::http::{Attempt, Session, bare, initialize, modern, posted};
use crate::site::{Kind, Site, server};
use crate::stream;
use crate::within;

fn call(id: impl Into<Value>, tool: &str, text: &str) -> Value {
    let params = json!({"name": tool, "arguments": {"text": text}});
    modern(id, "tools/call", params)
}

/// The affected SDK never removed the tasks that had sent a message.
#[tokio::test]
async fn rmcp_1026_finished_tasks_never_reaped() {
    let (server, _) = server();
    let site = Site::start(Kind::Own).await;
    let mut stream = stream::open(&server);
    let alive = || Handle::current().metrics().num_alive_tasks();
    let session = Session::open(site.address, None).await;
    let mut before = None;
    for round in 0..3 {
        for number in 0..100 {
            stream.send(&call(number, "echo", "x")).await;
            stream.next().await;
            let echo = Attempt::call(site.address, "echo", json!({"text": "x"}));
            assert_eq!(echo.status().await, 200);
            let echo = bare(number, "tools/call", json!({"name": "touch"}));
            assert_eq!(session.post(&echo).status().await, 200);
        }
        let before = *before.get_or_insert_with(alive);
        within(async {
            while alive() > before {
                tokio::task::yield_now().await;
            }
        })
        .await;
        assert!(alive() < 30, "round {round}: {}", alive());
    }
}

/// The affected SDK kept a session after each failed handshake. Here, more failed handshakes than
/// the limit of sessions must not end the first valid session, which would be the first to be
/// displaced.
#[tokio::test]
async fn rmcp_934_sessions_of_failed_handshakes() {
    let (server, _) = server();
    let service = server.http();
    let post = async |session: Option<&str>, body: &Value| {
        let mut request = posted(body.to_string());
        if let Some(session) = session {
            let headers = request.headers_mut();
            headers.insert("Mcp-Session-Id", session.parse().unwrap());
        }
        service.clone().oneshot(request).await.unwrap()
    };
    let opened = post(None, &initialize()).await;
    let name = opened.headers()["mcp-session-id"]
        .to_str()
        .unwrap()
        .to_owned();
    let mut wrong = initialize();
    wrong["params"]["clientInfo"] = json!(5);
    for _ in 0..10_100 {
        let refused = post(None, &wrong).await;
        assert!(!refused.headers().contains_key("mcp-session-id"));
    }
    let ping = post(Some(&name), &bare(1, "ping", json!({}))).await;
    assert_eq!(ping.status(), 200);
}

/// The affected SDK lost a notification that came before a listener waited for it.
#[tokio::test]
async fn rmcp_611_lost_wake_up() {
    let (server, _) = server();
    let mut listeners = Vec::new();
    for _ in 0..32 {
        let mut stream = stream::open(&server);
        let filter = json!({"notifications": {"toolsListChanged": true}});
        stream
            .send(&modern(1, "subscriptions/listen", filter))
            .await;
        let first = stream.next().await;
        assert_eq!(first["method"], "notifications/subscriptions/acknowledged");
        listeners.push(stream);
    }
    let mut caller = stream::open(&server);
    for _ in 0..20 {
        caller
            .send(&modern(1, "tools/call", json!({"name": "touch"})))
            .await;
        caller.next().await;
        for listener in &mut listeners {
            let told = listener.next().await;
            assert_eq!(told["method"], "notifications/tools/list_changed");
        }
    }
}
