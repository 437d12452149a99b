//! What came back of questions that a handler returned itself.

use plainly_protocol::types::InputResponses;

use super::{
    Extract, PromptCall, PromptChannel, ResourceCall, ResourceChannel, ToolCall, ToolChannel,
};
use crate::server::asking::{Subject, returned};
use crate::server::failure::Failure;

/// What came back with a request that was answered by [`Failure::input_required`]: the ground that [`Ask`](super::Ask) stands
/// on, for handlers that keep their state themselves. Clients before 2026-07-28 bring nothing back.
///
/// All of it comes from the client, which may have changed it, or have it from another request or another user. Whatever
/// depends on the state must see to it that it is the one that was given out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Returned {
    /// The answers by the keys of the questions, unread.
    pub answers: InputResponses,
    /// The state, as the client brings it.
    pub state: Option<String>,
}

impl Returned {
    fn of(subject: &Subject<'_>) -> Result<Self, Failure> {
        let returned = returned(subject.params)?;
        Ok(Self {
            answers: returned.input_responses,
            state: returned.request_state,
        })
    }
}

impl Extract<ToolChannel> for Returned {
    fn extract(call: &ToolCall<'_>) -> Result<Self, Failure> {
        Self::of(&call.subject)
    }
}

impl Extract<PromptChannel> for Returned {
    fn extract(call: &PromptCall<'_>) -> Result<Self, Failure> {
        Self::of(&call.subject)
    }
}

impl Extract<ResourceChannel> for Returned {
    fn extract(call: &ResourceCall<'_>) -> Result<Self, Failure> {
        call.subject
            .as_ref()
            .map_or_else(|| Ok(Self::default()), Self::of)
    }
}
