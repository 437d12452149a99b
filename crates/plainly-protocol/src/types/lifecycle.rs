//! The types of the handshake: `initialize`, up to 2025-11-25 (Lifecycle, "Initialization"), and
//! `server/discover`, from 2026-07-28 (Discovery). Versions are kept as the peer wrote them; the
//! supported ones are decided elsewhere.

use super::capabilities::{ClientCapabilities, ServerCapabilities};
use super::common::Implementation;
use super::json::Meta;
use super::record::record;

record! {
    /// The parameters of `initialize`.
    pub struct InitializeParams {
        /// The latest version that the client supports.
        pub protocol_version: String,
        /// The capabilities of the client.
        pub capabilities: ClientCapabilities,
        /// The name and version of the client.
        pub client_info: Implementation,
    }

    /// The request that opens a session.
    pub fn new(
        protocol_version: impl Into<String>,
        capabilities: ClientCapabilities,
        client_info: Implementation,
    );
}

record! {
    /// The result of `initialize`.
    pub struct InitializeResult {
        /// The version that the server chose for the session.
        pub protocol_version: String,
        /// The capabilities of the server.
        pub capabilities: ServerCapabilities,
        /// The name and version of the server.
        pub server_info: Implementation,
        /// Instructions to the model on how to use the server.
        pub instructions: Option<String>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A result without instructions.
    pub fn new(
        protocol_version: impl Into<String>,
        capabilities: ServerCapabilities,
        server_info: Implementation,
    );
}

record! {
    /// The result of `server/discover`. The server's name and version are in `_meta`.
    pub struct DiscoverResult {
        /// The versions that the client may name in its next request.
        pub supported_versions: Vec<String>,
        /// The capabilities of the server.
        pub capabilities: ServerCapabilities,
        /// Instructions to the model on how to use the server.
        pub instructions: Option<String>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A result without instructions.
    pub fn new(supported_versions: impl Into<Vec<String>>, capabilities: ServerCapabilities);
}
