//! `server/discover`, from 2026-07-28 (Discovery): what a server supports, asked without a session. The method has no
//! parameters of its own.

use super::capabilities::ServerCapabilities;
use super::json::Meta;
use super::record::record;

record! {
    /// The result of `server/discover`. Who the server is stands in `_meta`.
    pub struct DiscoverResult {
        /// The versions that the client may name in its next request.
        pub supported_versions: Vec<String>,
        /// What the server offers.
        pub capabilities: ServerCapabilities,
        /// How to use the server, for the model.
        pub instructions: Option<String>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// An answer without instructions.
    pub fn new(supported_versions: impl Into<Vec<String>>, capabilities: ServerCapabilities);
}
