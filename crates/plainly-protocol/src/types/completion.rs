//! Completion: the spec's page "Completion". Values for an argument of a prompt or a variable of a resource template, while
//! a person fills it in.

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::json::Meta;
use super::setters::setters;

/// What has the argument that is completed (Completion, "Reference Types").
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "type")]
#[expect(
    clippy::exhaustive_enums,
    reason = "a server must have an answer for each"
)]
pub enum Reference {
    /// A prompt, by its name.
    #[serde(rename = "ref/prompt")]
    Prompt {
        /// The name.
        name: String,
    },
    /// A resource template, as it is listed.
    #[serde(rename = "ref/resource")]
    Resource {
        /// The URI template; the specification also allows a URI.
        uri: String,
    },
}

impl Reference {
    /// A prompt.
    pub fn prompt(name: impl Into<String>) -> Self {
        Self::Prompt { name: name.into() }
    }

    /// A resource template.
    pub fn resource(uri_template: impl Into<String>) -> Self {
        Self::Resource {
            uri: uri_template.into(),
        }
    }
}

/// The parameters of `completion/complete`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompleteParams {
    /// What has the argument.
    #[serde(rename = "ref")]
    pub reference: Reference,
    /// The argument, as far as it is filled in.
    pub argument: CompleteArgument,
    /// What else is filled in; from 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<CompleteContext>,
}

impl CompleteParams {
    /// Asks what `value`, the text so far, can become as the argument `name`.
    pub fn new(reference: Reference, name: impl Into<String>, value: impl Into<String>) -> Self {
        Self {
            reference,
            argument: CompleteArgument {
                name: name.into(),
                value: value.into(),
            },
            context: None,
        }
    }

    /// Sets the other arguments that are filled in.
    #[must_use]
    pub fn arguments(mut self, arguments: impl Into<Arguments>) -> Self {
        self.context = Some(CompleteContext {
            arguments: Some(arguments.into()),
        });
        self
    }
}

/// The argument that is completed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompleteArgument {
    /// Its name.
    pub name: String,
    /// The text so far.
    pub value: String,
}

/// What is known besides the argument that is completed.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompleteContext {
    /// The other arguments that are filled in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<Arguments>,
}

/// The result of `completion/complete`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompleteResult {
    /// What the argument can become.
    pub completion: Completion,
    /// Metadata of the result.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Meta>,
}

impl CompleteResult {
    /// A result with these values.
    #[must_use]
    pub fn new(completion: Completion) -> Self {
        Self {
            completion,
            meta: None,
        }
    }

    setters! {
        /// Sets the metadata of the result.
        meta: Meta;
    }
}

/// What an argument can become, the best first (Completion, "Completion Results").
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Completion {
    /// The values; on the wire at most [`MOST`](Self::MOST).
    pub values: Vec<String>,
    /// How many there are in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more than these.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
}

impl Completion {
    /// The most values in one result.
    pub const MOST: usize = 100;

    /// These values, the best first.
    pub fn new(values: impl Into<Vec<String>>) -> Self {
        Self {
            values: values.into(),
            total: None,
            has_more: None,
        }
    }

    setters! {
        /// Sets how many there are in all.
        total: u64;
        /// Sets whether there are more than these.
        has_more: bool;
    }
}
