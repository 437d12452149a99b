//! The return types of handlers, with one trait per kind of handler, so that a resource can't
//! return a tool error, nor a tool a protocol error.

mod completion;
mod described;
mod json;
mod prompt;
mod resource;
mod tool;

pub use self::completion::CompletionReply;
pub use self::described::{ListReply, MetadataReply};
pub use self::json::{Json, StructuredOutput};
pub use self::prompt::PromptReply;
pub use self::resource::{Blob, ResourceReply, Text};
pub use self::tool::ToolReply;

/// A plain value.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum AsValue {}

/// A `Result` whose value and error convert by `By`.
#[derive(Debug)]
pub struct InResult<By>(std::marker::PhantomData<By>, std::convert::Infallible);
