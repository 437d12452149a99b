//! Sampling: asking the client's model, by the spec's page "Sampling". Which revision has which content is not decided here.

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
        /// The model that is wanted.
        pub model_preferences: Option<ModelPreferences>,
        /// The system prompt. The client may change it.
        pub system_prompt: Option<String>,
        /// The servers whose context the model gets. Anything but `None` needs the client's capability `sampling.context`.
        pub include_context: Option<IncludeContext>,
        /// The freedom of the model's answers.
        pub temperature: Option<f64>,
        /// The most tokens of the answer.
        #[serde(deserialize_with = "natural::deserialize")]
        pub max_tokens: u64,
        /// Texts at which the answer ends.
        pub stop_sequences: Option<Vec<String>>,
        /// Settings of the model's provider.
        pub metadata: Option<JsonObject>,
        /// Tools that the model may want called. They need the client's capability `sampling.tools`; from 2025-11-25.
        pub tools: Option<Vec<Tool>>,
        /// The use of the tools by the model; from 2025-11-25.
        pub tool_choice: Option<ToolChoice>,
    }

    /// Goes on with this conversation, by at most so many tokens.
    pub fn new(messages: impl Into<Vec<SamplingMessage>>, max_tokens: u64);
}

record! {
    /// A message of the conversation.
    pub struct SamplingMessage {
        /// The speaker.
        pub role: Role,
        /// The blocks of content. A single one is written without brackets.
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
    /// The model wants a tool called; from 2025-11-25.
    ToolUse(ToolUse),
    /// The answer of the tool; from 2025-11-25.
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
    /// The model wants a tool called: the spec's `ToolUseContent`.
    pub struct ToolUse {
        /// Names the call.
        pub id: String,
        /// The tool.
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
    /// The answer of a tool that the model wanted called: the spec's `ToolResultContent`.
    pub struct ToolResult {
        /// The call that it answers.
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

    /// The call `tool_use_id` was answered by these blocks.
    pub fn new(tool_use_id: impl Into<String>, content: impl Into<Vec<Content>>);
}

record! {
    /// Preferences for a model (Sampling, "Model Preferences"). The client decides.
    #[derive(Default)]
    pub struct ModelPreferences {
        /// Models by parts of their names, the best first.
        pub hints: Option<Vec<ModelHint>>,
        /// The weight of a low price, from 0 to 1.
        pub cost_priority: Option<f64>,
        /// The weight of speed, from 0 to 1.
        pub speed_priority: Option<f64>,
        /// The weight of intelligence, from 0 to 1.
        pub intelligence_priority: Option<f64>,
    }

    /// Any model.
    pub fn new();
}

record! {
    /// A model, or several.
    #[derive(Eq, Default)]
    pub struct ModelHint {
        /// A part of the name.
        #[no_setter]
        pub name: Option<String>,
    }
}

impl ModelHint {
    /// The models whose names contain `name`.
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
    /// None.
    None,
    /// The one that asks.
    ThisServer,
    /// All that the client is connected to.
    AllServers,
}

record! {
    /// The use of tools by the model.
    #[derive(Copy, Eq, Default)]
    pub struct ToolChoice {
        /// Whether it may or must. Absent means that it may.
        #[no_setter]
        pub mode: Option<ToolChoiceMode>,
    }
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

record! {
    /// The answer of the model: the result of `sampling/createMessage`.
    pub struct CreateMessageResult {
        /// The speaker: the model.
        pub role: Role,
        /// The blocks of content. A single one is written without brackets.
        #[serde(with = "blocks")]
        pub content: Vec<SamplingContent>,
        /// The model.
        pub model: String,
        /// The reason why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or another
        /// word.
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
        // There is no white space before raw JSON, so its first letter tells.
        let blocks = match raw.get().starts_with('[') {
            true => serde_json::from_str(raw.get()),
            false => serde_json::from_str(raw.get()).map(|block| vec![block]),
        };
        blocks.map_err(D::Error::custom)
    }
}
