//! Sampling: asking the client's model, by the spec's page "Sampling". Which revision has which content is not decided here.

use std::borrow::Cow;

use serde::de::{Deserializer, Error};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::common::Role;
use super::content::{Content, MediaContent, TextContent};
use super::json::{JsonObject, Meta, RawJson};
use super::setters::setters;
use super::tools::Tool;

/// The parameters of `sampling/createMessage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageParams {
    /// The conversation so far.
    pub messages: Vec<SamplingMessage>,
    /// Which model is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_preferences: Option<ModelPreferences>,
    /// What the model is told before. The client may change it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub system_prompt: Option<String>,
    /// Which servers the model is told of. Anything but `None` needs the client's capability `sampling.context`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub include_context: Option<IncludeContext>,
    /// How freely the model answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The most tokens of the answer.
    pub max_tokens: u64,
    /// Texts at which the answer ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_sequences: Option<Vec<String>>,
    /// Settings of the model's provider.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub metadata: Option<JsonObject>,
    /// Tools that the model may want called. They need the client's capability `sampling.tools`; from 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<Tool>>,
    /// How the model uses them; from 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool_choice: Option<ToolChoice>,
}

impl CreateMessageParams {
    /// Goes on with this conversation, by at most so many tokens.
    pub fn new(messages: impl Into<Vec<SamplingMessage>>, max_tokens: u64) -> Self {
        Self {
            messages: messages.into(),
            model_preferences: None,
            system_prompt: None,
            include_context: None,
            temperature: None,
            max_tokens,
            stop_sequences: None,
            metadata: None,
            tools: None,
            tool_choice: None,
        }
    }

    setters! {
        /// Sets which model is wanted.
        model_preferences: ModelPreferences;
        /// Sets what the model is told before.
        system_prompt: impl Into<String>;
        /// Sets which servers the model is told of.
        include_context: IncludeContext;
        /// Sets how freely the model answers.
        temperature: f64;
        /// Sets the texts at which the answer ends.
        stop_sequences: impl Into<Vec<String>>;
        /// Sets the settings of the model's provider.
        metadata: JsonObject;
        /// Sets the tools that the model may want called.
        tools: impl Into<Vec<Tool>>;
        /// Sets how the model uses them.
        tool_choice: ToolChoice;
    }
}

/// A message of the conversation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SamplingMessage {
    /// Who says it.
    pub role: Role,
    /// What is said. One block is written without brackets.
    #[serde(with = "blocks")]
    pub content: Vec<SamplingContent>,
    /// Metadata of the message; from 2025-11-25.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl SamplingMessage {
    /// Something that `role` says.
    pub fn new(role: Role, content: impl Into<Vec<SamplingContent>>) -> Self {
        Self {
            role,
            content: content.into(),
            meta: None,
        }
    }

    /// Text that the person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, [SamplingContent::text(text)])
    }

    /// Text that the model says.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, [SamplingContent::text(text)])
    }

    setters! {
        /// Sets the metadata of the message.
        meta: Meta;
    }
}

/// A block of a message.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
#[non_exhaustive]
pub enum SamplingContent {
    /// Text.
    Text(TextContent),
    /// An image.
    Image(MediaContent),
    /// Sound; from 2025-03-26.
    Audio(MediaContent),
    /// The model wants a tool called; from 2025-11-25.
    ToolUse(ToolUse),
    /// What the tool answered; from 2025-11-25.
    ToolResult(ToolResult),
    /// A block of a type that we don't know, whole.
    #[serde(untagged)]
    Unknown(RawJson),
}

impl SamplingContent {
    /// A block of text.
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text(TextContent::new(text))
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Tag<'a> {
            #[serde(borrow)]
            r#type: Cow<'a, str>,
        }
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let read = |text| {
            let tag: Tag<'_> = serde_json::from_str(text)?;
            match tag.r#type.as_ref() {
                "text" => serde_json::from_str(text).map(Self::Text),
                "image" => serde_json::from_str(text).map(Self::Image),
                "audio" => serde_json::from_str(text).map(Self::Audio),
                "tool_use" => serde_json::from_str(text).map(Self::ToolUse),
                "tool_result" => serde_json::from_str(text).map(Self::ToolResult),
                _ => RawJson::parse(text).map(Self::Unknown),
            }
        };
        read(raw.get()).map_err(D::Error::custom)
    }
}

/// The model wants a tool called: the spec's `ToolUseContent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolUse {
    /// Names the call.
    pub id: String,
    /// The tool.
    pub name: String,
    /// The arguments.
    pub input: JsonObject,
    /// Metadata of the block.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ToolUse {
    /// A call of `name` with `input`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: JsonObject) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            input,
            meta: None,
        }
    }
}

