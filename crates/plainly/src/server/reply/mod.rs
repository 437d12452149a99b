//! What a handler may return: one trait per kind of handler, so that a tool error cannot come out of a resource, nor a
//! protocol error out of a tool.

mod json;
mod resource;
mod tool;

pub use self::json::{Json, Shown};
pub use self::resource::{Blob, ResourceReply, Text};
pub use self::tool::ToolReply;

/// A value.
#[derive(Debug)]
#[expect(clippy::exhaustive_enums, reason = "a marker without values")]
pub enum AsValue {}

/// A `Result` whose error converts by `By`.
#[derive(Debug)]
pub struct InResult<By>(std::marker::PhantomData<By>, std::convert::Infallible);
