//! Structured output, with content for users and models.

use plainly_protocol::types::Content;

/// A tool's structured output: `T` as `structuredContent`, its JSON Schema as the tool's output
/// schema, and the same JSON as text for hosts that only support text.
#[derive(Clone, Copy, Debug)]
#[expect(
    clippy::exhaustive_structs,
    reason = "handlers build it from its one value"
)]
pub struct Json<T>(pub T);

impl<T> Json<T> {
    /// The structured output with these content blocks instead of its JSON: images, links, or text
    /// that is easier to read.
    ///
    /// ```
    /// use plainly::protocol::types::Content;
    /// use plainly::server::Tool;
    /// use plainly::server::reply::{Json, StructuredOutput};
    /// use schemars::JsonSchema;
    /// use serde::Serialize;
    ///
    /// #[derive(Serialize, JsonSchema)]
    /// struct Weather {
    ///     degrees: i32,
    /// }
    ///
    /// async fn weather() -> StructuredOutput<Weather> {
    ///     Json(Weather { degrees: 21 }).content([Content::text("21 degrees and a clear sky.")])
    /// }
    ///
    /// let tool = Tool::new("weather", weather);
    /// ```
    pub fn content(self, content: impl Into<Vec<Content>>) -> StructuredOutput<T> {
        StructuredOutput {
            output: self.0,
            content: content.into(),
        }
    }
}

/// A tool's structured output with its own content blocks: see [`Json::content`].
///
/// Hosts show their models either the output or the content, so each should be complete.
#[derive(Clone, Debug)]
pub struct StructuredOutput<T> {
    pub(super) output: T,
    pub(super) content: Vec<Content>,
}
