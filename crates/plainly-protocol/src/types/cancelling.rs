//! Cancellation of a request, from the side that sent it: the spec's page "Cancellation". What is then stopped is known
//! elsewhere.

use serde::{Deserialize, Serialize};

use super::setters::setters;
use crate::id::RequestId;

/// The parameters of `notifications/cancelled`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CancelledParams {
    /// Which request is cancelled.
    pub request_id: RequestId,
    /// Why, for logs and people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

impl CancelledParams {
    /// Cancels without a reason.
    pub fn new(request_id: impl Into<RequestId>) -> Self {
        Self {
            request_id: request_id.into(),
            reason: None,
        }
    }

    setters! {
        /// Sets why.
        reason: impl Into<String>;
    }
}
