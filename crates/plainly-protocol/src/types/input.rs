//! What a server asks of the client before it can answer (Multi Round-Trip Requests, from 2026-07-28).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::elicitation::ElicitUrlParams;
use super::json::Meta;

/// The result of a request that the client must send again, with what is asked for here.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct InputRequiredResult {
    /// What is asked for, under keys that the answers must have too.
    pub input_requests: BTreeMap<String, InputRequest>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl InputRequiredResult {
    /// Asks for all of these.
    pub fn new(input_requests: impl IntoIterator<Item = (String, InputRequest)>) -> Self {
        Self {
            input_requests: input_requests.into_iter().collect(),
            meta: None,
        }
    }
}

/// One request of the server to the client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "method", content = "params")]
#[non_exhaustive]
pub enum InputRequest {
    /// A visit to a URL.
    #[serde(rename = "elicitation/create")]
    ElicitUrl(ElicitUrlParams),
}
