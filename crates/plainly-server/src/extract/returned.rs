//! The answers to questions that a handler itself returned.

use plainly_protocol::types::InputResponses;

use super::{
    Extract, PromptCall, PromptChannel, ResourceCall, ResourceChannel, ToolCall, ToolChannel,
};
use crate::asking::{Subject, returned_for};
use crate::failure::Failure;

/// The answers that the client returned with a request after [`Failure::input_required`].
/// [`Ask`](super::Ask) uses it; use it directly in handlers that store their own state. Clients
/// before 2026-07-28 send none.
///
/// All data comes from the client, which may have changed it or taken it from another request or
/// another user. A handler that relies on the state must verify that it issued the state itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ReturnedAnswers {
    /// The unparsed answers, by the keys of the questions.
    pub answers: InputResponses,
    /// The state, as the client sent it.
    pub state: Option<String>,
}

impl ReturnedAnswers {
    fn of(subject: &Subject<'_>) -> Result<Self, Failure> {
        let returned = returned_for(subject)?;
        Ok(Self {
            answers: returned.input_responses,
            state: returned.request_state,
        })
    }
}

impl Extract<ToolChannel> for ReturnedAnswers {
    fn extract(call: &ToolCall<'_>) -> Result<Self, Failure> {
        Self::of(&call.subject)
    }
}

impl Extract<PromptChannel> for ReturnedAnswers {
    fn extract(call: &PromptCall<'_>) -> Result<Self, Failure> {
        Self::of(&call.subject)
    }
}

impl Extract<ResourceChannel> for ReturnedAnswers {
    fn extract(call: &ResourceCall<'_>) -> Result<Self, Failure> {
        call.subject
            .as_ref()
            .map_or_else(|| Ok(Self::default()), Self::of)
    }
}
