//! Prompts: the spec's page "Prompts". What a prompt says is [`Content`], as in the answers of tools.

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::common::{Icon, Role};
use super::content::Content;
use super::json::Meta;
use super::pagination::Cursor;
use super::setters::setters;

/// A prompt as it is listed (Prompts, "Prompt").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Prompt {
    /// The name to ask for it by.
    pub name: String,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What the prompt is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What it can be filled in with, in the order in which to ask for it. Absent means nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Vec<PromptArgument>>,
    /// Icons to show beside the name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub icons: Option<Vec<Icon>>,
    /// Metadata of the prompt.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl Prompt {
    /// A prompt without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: None,
            icons: None,
            meta: None,
        }
    }

    setters! {
        /// Sets the name for people.
        title: impl Into<String>;
        /// Sets what the prompt is for.
        description: impl Into<String>;
        /// Sets what it can be filled in with.
        arguments: impl Into<Vec<PromptArgument>>;
        /// Sets the icons.
        icons: impl Into<Vec<Icon>>;
        /// Sets the metadata of the prompt.
        meta: Meta;
    }
}

/// Something that a prompt can be filled in with: always text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptArgument {
    /// The name to give it by.
    pub name: String,
    /// The name for people; from 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether it must be given. Absent means false.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
}

impl PromptArgument {
    /// An argument that may be left out.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            required: None,
        }
    }

    setters! {
        /// Sets the name for people.
        title: impl Into<String>;
        /// Sets what it is.
        description: impl Into<String>;
        /// Sets whether it must be given.
        required: bool;
    }

    /// Whether it must be given.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required == Some(true)
    }
}

/// A message of a prompt (Prompts, "PromptMessage").
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptMessage {
    /// Who says it.
    pub role: Role,
    /// What is said.
    pub content: Content,
}

impl PromptMessage {
    /// Something that `role` says.
    #[must_use]
    pub fn new(role: Role, content: Content) -> Self {
        Self { role, content }
    }

    /// Text that the person says.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, Content::text(text))
    }

    /// Text that the model says.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, Content::text(text))
    }
}

/// The parameters of `prompts/list`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListPromptsParams {
    /// Where to go on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<Cursor>,
}

impl ListPromptsParams {
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

/// The result of `prompts/list`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListPromptsResult {
    /// The prompts of this page.
    pub prompts: Vec<Prompt>,
    /// Where the next page begins. Absent on the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub next_cursor: Option<Cursor>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl ListPromptsResult {
    /// The last page, or the only one.
    pub fn new(prompts: impl Into<Vec<Prompt>>) -> Self {
        Self {
            prompts: prompts.into(),
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

/// The parameters of `prompts/get`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetPromptParams {
    /// The prompt that is meant.
    pub name: String,
    /// What to fill it in with. Absent means nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arguments>,
}

impl GetPromptParams {
    /// A prompt without arguments.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
        }
    }

    setters! {
        /// Sets what to fill it in with.
        arguments: impl Into<Arguments>;
    }
}

/// The result of `prompts/get`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct GetPromptResult {
    /// What the prompt is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What is said, in order.
    pub messages: Vec<PromptMessage>,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl GetPromptResult {
    /// A prompt made of these messages.
    pub fn new(messages: impl Into<Vec<PromptMessage>>) -> Self {
        Self {
            description: None,
            messages: messages.into(),
            meta: None,
        }
    }

    setters! {
        /// Sets what the prompt is for.
        description: impl Into<String>;
        /// Sets the metadata of the result.
        meta: Meta;
    }
}
