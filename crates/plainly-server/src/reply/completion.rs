//! The return types of a completion's handler. It answers to the host's code: failures become protocol errors.

use plainly_protocol::types::Completion;

use super::{AsValue, InResult};
use crate::failure::{Failure, IntoFailure};

/// A value that a completion's handler may return. `By` is always inferred.
#[diagnostic::on_unimplemented(
    message = "a completion can't return `{Self}`",
    label = "not a reply of a completion",
    note = "return `Vec<String>` if that is all there is, `Completion`, or a `Result` of one of them"
)]
pub trait CompletionReply<By> {
    /// Converts it to what the argument can become.
    fn into_completion(self) -> Result<Completion, Failure>;
}

impl CompletionReply<AsValue> for Completion {
    fn into_completion(self) -> Result<Completion, Failure> {
        Ok(self)
    }
}

/// All that there is.
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
