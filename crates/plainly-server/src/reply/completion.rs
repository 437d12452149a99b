//! The return types of completion handlers. The host's code reads their results, so failures become
//! protocol errors.

use plainly_protocol::types::Completion;

use super::{AsValue, InResult};
use crate::failure::{Failure, IntoFailure};

/// A value that a completion handler may return. `By` is always inferred.
#[diagnostic::on_unimplemented(
    message = "a completion can't return `{Self}`",
    label = "not a reply of a completion",
    note = "return `Vec<String>` if that is all there is, `Completion`, or a `Result` of one of them"
)]
pub trait CompletionReply<By> {
    /// Converts the value to the candidates for the argument.
    fn into_completion(self) -> Result<Completion, Failure>;
}

impl CompletionReply<AsValue> for Completion {
    fn into_completion(self) -> Result<Completion, Failure> {
        Ok(self)
    }
}

/// A complete list of candidates.
impl<S: Into<String>> CompletionReply<AsValue> for Vec<S> {
    fn into_completion(self) -> Result<Completion, Failure> {
        let values: Vec<String> = self.into_iter().map(Into::into).collect();
        let total = values.len() as u64;
        Ok(Completion::new(values).total(total).has_more(false))
    }
}

impl<T, Ok, E, By> CompletionReply<InResult<(Ok, By)>> for Result<T, E>
where
    T: CompletionReply<Ok>,
    E: IntoFailure<By>,
{
    fn into_completion(self) -> Result<Completion, Failure> {
        self.map_err(IntoFailure::into_failure)?.into_completion()
    }
}
