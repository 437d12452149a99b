//! Completion: the specification's page "Completion". Values for an argument of a prompt or a
//! variable of a resource template, offered while the user fills it in.

use serde::{Deserialize, Serialize};

use super::arguments::Arguments;
use super::json::Meta;
use super::record::record;
use super::{natural, object};

/// The prompt or template whose argument is completed (Completion, "Reference Types").
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

record! {
    /// The parameters of `completion/complete`.
    #[derive(Eq)]
    pub struct CompleteParams {
        /// The prompt or template that has the argument.
        #[serde(rename = "ref", deserialize_with = "object::deserialize")]
        pub reference: Reference,
        /// The argument with the text entered so far.
        pub argument: CompleteArgument,
        /// The other arguments filled in so far; from 2025-06-18.
        #[no_setter]
        pub context: Option<CompleteContext>,
    }
}

impl CompleteParams {
    /// Asks for completions of `value`, the text so far of the argument `name`.
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

    /// Sets the other arguments that are already filled in.
    #[must_use]
    pub fn arguments(mut self, arguments: impl Into<Arguments>) -> Self {
        self.context = Some(CompleteContext {
            arguments: Some(arguments.into()),
        });
        self
    }
}

record! {
    /// The argument that is completed.
    #[derive(Eq)]
    pub struct CompleteArgument {
        /// Its name.
        pub name: String,
        /// The text so far.
        pub value: String,
    }
}

record! {
    /// The context of the argument that is completed.
    #[derive(Eq, Default)]
    pub struct CompleteContext {
        /// The other arguments that are already filled in.
        #[no_setter]
        pub arguments: Option<Arguments>,
    }
}

record! {
    /// The result of `completion/complete`.
    pub struct CompleteResult {
        /// The values that the argument can take.
        pub completion: Completion,
        /// Metadata of the result.
        #[serde(rename = "_meta")]
        pub meta: Option<Meta>,
    }

    /// A result with these values.
    pub fn new(completion: Completion);
}

record! {
    /// Values that an argument can take, the best first (Completion, "Completion Results").
    #[derive(Eq, Default)]
    pub struct Completion {
        /// The values. On the wire at most [`MOST`](Self::MOST).
        pub values: Vec<String>,
        /// The number of all values.
        #[serde(default, deserialize_with = "natural::optional")]
        pub total: Option<u64>,
        /// Whether there are more values than these.
        pub has_more: Option<bool>,
    }

    /// Completion with these values, the best first.
    pub fn new(values: impl Into<Vec<String>>);
}

impl Completion {
    /// The maximum number of values in one result.
    pub const MOST: usize = 100;
}