/// What a tool answered that the model wanted called: the spec's `ToolResultContent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolResult {
    /// The call that it answers.
    pub tool_use_id: String,
    /// The answer.
    pub content: Vec<Content>,
    /// The answer as data.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<RawJson>,
    /// Whether the tool failed. Absent means false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_error: Option<bool>,
    /// Metadata of the block.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ToolResult {
    /// The call `tool_use_id` was answered by these blocks.
    pub fn new(tool_use_id: impl Into<String>, content: impl Into<Vec<Content>>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content: content.into(),
            structured_content: None,
            is_error: None,
            meta: None,
        }
    }

    setters! {
        /// Sets the answer as data.
        structured_content: impl Into<RawJson>;
        /// Sets whether the tool failed.
        is_error: bool;
        /// Sets the metadata of the block.
        meta: Meta;
    }
}

/// Which model is wanted (Sampling, "Model Preferences"). The client decides.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ModelPreferences {
    /// Models by parts of their names, the best first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hints: Option<Vec<ModelHint>>,
    /// How much a low price matters, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cost_priority: Option<f64>,
    /// How much speed matters, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed_priority: Option<f64>,
    /// How much intelligence matters, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub intelligence_priority: Option<f64>,
}

impl ModelPreferences {
    /// Any model.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets models by parts of their names, the best first.
        hints: impl Into<Vec<ModelHint>>;
        /// Sets how much a low price matters, from 0 to 1.
        cost_priority: f64;
        /// Sets how much speed matters, from 0 to 1.
        speed_priority: f64;
        /// Sets how much intelligence matters, from 0 to 1.
        intelligence_priority: f64;
    }
}

/// A model, or several.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ModelHint {
    /// A part of the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
}

impl ModelHint {
    /// The models whose names contain `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: Some(name.into()),
        }
    }
}

/// Which servers the model is told of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum IncludeContext {
    /// None.
    None,
    /// The one that asks.
    ThisServer,
    /// All that the client is connected to.
    AllServers,
}

/// How the model uses tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolChoice {
    /// Whether it may or must. Absent means that it may.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<ToolChoiceMode>,
}

impl ToolChoice {
    /// Uses tools in this way.
    #[must_use]
    pub fn new(mode: ToolChoiceMode) -> Self {
        Self { mode: Some(mode) }
    }
}

/// Whether the model may or must use tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum ToolChoiceMode {
    /// It may.
    Auto,
    /// It must use one.
    Required,
    /// It must not.
    None,
}

/// What the model said: the result of `sampling/createMessage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CreateMessageResult {
    /// Who says it: the model.
    pub role: Role,
    /// What is said. One block is written without brackets.
    #[serde(with = "blocks")]
    pub content: Vec<SamplingContent>,
    /// The model.
    pub model: String,
    /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or another word.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stop_reason: Option<String>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl CreateMessageResult {
    /// What `model` said.
    pub fn new(model: impl Into<String>, content: impl Into<Vec<SamplingContent>>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
            model: model.into(),
            stop_reason: None,
            meta: None,
        }
    }

    setters! {
        /// Sets why it stopped.
        stop_reason: impl Into<String>;
        /// Sets the metadata of the result.
        meta: Meta;
    }

    /// All text of the answer.
    #[must_use]
    pub fn text(&self) -> String {
        let text = |block: &SamplingContent| match block {
            SamplingContent::Text(block) => Some(block.text.clone()),
            SamplingContent::Image(_)
            | SamplingContent::Audio(_)
            | SamplingContent::ToolUse(_)
            | SamplingContent::ToolResult(_)
            | SamplingContent::Unknown(_) => None,
        };
        self.content.iter().filter_map(text).collect()
    }
}

/// Blocks on the wire: one without brackets, as revisions before 2025-11-25 have it, or a list.
mod blocks {
    use super::{
        Deserialize, Deserializer, Error, RawValue, SamplingContent, Serialize, Serializer,
    };

    pub(super) fn serialize<S: Serializer>(
        blocks: &[SamplingContent],
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match blocks {
            [block] => block.serialize(serializer),
            blocks => blocks.serialize(serializer),
        }
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Vec<SamplingContent>, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let blocks = match raw.get().starts_with('[') {
            true => serde_json::from_str(raw.get()),
            false => serde_json::from_str(raw.get()).map(|block| vec![block]),
        };
        blocks.map_err(D::Error::custom)
    }
}
