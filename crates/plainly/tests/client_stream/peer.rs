//! The other end of a client's byte stream, played by the test: it reads what the client writes and says what the test
//! wants.

use std::time::Duration;

use plainly::client::{Builder, Client, Over};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};

/// Longer than a client waits for anything by default.
const TOO_LONG: Duration = Duration::from_secs(120);

pub(crate) type Half<T> = Builder<Over<ReadHalf<T>, WriteHalf<T>>>;

pub(crate) struct Peer {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
}

/// A client to be connected, and its peer.
pub(crate) fn pair() -> (Half<DuplexStream>, Peer) {
    pair_with_buffer(1 << 16)
}

pub(crate) fn pair_with_buffer(bytes: usize) -> (Half<DuplexStream>, Peer) {
    let (near, far) = tokio::io::duplex(bytes);
    let (reader, writer) = tokio::io::split(near);
    let (far_reader, far_writer) = tokio::io::split(far);
    let peer = Peer {
        lines: BufReader::new(far_reader).lines(),
        writer: far_writer,
    };
    (Client::over(reader, writer), peer)
}

/// A client of a modern server, and that server.
pub(crate) async fn modern() -> (Client, Peer) {
    let (builder, mut peer) = pair();
    let (client, ()) = tokio::join!(builder.connect(), async {
        let probe = peer.request("server/discover").await;
        peer.reply(&probe, discovered(&["2026-07-28"])).await;
    });
    (client.expect("the peer is modern"), peer)
}

/// A client of a legacy server, and that server.
pub(crate) async fn legacy() -> (Client, Peer) {
    legacy_with(json!({"resources": {}})).await
}

/// A client of a legacy server with these capabilities, and that server.
pub(crate) async fn legacy_with(capabilities: Value) -> (Client, Peer) {
    let (builder, mut peer) = pair();
    let (client, ()) = tokio::join!(builder.connect(), async {
        let probe = peer.request("server/discover").await;
        peer.fail(&probe, -32601, None).await;
        peer.shake_hands_with("2025-11-25", capabilities).await;
    });
    (client.expect("the peer is legacy"), peer)
}

pub(crate) fn discovered(versions: &[&str]) -> Value {
    json!({
        "resultType": "complete",
        "supportedVersions": versions,
        "capabilities": {"tools": {}},
        "instructions": "be kind",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "scripted", "version": "7"}},
    })
}

impl Peer {
    /// The next message, if the client has not ended the stream.
    pub(crate) async fn next(&mut self) -> Option<Value> {
        let line = self.lines.next_line().await.expect("readable")?;
        Some(serde_json::from_str(&line).expect("JSON"))
    }

    /// The next message, which must be of this method.
    pub(crate) async fn request(&mut self, method: &str) -> Value {
        let next = tokio::time::timeout(TOO_LONG, self.next()).await;
        let message = next.expect("a message in time").expect("a message");
        assert_eq!(message["method"], method, "{message}");
        message
    }

    /// Nothing comes any more, and the stream ends.
    pub(crate) async fn ended(&mut self) {
        assert_eq!(self.next().await, None);
    }

    /// Nothing comes for a long time.
    pub(crate) async fn silent(&mut self) {
        let next = tokio::time::timeout(Duration::from_secs(3600), self.next()).await;
        assert!(next.is_err(), "{next:?}");
    }

    pub(crate) async fn line(&mut self, line: &str) {
        self.writer
            .write_all(line.as_bytes())
            .await
            .expect("writable");
        self.writer.write_all(b"\n").await.expect("writable");
    }

    pub(crate) async fn send(&mut self, message: Value) {
        self.line(&message.to_string()).await;
    }

    pub(crate) async fn reply(&mut self, request: &Value, result: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "result": result}))
            .await;
    }

    pub(crate) async fn fail(&mut self, request: &Value, code: i64, data: Option<Value>) {
        let mut error = json!({"code": code, "message": "no"});
        if let Some(data) = data {
            error["data"] = data;
        }
        self.send(json!({"jsonrpc": "2.0", "id": request["id"], "error": error}))
            .await;
    }

    /// Answers the handshake, and waits for its last step.
    pub(crate) async fn shake_hands(&mut self, version: &str) -> Value {
        self.shake_hands_with(version, json!({"resources": {}}))
            .await
    }

    pub(crate) async fn shake_hands_with(&mut self, version: &str, capabilities: Value) -> Value {
        let handshake = self.request("initialize").await;
        let result = json!({
            "protocolVersion": version,
            "capabilities": capabilities,
            "serverInfo": {"name": "old", "version": "1"},
        });
        self.reply(&handshake, result).await;
        self.request("notifications/initialized").await;
        handshake
    }
}
