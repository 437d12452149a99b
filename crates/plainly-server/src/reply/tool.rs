//! The return types of tool handlers. A model reads their results, so failures become tool errors
//! that the model can read and correct.

use plainly_errors::ProblemCode;
use plainly_protocol::types::{CallToolResult, Content, RawJson};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::{AsValue, InResult, Json, StructuredOutput};
use crate::derived::output_schema_of;
use crate::failure::{Failure, IntoFailure};

/// A value that a tool handler may return. `By` is always inferred.
#[diagnostic::on_unimplemented(
    message = "a tool can't return `{Self}`",
    label = "not a reply of a tool",
    note = "return text, `Json<T>`, `Content`, `Vec<Content>`, `CallToolResult`, `()`, or a `Result` of one of them"
)]
pub trait ToolReply<By> {
    /// Converts the value to the result of `tools/call`.
    fn into_result(self) -> Result<CallToolResult, Failure>;

    /// The schema of the structured output, if there is one.
    fn output_schema() -> Option<Value> {
        None
    }

    /// The codes that the problems can have, if they are [declared](crate::DeclaredProblems);
    /// otherwise empty.
    fn problems() -> &'static [ProblemCode] {
        &[]
    }
}

impl ToolReply<AsValue> for CallToolResult {
    fn into_result(self) -> Result<CallToolResult, Failure> {
        Ok(self)
    }
}

impl ToolReply<AsValue> for Vec<Content> {
    fn into_result(self) -> Result<CallToolResult, Failure> {
        Ok(CallToolResult::new(self))
    }
}

impl ToolReply<AsValue> for Content {
    fn into_result(self) -> Result<CallToolResult, Failure> {
        Ok(CallToolResult::new([self]))
    }
}

impl ToolReply<AsValue> for String {
    fn into_result(self) -> Result<CallToolResult, Failure> {
        Ok(CallToolResult::new([Content::text(self)]))
    }
}

impl ToolReply<AsValue> for &'static str {
    fn into_result(self) -> Result<CallToolResult, Failure> {
        Ok(CallToolResult::new([Content::text(self)]))
    }
}

impl ToolReply<AsValue> for () {
    fn into_result(self) -> Result<CallToolResult, Failure> {
        Ok(CallToolResult::new([]))
    }
}

impl<T: Serialize + JsonSchema> ToolReply<AsValue> for Json<T> {
    fn into_result(self) -> Result<CallToolResult, Failure> {
        let json = serde_json::value::to_raw_value(&self.0)?;
        let text = Content::text(json.get());
        Ok(CallToolResult::new([text]).structured_content(RawJson::from(json)))
    }

    fn output_schema() -> Option<Value> {
        Some(output_schema_of::<T>())
    }
}

impl<T: Serialize + JsonSchema> ToolReply<AsValue> for StructuredOutput<T> {
    fn into_result(self) -> Result<CallToolResult, Failure> {
        let json = serde_json::value::to_raw_value(&self.output)?;
        Ok(CallToolResult::new(self.content).structured_content(RawJson::from(json)))
    }

    fn output_schema() -> Option<Value> {
        Some(output_schema_of::<T>())
    }
}

impl<T, Ok, E, By> ToolReply<InResult<(Ok, By)>> for Result<T, E>
where
    T: ToolReply<Ok>,
    E: IntoFailure<By>,
{
    fn into_result(self) -> Result<CallToolResult, Failure> {
        self.map_err(IntoFailure::into_failure)?.into_result()
    }

    fn output_schema() -> Option<Value> {
        T::output_schema()
    }

    fn problems() -> &'static [ProblemCode] {
        E::problems()
    }
}
