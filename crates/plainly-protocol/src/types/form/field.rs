//! The plain fields of a form: text, numbers, yes or no. Choices have a file of their own.

use serde::{Deserialize, Serialize};
use serde_json::Number;

use crate::types::setters::setters;

/// Text (the spec's `StringSchema`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "type", rename = "string", rename_all = "camelCase")]
#[non_exhaustive]
pub struct TextField {
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The fewest characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_length: Option<u64>,
    /// The most characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_length: Option<u64>,
    /// What kind of text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub format: Option<TextFormat>,
    /// What is filled in at first; from 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<String>,
}

impl TextField {
    /// Any text.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the name for people.
        title: impl Into<String>;
        /// Sets what to fill in.
        description: impl Into<String>;
        /// Sets the fewest characters.
        min_length: u64;
        /// Sets the most characters.
        max_length: u64;
        /// Sets what kind of text.
        format: TextFormat;
    }

    /// Sets what is filled in at first.
    #[must_use]
    pub fn default_value(mut self, default: impl Into<String>) -> Self {
        self.default = Some(default.into());
        self
    }
}

/// What kind of text.
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

/// A number (the spec's `NumberSchema`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct NumberField {
    /// Whether it must be a whole one.
    #[serde(rename = "type", with = "whole")]
    pub is_integer: bool,
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What to fill in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The least number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum: Option<Number>,
    /// The greatest number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub maximum: Option<Number>,
    /// What is filled in at first; from 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<Number>,
}

impl NumberField {
    /// Any number.
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

    /// A whole number.
    #[must_use]
    pub fn integer() -> Self {
        Self {
            is_integer: true,
            ..Self::new()
        }
    }

    setters! {
        /// Sets the name for people.
        title: impl Into<String>;
        /// Sets what to fill in.
        description: impl Into<String>;
    }

    /// Sets the least number. One that is not finite means none.
    #[must_use]
    pub fn minimum(mut self, minimum: impl Into<f64>) -> Self {
        self.minimum = number(minimum.into());
        self
    }

    /// Sets the greatest number. One that is not finite means none.
    #[must_use]
    pub fn maximum(mut self, maximum: impl Into<f64>) -> Self {
        self.maximum = number(maximum.into());
        self
    }

    /// Sets what is filled in at first. A number that is not finite means nothing.
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

/// The number as people write it: a whole one without a point.
fn number(value: f64) -> Option<Number> {
    /// Up to here every whole number is a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() <= EXACT {
        return Some(Number::from(value as i64));
    }
    Number::from_f64(value)
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

/// Yes or no (the spec's `BooleanSchema`).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(tag = "type", rename = "boolean")]
#[non_exhaustive]
pub struct BooleanField {
    /// The name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What is agreed to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What is chosen at first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub default: Option<bool>,
}

impl BooleanField {
    /// Yes or no.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Sets the name for people.
        title: impl Into<String>;
        /// Sets what is agreed to.
        description: impl Into<String>;
    }

    /// Sets what is chosen at first.
    #[must_use]
    pub fn default_value(mut self, default: bool) -> Self {
        self.default = Some(default);
        self
    }
}
