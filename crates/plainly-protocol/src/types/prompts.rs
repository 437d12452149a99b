//! Prompts: the specification's page "Prompts". Their messages consist of [`Content`], like tool
//! results.

use super::arguments::Arguments;
use super::common::{Cursor, Icon, Role};
use super::content::Content;
use super::json::Meta;
use super::record::record;

record! {
    /// A prompt as it is listed (Prompts, "Prompt").
    pub struct Prompt {
        /// The name by which clients request the prompt.
        pub name: String,
        /// The display name.
        pub title: Option<String>,
        /// The purpose of the prompt.
        pub description: Option<String>,
        /// The arguments, in the order in which to ask for them. Absent means none.
        pub arguments: Option<Vec<PromptArgument>>,
        /// Icons to show beside the name.
        pub icons: Option<Vec<Icon>>,
        /// Metadata of the prompt.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A prompt without arguments.
    pub fn new(name: impl Into<String>);
}

record! {
    /// An argument of a prompt, which is always text.
    #[derive(Eq)]
    pub struct PromptArgument {
        /// The name of the argument.
        pub name: String,
        /// The display name; from 2025-06-18.
        pub title: Option<String>,
        /// A description of the argument.
        pub description: Option<String>,
        /// Whether the argument is required. Absent means false.
        pub required: Option<bool>,
    }

    /// An optional argument.
    pub fn new(name: impl Into<String>);
}

impl PromptArgument {
    /// Whether the argument is required.
    #[must_use]
    pub fn is_required(&self) -> bool {
        self.required == Some(true)
    }
}

record! {
    /// A message of a prompt (Prompts, "PromptMessage").
    pub struct PromptMessage {
        /// The speaker.
        pub role: Role,
        /// The block of content.
        pub content: Content,
    }

    /// A message of `role`.
    pub fn new(role: Role, content: Content);
}

impl PromptMessage {
    /// A text message of the user.
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, Content::text(text))
    }

    /// A text message of the model.
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, Content::text(text))
    }
}

record! {
    /// The parameters of `prompts/list`.
    #[derive(Default)]
    pub struct ListPromptsParams {
        /// The position to continue from.
        pub cursor: Option<Cursor>,
    }

    /// Requests the first page.
    pub fn new();
}

record! {
    /// The result of `prompts/list`.
    pub struct ListPromptsResult {
        /// The prompts of this page.
        pub prompts: Vec<Prompt>,
        /// The position of the next page. Absent on the last.
        pub next_cursor: Option<Cursor>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// The last page, or the only one.
    pub fn new(prompts: impl Into<Vec<Prompt>>);
}

record! {
    /// The parameters of `prompts/get`.
    #[derive(Eq)]
    pub struct GetPromptParams {
        /// The name of the prompt.
        pub name: String,
        /// The arguments to fill in. Absent means none.
        pub arguments: Option<Arguments>,
    }

    /// Requests a prompt without arguments.
    pub fn new(name: impl Into<String>);
}

record! {
    /// The result of `prompts/get`.
    pub struct GetPromptResult {
        /// The purpose of the prompt.
        pub description: Option<String>,
        /// The messages, in order.
        pub messages: Vec<PromptMessage>,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A prompt with these messages.
    pub fn new(messages: impl Into<Vec<PromptMessage>>);
}
