//! The cases of the benchmark: the requests, and the responses of all servers. The servers in
//! `src/bin/` answer them; the benchmark sends them. Independent of transports and SDKs.

use std::str::FromStr;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::contents::{
    Content, ECHO_TEXT, Held, MISSING_URI, TOOL_DESCRIPTION, TOOL_SCHEMA, TOOLS_TTL, tool_names,
};

/// The revision in every request.
pub const REVISION: &str = "2026-07-28";

/// The id of the request sent over HTTP, always the same.
pub const REQUEST_ID: u64 = 1;

/// A request that is sent repeatedly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "nobody outside this unpublished crate matches on it"
)]
pub enum Case {
    /// `tools/call` of a tool that returns its argument.
    Echo,
    /// `resources/read` of a text of 200 bytes held in memory.
    Read,
    /// `resources/read` of a text of 1 MiB held in memory.
    ReadText,
    /// `resources/read` of 1 MiB of bytes held in memory.
    ReadBinary,
    /// `resources/read` of a missing resource.
    Missing,
    /// `tools/list` of 100 tools.
    List,
}

impl Case {
    /// Every case, in the order of the table.
    pub const ALL: [Self; 6] = [
        Self::Echo,
        Self::Read,
        Self::ReadText,
        Self::ReadBinary,
        Self::Missing,
        Self::List,
    ];

    /// The name on a server's command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Echo => "echo",
            Self::Read => "read",
            Self::ReadText => "read-text",
            Self::ReadBinary => "read-binary",
            Self::Missing => "missing",
            Self::List => "list",
        }
    }

    /// The title in the table.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::Echo => "`tools/call` echo",
            Self::Read => "`resources/read` 200 bytes",
            Self::ReadText => "`resources/read` 1 MiB text",
            Self::ReadBinary => "`resources/read` 1 MiB binary",
            Self::Missing => "`resources/read` of a missing resource",
            Self::List => "`tools/list` of 100 tools",
        }
    }

    /// The case in this program's first argument.
    ///
    /// # Errors
    /// Fails if there is no argument, or no such case.
    pub fn of_arguments() -> Result<Self, UnknownCase> {
        std::env::args().nth(1).unwrap_or_default().parse()
    }

    /// The method, which is also in the header `Mcp-Method`.
    #[must_use]
    pub const fn method(self) -> &'static str {
        match self {
            Self::Echo => "tools/call",
            Self::Read | Self::ReadText | Self::ReadBinary | Self::Missing => "resources/read",
            Self::List => "tools/list",
        }
    }

    /// The header `Mcp-Name`, if the method has one.
    #[must_use]
    pub fn target(self) -> Option<&'static str> {
        match self {
            Self::Echo => Some("echo"),
            Self::Missing => Some(MISSING_URI),
            Self::Read | Self::ReadText | Self::ReadBinary => self.held().map(|held| held.uri),
            Self::List => None,
        }
    }

    /// The resource of a server for this case.
    #[must_use]
    pub fn held(self) -> Option<Held> {
        match self {
            Self::Echo | Self::List => None,
            Self::Read | Self::Missing => Some(Held::small()),
            Self::ReadText => Some(Held::text()),
            Self::ReadBinary => Some(Held::binary()),
        }
    }

    /// The request with this id, on one line.
    #[must_use]
    pub fn request(self, id: u64) -> String {
        let mut params = match self {
            Self::Echo => json!({ "name": "echo", "arguments": { "text": ECHO_TEXT } }),
            Self::Read | Self::ReadText | Self::ReadBinary | Self::Missing => {
                json!({ "uri": self.target() })
            }
            Self::List => json!({}),
        };
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": REVISION,
            "io.modelcontextprotocol/clientInfo": { "name": "bench", "version": "1.0.0" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        json!({ "jsonrpc": "2.0", "id": id, "method": self.method(), "params": params }).to_string()
    }

    /// The response to [`request`](Self::request), which the minimal servers send without reading
    /// the request.
    #[must_use]
    pub fn answer(self, id: u64) -> String {
        self.reply(id).to_string()
    }

    /// Whether a body is the correct response to the request `id`. Objects may have additional
    /// members.
    #[must_use]
    pub fn is_answered_by(self, id: u64, body: &[u8]) -> bool {
        serde_json::from_slice(body).is_ok_and(|reply| includes(&reply, &self.reply(id)))
    }

    fn reply(self, id: u64) -> Value {
        match self {
            Self::Missing => json!({ "jsonrpc": "2.0", "id": id, "error": {
                "code": -32602,
                "message": format!("Resource not found: {MISSING_URI}"),
                "data": { "uri": MISSING_URI },
            } }),
            Self::Echo | Self::Read | Self::ReadText | Self::ReadBinary | Self::List => {
                json!({ "jsonrpc": "2.0", "id": id, "result": self.result() })
            }
        }
    }

    fn result(self) -> Value {
        match self {
            Self::Echo => json!({
                "resultType": "complete",
                "content": [{ "type": "text", "text": ECHO_TEXT }],
            }),
            Self::List => json!({
                "resultType": "complete",
                "ttlMs": TOOLS_TTL,
                "cacheScope": "public",
                "tools": tool_names().map(tool).collect::<Vec<_>>(),
            }),
            Self::Read | Self::ReadText | Self::ReadBinary | Self::Missing => json!({
                "resultType": "complete",
                "ttlMs": 0,
                "cacheScope": "private",
                "contents": self.held().map(contents).as_slice(),
            }),
        }
    }
}

