//! A raw client over a byte stream, in simulated time. Messages are read once no task can proceed,
//! so one input always leads to the same conversation.

use std::io;

use plainly::Server;
use plainly::server::Principal;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::runtime::Builder;
use tokio::task::JoinHandle;

use crate::words::check_words;

/// The newest revision.
pub const MODERN: &str = "2026-07-28";
/// All revisions, newest first.
pub const REVISIONS: [&str; 5] = [
    MODERN,
    "2025-11-25",
    "2025-06-18",
    "2025-03-26",
    "2024-11-05",
];

/// Runs `future` with time that only advances when told to.
pub fn simulate(future: impl Future<Output = ()>) {
    let runtime = Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build();
    runtime.unwrap().block_on(future);
}

/// Lets all tasks proceed as far as possible.
pub async fn settle() {
    for _ in 0..16 {
        tokio::task::yield_now().await;
    }
}

/// A client of a server.
pub struct Peer {
    near: DuplexStream,
    unread: Vec<u8>,
    served: JoinHandle<io::Result<()>>,
}

impl Peer {
    /// Connects to `server`, anonymously or as `principal`.
    pub fn connect(server: &Server, principal: Option<&str>) -> Self {
        // Large enough for the messages of any input, so that no task waits for a reader.
        let (near, far) = tokio::io::duplex(8 << 20);
        let mut extensions = http::Extensions::new();
        if let Some(name) = principal {
            extensions.insert(Principal::new(name));
        }
        let server = server.clone();
        let served = tokio::spawn(async move {
            let (reader, writer) = tokio::io::split(far);
            Ok(server.serve(reader, writer).extensions(extensions).await?)
        });
        Self {
            near,
            unread: Vec::new(),
            served,
        }
    }

    /// Sends a message.
    pub async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.near.write_all(line.as_bytes()).await.unwrap();
    }

    /// All messages since the last call, once no task can proceed.
    pub async fn heard(&mut self) -> Vec<Value> {
        settle().await;
        let mut reading = Vec::with_capacity(64 << 10);
        loop {
            tokio::select! {
                biased;
                read = self.near.read_buf(&mut reading) => if read.unwrap() == 0 { break },
                () = std::future::ready(()) => break,
            }
        }
        self.unread.append(&mut reading);
        let end = self.unread.iter().rposition(|byte| *byte == b'\n');
        let rest = self.unread.split_off(end.map_or(0, |end| end + 1));
        let lines = std::mem::replace(&mut self.unread, rest);
        let lines = lines.split(|byte| *byte == b'\n');
        lines
            .filter(|line| !line.is_empty())
            .map(|line| serde_json::from_slice(line).unwrap())
            .inspect(check_words)
            .collect()
    }

    /// Sends a message, and returns the messages that follow at once.
    pub async fn ask(&mut self, message: &Value) -> Vec<Value> {
        self.send(message).await;
        self.heard().await
    }

    /// Ends the client's input, but not its output.
    pub async fn finish(&mut self) {
        self.near.shutdown().await.unwrap();
    }

    /// Whether the server has finished serving this client.
    pub fn is_over(&self) -> bool {
        self.served.is_finished()
    }
}

/// Stops the server's work for this client.
impl Drop for Peer {
    fn drop(&mut self) {
        self.served.abort();
    }
}

/// A request of a session.
pub fn request(id: &Value, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

/// A request of 2026-07-28, from a client with all capabilities.
pub fn modern(id: &Value, method: &str, mut params: Value) -> Value {
    params["_meta"]["io.modelcontextprotocol/protocolVersion"] = "2026-07-28".into();
    params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = capabilities();
    request(id, method, params)
}

/// Creates the request that opens a session.
pub fn initialize(id: &Value, revision: &str) -> Value {
    let params = json!({
        "protocolVersion": revision,
        "capabilities": capabilities(),
        "clientInfo": {"name": "fuzz", "version": "1"},
    });
    request(id, "initialize", params)
}

fn capabilities() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}
