//! The cases of the benchmark: what is asked, what a right answer contains, and the text both sides know.
//! The servers of `src/bin/` answer them; `bench` sends them. Knows no transport and no SDK.

pub mod http;
pub mod plainly;
pub mod rmcp;

use serde_json::{Value, json};

/// The revision every request names.
pub const REVISION: &str = "2026-07-28";

/// The id of the request that is sent over HTTP, always the same.
pub const REQUEST_ID: u64 = 1;

/// The resource that `resources/read` asks for.
pub const RESOURCE_URI: &str = "file:///bench/text.txt";

/// What `echo` is asked to say.
pub const ECHO_TEXT: &str = "hello from the benchmark";

/// The 200 bytes of [`RESOURCE_URI`].
#[must_use]
pub fn resource_text() -> String {
    "0123456789".repeat(20)
}

/// One request, sent over and over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "nobody outside this unpublished crate matches on it"
)]
pub enum Case {
    /// `tools/call` of a tool that answers with its argument.
    Echo,
    /// `resources/read` of a text of 200 bytes held in memory.
    Read,
}

impl Case {
    /// Every case, in the order of the table.
    pub const ALL: [Self; 2] = [Self::Echo, Self::Read];

    /// The name in the table, and what `hyper-floor` is told on its command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Echo => "echo",
            Self::Read => "read",
        }
    }

    /// The method, also in the header `Mcp-Method`.
    #[must_use]
    pub const fn method(self) -> &'static str {
        match self {
            Self::Echo => "tools/call",
            Self::Read => "resources/read",
        }
    }

    /// The header `Mcp-Name`.
    #[must_use]
    pub const fn target(self) -> &'static str {
        match self {
            Self::Echo => "echo",
            Self::Read => RESOURCE_URI,
        }
    }

    /// The request with the given id, on one line.
    #[must_use]
    pub fn request(self, id: u64) -> String {
        let mut params = match self {
            Self::Echo => json!({ "name": "echo", "arguments": { "text": ECHO_TEXT } }),
            Self::Read => json!({ "uri": RESOURCE_URI }),
        };
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1.0.0" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        json!({ "jsonrpc": "2.0", "id": id, "method": self.method(), "params": params }).to_string()
    }

    /// A right answer to [`request`](Self::request): what the floor sends without reading the question.
    #[must_use]
    pub fn answer(self, id: u64) -> String {
        let result = match self {
            Self::Echo => json!({
                "resultType": "complete",
                "content": [{ "type": "text", "text": ECHO_TEXT }],
                "isError": false,
            }),
            Self::Read => json!({
                "resultType": "complete",
                "ttlMs": 0,
                "cacheScope": "private",
                "contents": [{ "uri": RESOURCE_URI, "mimeType": "text/plain", "text": resource_text() }],
            }),
        };
        json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
    }

    /// Whether a body answers the request `id` with the text that was asked for.
    #[must_use]
    pub fn is_answered_by(self, id: u64, body: &[u8]) -> bool {
        let Ok(reply) = serde_json::from_slice::<Value>(body) else {
            return false;
        };
        let (text, expected) = match self {
            Self::Echo => (&reply["result"]["content"][0]["text"], ECHO_TEXT.to_owned()),
            Self::Read => (&reply["result"]["contents"][0]["text"], resource_text()),
        };
        reply["id"] == id && *text == expected
    }
}
