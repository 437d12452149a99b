//! The return types of prompt handlers. The host's code reads their results, so failures become
//! protocol errors.

use plainly_errors::ProblemCode;
use plainly_protocol::types::{GetPromptResult, PromptMessage};

use super::{AsValue, InResult};
use crate::failure::{Failure, IntoFailure};

/// A value that a prompt handler may return. `By` is always inferred.
#[diagnostic::on_unimplemented(
    message = "a prompt can't return `{Self}`",
    label = "not a reply of a prompt",
    note = "return text, `PromptMessage`, `Vec<PromptMessage>`, `GetPromptResult`, or a `Result` of one of them"
)]
pub trait PromptReply<By> {
    /// Converts the value to the result of `prompts/get`.
    fn into_result(self) -> Result<GetPromptResult, Failure>;

    /// The codes that the problems can have, if they are [declared](crate::DeclaredProblems);
    /// otherwise empty.
    fn problems() -> &'static [ProblemCode] {
        &[]
    }
}

impl PromptReply<AsValue> for GetPromptResult {
    fn into_result(self) -> Result<GetPromptResult, Failure> {
        Ok(self)
    }
}

impl PromptReply<AsValue> for Vec<PromptMessage> {
    fn into_result(self) -> Result<GetPromptResult, Failure> {
        Ok(GetPromptResult::new(self))
    }
}

impl PromptReply<AsValue> for PromptMessage {
    fn into_result(self) -> Result<GetPromptResult, Failure> {
        Ok(GetPromptResult::new([self]))
    }
}

impl PromptReply<AsValue> for String {
    fn into_result(self) -> Result<GetPromptResult, Failure> {
        PromptMessage::user(self).into_result()
    }
}

impl PromptReply<AsValue> for &'static str {
    fn into_result(self) -> Result<GetPromptResult, Failure> {
        PromptMessage::user(self).into_result()
    }
}

impl<T, Ok, E, By> PromptReply<InResult<(Ok, By)>> for Result<T, E>
where
    T: PromptReply<Ok>,
    E: IntoFailure<By>,
{
    fn into_result(self) -> Result<GetPromptResult, Failure> {
        self.map_err(IntoFailure::into_failure)?.into_result()
    }

    fn problems() -> &'static [ProblemCode] {
        E::problems()
    }
}
