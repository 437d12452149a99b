//! The client's end of a byte stream, such as standard input and output.

use plainly::server::Server;
use plainly_peer::Peer;
use serde_json::{Value, json};

use crate::http::{initialize, modern};

pub(crate) fn open(server: &Server) -> Peer {
    Peer::with_room(server, 64 << 10)
}

/// Opens a session of an older revision.
pub(crate) async fn legacy(server: &Server) -> Peer {
    let mut peer = open(server);
    let opened = peer.ask(initialize()).await;
    assert!(opened["result"].is_object(), "{opened}");
    let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    peer.send(initialized).await;
    peer
}

/// Calls `echo`, and returns the messages before its reply.
pub(crate) async fn before_a_good_reply(peer: &mut Peer) -> Vec<Value> {
    let params = json!({"name": "echo", "arguments": {"text": "still here"}});
    peer.send(modern("good", "tools/call", params)).await;
    let mut before = Vec::new();
    loop {
        let message = peer.next().await;
        if message["id"] == "good" {
            assert_eq!(message["result"]["content"][0]["text"], "still here");
            return before;
        }
        before.push(message);
    }
}
