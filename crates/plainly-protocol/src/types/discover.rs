//! `server/discover`, from 2026-07-28 (Discovery): what a server supports, asked without a session. The method has no
//! parameters of its own.

use serde::{Deserialize, Serialize};

use super::capabilities::ServerCapabilities;
use super::json::Meta;
use super::setters::setters;

/// The result of `server/discover`. Who the server is stands in `_meta`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct DiscoverResult {
    /// The versions that the client may name in its next request.
    pub supported_versions: Vec<String>,
    /// What the server offers.
    pub capabilities: ServerCapabilities,
    /// How to use the server, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl DiscoverResult {
    /// An answer without instructions.
    pub fn new(
        supported_versions: impl Into<Vec<String>>,
        capabilities: ServerCapabilities,
    ) -> Self {
        Self {
            supported_versions: supported_versions.into(),
            capabilities,
            instructions: None,
            meta: None,
        }
    }

    setters! {
        /// Sets how to use the server.
        instructions: impl Into<String>;
        /// Sets the metadata of the result.
        meta: Meta;
    }
}
