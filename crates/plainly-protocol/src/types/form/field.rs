//! The simple fields of a form: text, numbers, yes-or-no questions. Choices have a separate file.

use plainly_errors::number::whole;
use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::types::natural;
use crate::types::record::record;

record! {
    /// Text (the spec's `StringSchema`).
    #[derive(Eq, Default)]
    #[serde(tag = "type", rename = "string")]
    pub struct TextField {
        /// The display name.
        pub title: Option<String>,
        /// A description of the value to fill in.
        pub description: Option<String>,
        /// The minimum number of characters.
        #[serde(default, deserialize_with = "natural::optional")]
        pub min_length: Option<u64>,
        /// The maximum number of characters.
        #[serde(default, deserialize_with = "natural::optional")]
        pub max_length: Option<u64>,
        /// The kind of text.
        pub format: Option<TextFormat>,
        /// The initial value; from 2025-11-25.
        #[no_setter]
        pub default: Option<String>,
    }

    /// A field for any text.
    pub fn new();
}

impl TextField {
    /// Sets the initial text.
    #[must_use]
    pub fn default_value(mut self, default: impl Into<String>) -> Self {
        self.default = Some(default.into());
        self
    }
}

/// The kind of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum TextFormat {
    /// An email address.
    Email,
    /// A URI.
    Uri,
    /// A date: `2026-07-28`.
    Date,
    /// A date with a time: `2026-07-28T12:00:00Z`.
    DateTime,
}

record! {
    /// A number (the spec's `NumberSchema`).
    #[derive(Eq)]
    pub struct NumberField {
        /// Whether the number must be an integer.
        #[serde(rename = "type", with = "whole")]
        pub is_integer: bool,
        /// The display name.
        pub title: Option<String>,
        /// A description of the value to fill in.
        pub description: Option<String>,
        /// The minimum.
        #[no_setter]
        pub minimum: Option<Number>,
        /// The maximum.
        #[no_setter]
        pub maximum: Option<Number>,
        /// The initial value; from 2025-11-25.
        #[no_setter]
        pub default: Option<Number>,
    }
}

impl NumberField {
    /// A field for any number.
    #[must_use]
    pub fn new() -> Self {
        Self {
            is_integer: false,
            title: None,
            description: None,
            minimum: None,
            maximum: None,
            default: None,
        }
    }

    /// A field for integers.
    #[must_use]
    pub fn integer() -> Self {
        Self {
            is_integer: true,
            ..Self::new()
        }
    }

    /// Sets the minimum. A value that is not finite means no minimum.
    #[must_use]
    pub fn minimum(mut self, minimum: impl Into<f64>) -> Self {
        self.minimum = number(minimum.into());
        self
    }

    /// Sets the maximum. A value that is not finite means no maximum.
    #[must_use]
    pub fn maximum(mut self, maximum: impl Into<f64>) -> Self {
        self.maximum = number(maximum.into());
        self
    }

    /// Sets the initial number. A value that is not finite is ignored.
    #[must_use]
    pub fn default_value(mut self, default: impl Into<f64>) -> Self {
        self.default = number(default.into());
        self
    }
}

impl Default for NumberField {
    fn default() -> Self {
        Self::new()
    }
}

/// The number in its usual form: an integer without a decimal point.
fn number(value: f64) -> Option<Number> {
    match whole(value) {
        Some(whole) => Some(Number::from(whole)),
        None => Number::from_f64(value),
    }
}

/// `type` of a number.
mod whole {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    enum NumberType {
        Number,
        Integer,
    }

    pub(super) fn serialize<S: Serializer>(is: &bool, serializer: S) -> Result<S::Ok, S::Error> {
        let kind = if *is {
            NumberType::Integer
        } else {
            NumberType::Number
        };
        kind.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<bool, D::Error> {
        NumberType::deserialize(from).map(|kind| matches!(kind, NumberType::Integer))
    }
}

record! {
    /// A yes-or-no question (the spec's `BooleanSchema`).
    #[derive(Eq, Default)]
    #[serde(tag = "type", rename = "boolean")]
    pub struct BooleanField {
        /// The display name.
        pub title: Option<String>,
        /// A description of the question.
        pub description: Option<String>,
        /// The initial choice.
        #[no_setter]
        pub default: Option<bool>,
    }

    /// A yes-or-no question.
    pub fn new();
}

impl BooleanField {
    /// Sets the initial choice.
    #[must_use]
    pub fn default_value(mut self, default: bool) -> Self {
        self.default = Some(default);
        self
    }
}
