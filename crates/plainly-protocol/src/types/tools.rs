//! Tools: the spec's page "Tools". Schemas, arguments and structured content are carried as they were written: what they
//! mean is for the tool, the validator and the model.

use std::borrow::Cow;

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::value::RawValue;

use super::common::Icon;
use super::content::Content;
use super::json::{Meta, RawJson, serialize_raw};
use super::pagination::Cursor;
use super::setters::setters;

/// A tool as it is listed (Tools, "Tool").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Tool {
    /// The name to call it by.
    pub name: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the tool does, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The JSON Schema of the arguments, verbatim.
    pub input_schema: RawJson,
    /// The JSON Schema of the structured content, verbatim; from 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_schema: Option<RawJson>,
    /// Hints on what calling it may do; from 2025-03-26.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<ToolAnnotations>,
    /// Icons to show beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Metadata of the tool.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Tool {
    /// A tool with the schema of its arguments, which must have `"type": "object"` at its root.
    pub fn new(name: impl Into<String>, input_schema: impl Into<RawJson>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema: input_schema.into(),
            output_schema: None,
            annotations: None,
            icons: None,
            meta: None,
        }
    }

    setters! {
        /// Sets the name for people.
        title: impl Into<String>;
        /// Sets what the tool does.
        description: impl Into<String>;
        /// Sets the schema of the structured content.
        output_schema: impl Into<RawJson>;
        /// Sets the hints on what calling it may do.
        annotations: ToolAnnotations;
        /// Sets the icons.
        icons: impl Into<Vec<Icon>>;
        /// Sets the metadata of the tool.
        meta: Meta;
    }
}

/// Hints on what calling a tool may do (Tools, "Tool Annotations"). Never to be trusted from a server that isn't.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolAnnotations {
    /// The name for people; [`Tool::title`] goes before it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Whether it changes nothing. Absent means false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub read_only_hint: Option<bool>,
    /// Whether it may destroy something, rather than only add. Absent means true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destructive_hint: Option<bool>,
    /// Whether a second call with the same arguments has no further effect. Absent means false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub idempotent_hint: Option<bool>,
    /// Whether it reaches things outside of the server's own domain. Absent means true.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub open_world_hint: Option<bool>,
}

impl ToolAnnotations {
    /// No hints.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the name for people.
        title: impl Into<String>;
        /// Sets whether it changes nothing.
        read_only_hint: bool;
        /// Sets whether it may destroy something.
        destructive_hint: bool;
        /// Sets whether a second call has no further effect.
        idempotent_hint: bool;
        /// Sets whether it reaches outside.
        open_world_hint: bool;
    }
}

/// The parameters of `tools/list`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListToolsParams {
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
}

impl ListToolsParams {
    /// The first page.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets where to go on.
        cursor: impl Into<Cursor>;
    }
}

/// The result of `tools/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListToolsResult {
    /// The tools of this page.
    pub tools: Vec<Tool>,
    /// Where the next page begins. Absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ListToolsResult {
    /// The last page, or the only one.
    pub fn new(tools: impl Into<Vec<Tool>>) -> Self {
        Self {
            tools: tools.into(),
            next_cursor: None,
            meta: None,
        }
    }

    setters! {
        /// Sets where the next page begins.
        next_cursor: impl Into<Cursor>;
        /// Sets the metadata of the result.
        meta: Meta;
    }
}

/// The parameters of `tools/call`, borrowed from the message.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolParams<'a> {
    /// The tool to call.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The arguments, unparsed: a JSON object. Absent means the empty one.
    #[serde(
        borrow,
        default,
        deserialize_with = "object",
        serialize_with = "verbatim",
        skip_serializing_if = "Option::is_none"
    )]
    pub arguments: Option<&'a RawValue>,
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

/// The result of `tools/call`: the tool's answer, or a tool error.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallToolResult {
    /// The answer, for the model.
    pub content: Vec<Content>,
    /// The answer as data, verbatim; from 2025-06-18, and up to 2025-11-25 always an object. JSON `null` is an answer too.
    #[serde(
        default,
        deserialize_with = "present",
        skip_serializing_if = "Option::is_none"
    )]
    pub structured_content: Option<RawJson>,
    /// Whether this is a tool error. Absent means false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl CallToolResult {
    /// An answer made of these blocks.
    pub fn new(content: impl Into<Vec<Content>>) -> Self {
        Self {
            content: content.into(),
            structured_content: None,
            is_error: None,
            meta: None,
        }
    }

    setters! {
        /// Sets the answer as data.
        structured_content: impl Into<RawJson>;
        /// Sets whether this is a tool error.
        is_error: bool;
        /// Sets the metadata of the result.
        meta: Meta;
    }

    /// Whether this is a tool error.
    #[must_use]
    pub fn is_tool_error(&self) -> bool {
        self.is_error == Some(true)
    }
}

/// Writes a JSON object as it is.
fn verbatim<S: Serializer>(
    arguments: &Option<&RawValue>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match arguments {
        Some(raw) => serialize_raw(raw, serializer),
        None => serializer.serialize_none(),
    }
}

/// Reads a JSON object without parsing what is inside.
fn object<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<&'de RawValue>, D::Error> {
    let arguments = Option::<&RawValue>::deserialize(deserializer)?;
    match arguments {
        Some(raw) if !raw.get().starts_with('{') => {
            Err(D::Error::custom("invalid arguments: expected an object"))
        }
        Some(_) | None => Ok(arguments),
    }
}

/// Reads a value that is there, `null` included, which an `Option` alone would take for an absent one.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<RawJson>, D::Error> {
    RawJson::deserialize(deserializer).map(Some)
}
