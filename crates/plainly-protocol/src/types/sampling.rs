//! Sampling: requests to the client's model, by the specification's page "Sampling". The types do
//! not say which revision has which content.

use serde::de::{Deserializer, Error};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::common::Role;
use super::content::{Content, MediaContent, TextContent, type_of};
use super::json::{JsonObject, Meta, RawJson};
use super::natural;
use super::record::record;
use super::tools::Tool;

record! {
    /// The parameters of `sampling/createMessage`.
    pub struct CreateMessageParams {
        /// The conversation so far.
        pub messages: Vec<SamplingMessage>,
        /// Preferences for the model.
        pub model_preferences: Option<ModelPreferences>,
        /// The system prompt. The client may change it.
        pub system_prompt: Option<String>,
        /// The servers whose context the model gets. Any value except `None` needs the client's
        /// capability `sampling.context`.
        pub include_context: Option<IncludeContext>,
        /// The sampling temperature.
        pub temperature: Option<f64>,
        /// The maximum number of tokens of the answer.
        #[serde(deserialize_with = "natural::deserialize")]
        pub max_tokens: u64,
        /// Texts that end the answer when they are generated.
        pub stop_sequences: Option<Vec<String>>,
        /// Settings of the model's provider.
        pub metadata: Option<JsonObject>,
        /// Tools that the model may use. They need the client's capability `sampling.tools`; from
        /// 2025-11-25.
        pub tools: Option<Vec<Tool>>,
        /// The way in which the model uses the tools; from 2025-11-25.
        pub tool_choice: Option<ToolChoice>,
    }

    /// Continues this conversation, by at most `max_tokens` tokens.
    pub fn new(messages: impl Into<Vec<SamplingMessage>>, max_tokens: u64);
}

record! {
    /// A message of the conversation.
    pub struct SamplingMessage {
        /// The speaker.
        pub role: Role,
        /// The blocks of content. A single block is written without brackets.
        #[serde(with = "blocks")]
        pub content: Vec<SamplingContent>,
        /// Metadata of the message; from 2025-11-25.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A message of `role`.
    pub fn new(role: Role, content: impl Into<Vec<SamplingContent>>);
}

impl SamplingMessage {
    /// A text message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, [SamplingContent::text(text)])
    }

    /// A text message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, [SamplingContent::text(text)])
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
    /// The model's call of a tool; from 2025-11-25.
    ToolUse(ToolUse),
    /// The result of the tool; from 2025-11-25.
    ToolResult(ToolResult),
    /// The whole block, if its type is unknown.
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
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let read = |text| match &*type_of(text)? {
            "text" => serde_json::from_str(text).map(Self::Text),
            "image" => serde_json::from_str(text).map(Self::Image),
            "audio" => serde_json::from_str(text).map(Self::Audio),
            "tool_use" => serde_json::from_str(text).map(Self::ToolUse),
            "tool_result" => serde_json::from_str(text).map(Self::ToolResult),
            _ => RawJson::parse(text).map(Self::Unknown),
        };
        read(raw.get()).map_err(D::Error::custom)
    }
}

record! {
    /// The model's call of a tool: the specification's `ToolUseContent`.
    pub struct ToolUse {
        /// The id of the call.
        pub id: String,
        /// The name of the tool.
        pub name: String,
        /// The arguments.
        pub input: JsonObject,
        /// Metadata of the block.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A call of `name` with `input`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: JsonObject);
}

record! {
    /// The result of a tool that the model called: the specification's `ToolResultContent`.
    pub struct ToolResult {
        /// The id of the call that the result belongs to.
        pub tool_use_id: String,
        /// The answer.
        pub content: Vec<Content>,
        /// The answer as data.
        pub structured_content: Option<RawJson>,
        /// Whether the tool failed. Absent means false.
        pub is_error: Option<bool>,
        /// Metadata of the block.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A result of the call `tool_use_id` with these blocks.
    pub fn new(tool_use_id: impl Into<String>, content: impl Into<Vec<Content>>);
}

record! {
    /// Preferences for a model (Sampling, "Model Preferences"). The client makes the choice.
    #[derive(Default)]
    pub struct ModelPreferences {
        /// Parts of model names, the best first.
        pub hints: Option<Vec<ModelHint>>,
        /// The weight of a low price, from 0 to 1.
        pub cost_priority: Option<f64>,
        /// The weight of speed, from 0 to 1.
        pub speed_priority: Option<f64>,
        /// The weight of intelligence, from 0 to 1.
        pub intelligence_priority: Option<f64>,
    }

    /// No preferences.
    pub fn new();
}

record! {
    /// A model or several, by a part of the name.
    #[derive(Eq, Default)]
    pub struct ModelHint {
        /// A part of the name.
        #[no_setter]
        pub name: Option<String>,
    }
}

impl ModelHint {
    /// A hint for models whose names contain `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: Some(name.into()),
        }
    }
}

/// The servers whose context the model gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum IncludeContext {
    /// No servers.
    None,
    /// The server that sends the request.
    ThisServer,
    /// All servers that the client is connected to.
    AllServers,
}

record! {
    /// The use of tools by the model.
    #[derive(Copy, Eq, Default)]
    pub struct ToolChoice {
        /// Whether the model may or must use tools. Absent means that it may.
        #[no_setter]
        pub mode: Option<ToolChoiceMode>,
    }
}

impl ToolChoice {
    /// A choice with this mode.
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
    /// The model may use tools.
    Auto,
    /// The model must use at least one tool.
    Required,
    /// The model must not use tools.
    None,
}

record! {
    /// The answer of the model: the result of `sampling/createMessage`.
    pub struct CreateMessageResult {
        /// The speaker: the model.
        pub role: Role,
        /// The blocks of content. A single block is written without brackets.
        #[serde(with = "blocks")]
        pub content: Vec<SamplingContent>,
        /// The name of the model.
        pub model: String,
        /// The reason why the model stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or
        /// another word.
        pub stop_reason: Option<String>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }
}

impl CreateMessageResult {
    /// An answer of `model`.
    pub fn new(model: impl Into<String>, content: impl Into<Vec<SamplingContent>>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
            model: model.into(),
            stop_reason: None,
            meta: None,
        }
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

/// Blocks on the wire: a single one without brackets, as revisions before 2025-11-25 have it, or a
/// list.
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
        // Raw JSON has no leading whitespace, so its first character shows the type.
        let blocks = match raw.get().starts_with('[') {
            true => serde_json::from_str(raw.get()),
            false => serde_json::from_str(raw.get()).map(|block| vec![block]),
        };
        blocks.map_err(D::Error::custom)
    }
}
