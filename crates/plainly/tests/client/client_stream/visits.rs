//! Pages that a legacy server requires the user to visit first.

use std::future::pending;
use std::sync::Mutex;

use plainly::errors::UrlElicitation;
use plainly_peer::Peer;
use serde_json::{Value, json};

use super::peer::{Half, pair};
use tokio::io::DuplexStream;

fn visit(id: &str) -> Value {
    json!({"mode": "url", "elicitationId": id, "url": format!("https://a.example/{id}"), "message": "Sign in"})
}

/// Rejects the next request until the user has visited these pages.
async fn require(peer: &mut Peer, ids: &[&str]) {
    let elicitations: Vec<_> = ids.iter().map(|id| visit(id)).collect();
    let request = peer.next().await;
    let data = json!({"elicitations": elicitations});
    let error = json!({"code": -32042, "message": "sign in", "data": data});
    let id = &request["id"];
    peer.send(&json!({"jsonrpc": "2.0", "id": id, "error": error}))
        .await;
}

async fn opened(builder: Half<DuplexStream>, peer: &mut Peer) -> plainly::Client {
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.open_session(
            "2025-11-25",
            json!({"resources": {}, "tools": {}, "prompts": {}}),
        )
        .await;
    });
    client.expect("the server is there")
}

#[tokio::test]
async fn a_call_is_made_again_once_the_user_is_done() {
    let (builder, mut peer) = pair();
    let builder = builder.on_required_visits(|all: Vec<UrlElicitation>| async move {
        all.iter().all(|one| one.elicitation_id != "no")
    });
    let client = opened(builder, &mut peer).await;
    // The user is asked again about other pages.
    let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
        require(&mut peer, &["1", "2"]).await;
        require(&mut peer, &["1"]).await;
        peer.answer_with("tools/call", json!({"content": []})).await;
    });
    called.unwrap();
    let (read, ()) = tokio::join!(client.read("a:b"), async {
        require(&mut peer, &["1"]).await;
        peer.answer_with("resources/read", json!({"contents": []}))
            .await;
    });
    read.unwrap();
    // The call fails for the same page again, and if the user does not visit it.
    for refusals in [&["1", "1"][..], &["no"]] {
        let (prompt, ()) = tokio::join!(client.prompt("a", ()), async {
            for id in refusals {
                require(&mut peer, &[id]).await;
            }
        });
        let error = prompt.unwrap_err();
        assert!(error.is_url_elicitation_required(), "{error}");
    }
}

#[tokio::test]
async fn the_server_says_too_when_the_user_is_done() {
    let (builder, mut peer) = pair();
    let (asked, mut visits) = tokio::sync::mpsc::unbounded_channel();
    let asked = Mutex::new(asked);
    let builder = builder.on_required_visits(move |all| {
        asked.lock().unwrap().send(all).unwrap();
        pending()
    });
    let client = opened(builder, &mut peer).await;
    let (called, ()) = tokio::join!(client.call_tool("a", ()), async {
        require(&mut peer, &["1", "2"]).await;
        let all = visits.recv().await.unwrap();
        assert_eq!(all.len(), 2);
        for id in ["2", "other", "1"] {
            let params = json!({"elicitationId": id});
            let method = "notifications/elicitation/complete";
            peer.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
                .await;
        }
        peer.answer_with("tools/call", json!({"content": []})).await;
    });
    called.unwrap();
}

#[tokio::test]
async fn where_nobody_can_be_sent_it_is_an_error() {
    let (builder, mut peer) = pair();
    let client = opened(builder, &mut peer).await;
    let (called, ()) = tokio::join!(client.call_tool("a", ()), require(&mut peer, &["1"]));
    let error = called.unwrap_err();
    assert_eq!(error.url_elicitations().unwrap().len(), 1);
}
