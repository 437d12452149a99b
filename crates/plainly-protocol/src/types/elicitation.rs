//! Questions to the user (Elicitation).

use serde::{Deserialize, Serialize};

/// Asks the user to visit a URL: the parameters of `elicitation/create` with `mode: url`; from 2025-11-25.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "mode", rename = "url", rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitUrlParams {
    /// Why, for the user.
    pub message: String,
    /// Where to go.
    pub url: String,
}

impl ElicitUrlParams {
    /// Asks the user to visit `url`, because of `message`.
    pub fn new(url: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            url: url.into(),
        }
    }
}
