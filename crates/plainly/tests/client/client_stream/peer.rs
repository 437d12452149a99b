//! Clients over a byte stream, with a server that the test plays.

use plainly::client::{Builder, Client, Over};
use plainly_peer::{Peer, message};
use serde_json::{Value, json};
use tokio::io::{DuplexStream, ReadHalf, WriteHalf};

pub(crate) type Half<T> = Builder<Over<ReadHalf<T>, WriteHalf<T>>>;

/// Returns a client to be connected, and its peer.
pub(crate) fn pair() -> (Half<DuplexStream>, Peer) {
    pair_with_buffer(1 << 16)
}

pub(crate) fn pair_with_buffer(bytes: usize) -> (Half<DuplexStream>, Peer) {
    let (peer, far) = plainly_peer::pair(bytes);
    let (reader, writer) = tokio::io::split(far);
    (Client::over(reader, writer), peer)
}

/// Connects a client to a modern server, and returns both.
pub(crate) async fn modern() -> (Client, Peer) {
    modern_with(json!({})).await
}

/// Connects a client to a modern server with these extensions, and returns both.
pub(crate) async fn modern_with(extensions: Value) -> (Client, Peer) {
    let (builder, mut peer) = pair();
    let mut discovered = discovered(&["2026-07-28"]);
    discovered["capabilities"]["extensions"] = extensions;
    let (client, ()) = tokio::join!(
        builder.connect(),
        peer.answer_with("server/discover", discovered)
    );
    (client.expect("the peer is modern"), peer)
}

/// Connects a client to a legacy server, and returns both.
pub(crate) async fn legacy() -> (Client, Peer) {
    legacy_with(json!({"resources": {}, "tools": {}, "prompts": {}})).await
}

/// Connects a client to a legacy server with these capabilities, and returns both.
pub(crate) async fn legacy_with(capabilities: Value) -> (Client, Peer) {
    let (builder, mut peer) = pair();
    let (client, ()) = tokio::join!(builder.connect(), async {
        peer.open_session("2025-11-25", capabilities).await;
    });
    (client.expect("the peer is legacy"), peer)
}

pub(crate) fn discovered(versions: &[&str]) -> Value {
    let mut result = message::discovered(json!({"tools": {}, "resources": {}, "prompts": {}}));
    result["supportedVersions"] = versions.into();
    result["instructions"] = "be kind".into();
    result["_meta"]["io.modelcontextprotocol/serverInfo"] =
        json!({"name": "scripted", "version": "7"});
    result
}
