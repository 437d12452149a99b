//! Tools: the specification's page "Tools". Schemas, arguments and structured content are passed on
//! as they were written; the tool, the validator and the model interpret them.

use std::borrow::Cow;

use plainly_errors::{Problem, Problems};
use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::common::{Cursor, Icon};
use super::content::Content;
use super::json::{BorrowedJson, Meta, RawJson};
use super::record::{record, setters};

record! {
    /// A tool as it is listed (Tools, "Tool").
    pub struct Tool {
        /// The name by which clients call the tool.
        pub name: String,
        /// The display name.
        pub title: Option<String>,
        /// A description of the tool for the model.
        pub description: Option<String>,
        /// The JSON Schema of the arguments, verbatim.
        pub input_schema: RawJson,
        /// The JSON Schema of the structured content, verbatim; from 2025-06-18.
        pub output_schema: Option<RawJson>,
        /// Hints about the effects of a call; from 2025-03-26.
        pub annotations: Option<ToolAnnotations>,
        /// Icons to show beside the name.
        pub icons: Option<Vec<Icon>>,
        /// Metadata of the tool.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A tool with the schema of its arguments, whose root must have `"type": "object"`.
    pub fn new(name: impl Into<String>, input_schema: impl Into<RawJson>);
}

record! {
    /// Hints about the effects of a tool call (Tools, "Tool Annotations"). Never trust those of an
    /// untrusted server.
    #[derive(Eq, Default)]
    pub struct ToolAnnotations {
        /// The display name; [`Tool::title`] takes precedence.
        pub title: Option<String>,
        /// Whether the tool changes nothing. Absent means false.
        pub read_only_hint: Option<bool>,
        /// Whether the tool may destroy something rather than only add. Absent means true.
        pub destructive_hint: Option<bool>,
        /// Whether a second call with the same arguments has no further effect. Absent means false.
        pub idempotent_hint: Option<bool>,
        /// Whether the tool interacts with systems outside the server's own domain. Absent means
        /// true.
        pub open_world_hint: Option<bool>,
    }

    /// No hints.
    pub fn new();
}

record! {
    /// The parameters of `tools/list`.
    #[derive(Default)]
    pub struct ListToolsParams {
        /// The position to continue from.
        pub cursor: Option<Cursor>,
    }

    /// Requests the first page.
    pub fn new();
}

record! {
    /// The result of `tools/list`.
    pub struct ListToolsResult {
        /// The tools of this page.
        pub tools: Vec<Tool>,
        /// The position of the next page. Absent on the last.
        pub next_cursor: Option<Cursor>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// The last page, or the only one.
    pub fn new(tools: impl Into<Vec<Tool>>);
}

/// The parameters of `tools/call`, borrowed from the message.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolParams<'a> {
    /// The name of the tool.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The arguments, unparsed: a JSON object. Absent means an empty one.
    #[serde(
        borrow,
        default,
        deserialize_with = "object",
        skip_serializing_if = "Option::is_none"
    )]
    pub arguments: Option<BorrowedJson<'a>>,
}

impl<'a> CallToolParams<'a> {
    /// A call without arguments.
    pub fn new(name: impl Into<Cow<'a, str>>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
        }
    }

    setters! {
        /// Sets the arguments, which must be a JSON object.
        arguments: &'a RawValue;
    }
}

record! {
    /// The result of `tools/call`: the tool's answer or a tool error.
    pub struct CallToolResult {
        /// The answer, for the model.
        pub content: Vec<Content>,
        /// The answer as data, verbatim; from 2025-06-18, and up to 2025-11-25 always an object.
        /// JSON `null` counts as data too.
        #[serde(
            default,
            deserialize_with = "present")]
        pub structured_content: Option<RawJson>,
        /// Whether this is a tool error. Absent means false.
        pub is_error: Option<bool>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// An answer made of these blocks.
    pub fn new(content: impl Into<Vec<Content>>);
}

impl CallToolResult {
    /// Whether this is a tool error.
    #[must_use]
    pub fn is_tool_error(&self) -> bool {
        self.is_error == Some(true)
    }

    /// The problem that a tool error states in its structured content or its `_meta`; the first if
    /// there are several.
    ///
    /// ```
    /// use plainly_errors::Problem;
    /// use plainly_protocol::types::{CallToolResult, RawJson};
    ///
    /// let problem = Problem::not_found("note", "7");
    /// let mut result = CallToolResult::new([]);
    /// result.is_error = Some(true);
    /// result.structured_content = Some(RawJson::encode(&problem).unwrap());
    /// assert_eq!(result.problem(), Some(problem));
    /// ```
    #[must_use]
    pub fn problem(&self) -> Option<Problem> {
        Some(self.problems()?.first().clone())
    }

    /// All problems that a tool error states.
    #[must_use]
    pub fn problems(&self) -> Option<Problems> {
        let structured = self.structured_content.as_ref();
        let structured = structured.and_then(|content| content.decode().ok());
        // Used if the structured content must have another form.
        let beside = self.meta.as_ref().and_then(|meta| meta.get(PROBLEM));
        let objects = [beside.cloned(), structured].into_iter().flatten();
        let mut stated = objects.filter_map(|object: Value| {
            let several = Problems::from_object(&object);
            several.or_else(|| Some(Problem::from_object(&object)?.into()))
        });
        stated.next().filter(|_| self.is_tool_error())
    }
}

/// The member of a tool result's `_meta` for a problem that the structured content can't hold.
const PROBLEM: &str = "dev.plainly/problem";

/// Reads a JSON object without parsing its members.
fn object<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<BorrowedJson<'de>>, D::Error> {
    let arguments = Option::<BorrowedJson<'de>>::deserialize(deserializer)?;
    match arguments {
        Some(raw) if !raw.get().starts_with('{') => {
            Err(D::Error::custom("invalid arguments: expected an object"))
        }
        Some(_) | None => Ok(arguments),
    }
}

/// Reads a value that is present, including `null`, which an `Option` alone would read as absent.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RawJson>, D::Error> {
    RawJson::deserialize(deserializer).map(Some)
}