fn tool(name: String) -> Value {
    let schema: Value = serde_json::from_str(TOOL_SCHEMA).expect("it is JSON");
    json!({ "name": name, "description": TOOL_DESCRIPTION, "inputSchema": schema })
}

fn contents(held: Held) -> Value {
    match held.content {
        Content::Text(text) => json!({ "uri": held.uri, "mimeType": "text/plain", "text": text }),
        Content::Binary(bytes) => json!({
            "uri": held.uri,
            "mimeType": "application/octet-stream",
            "blob": STANDARD.encode(bytes),
        }),
    }
}

/// Whether `reply` contains everything in `expected`.
fn includes(reply: &Value, expected: &Value) -> bool {
    match (reply, expected) {
        (Value::Object(reply), Value::Object(expected)) => {
            expected.iter().all(|(name, expected)| {
                reply
                    .get(name)
                    .is_some_and(|reply| includes(reply, expected))
            })
        }
        (Value::Array(reply), Value::Array(expected)) => {
            reply.len() == expected.len()
                && reply
                    .iter()
                    .zip(expected)
                    .all(|(reply, expected)| includes(reply, expected))
        }
        _ => reply == expected,
    }
}

/// The error for an unknown case.
#[derive(Debug, thiserror::Error)]
#[error("no such case: {0:?}")]
#[expect(
    clippy::exhaustive_structs,
    reason = "nobody outside this unpublished crate makes one"
)]
pub struct UnknownCase(pub String);

impl FromStr for Case {
    type Err = UnknownCase;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        let mut cases = Self::ALL.into_iter();
        cases
            .find(|case| case.name() == name)
            .ok_or_else(|| UnknownCase(name.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_all_that_is_expected_and_nothing_else_in_its_place() {
        for case in Case::ALL {
            let reply = case.reply(7);
            let accepts = |reply: &Value| case.is_answered_by(7, reply.to_string().as_bytes());
            assert!(accepts(&reply), "{case:?}");
            assert!(!case.is_answered_by(8, reply.to_string().as_bytes()));

            let mut more = reply.clone();
            more["more"] = true.into();
            assert!(accepts(&more), "{case:?}");

            let outcome = if case == Case::Missing {
                "error"
            } else {
                "result"
            };
            let mut other = reply;
            other[outcome] = json!({});
            assert!(!accepts(&other), "{case:?}");
        }
    }
}
