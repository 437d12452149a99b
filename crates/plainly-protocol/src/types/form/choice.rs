//! The fields of a form that choose one item or several from a list. JSON Schema has three ways to
//! write the first and two to write the second; here each has one type.

use serde::de::{Deserializer, Error};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::types::object::ObjectOnly;
use crate::types::record::setters;
use crate::types::{natural, object};

/// An item that the user can choose.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Choice {
    /// The value in the answer.
    #[serde(rename = "const")]
    pub value: String,
    /// The text for users. Absent means the value itself.
    pub title: Option<String>,
}

impl Choice {
    /// A choice with the title `title` for users.
    pub fn new(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self {
            value: value.into(),
            title: Some(title.into()),
        }
    }
}

/// A choice without a title, shown to users by its value.
impl From<&str> for Choice {
    fn from(value: &str) -> Self {
        Self::from(value.to_owned())
    }
}

/// A choice without a title, shown to users by its value.
impl From<String> for Choice {
    fn from(value: String) -> Self {
        Self { value, title: None }
    }
}

/// A choice with a value and a title.
impl<V: Into<String>, T: Into<String>> From<(V, T)> for Choice {
    fn from((value, title): (V, T)) -> Self {
        Self::new(value, title)
    }
}

/// The spelling of titles.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum ChoiceStyle {
    /// A title beside each value; from 2025-11-25.
    #[default]
    Titled,
    /// A separate list of titles, `enumNames`, which is all that 2025-06-18 has.
    EnumNames,
}

/// One choice from a list (the spec's `UntitledSingleSelectEnumSchema`,
/// `TitledSingleSelectEnumSchema` and `LegacyTitledEnumSchema`).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChoiceField {
    /// The display name.
    pub title: Option<String>,
    /// A description of the choice.
    pub description: Option<String>,
    /// The choices. If one has a title, all are written with one.
    pub choices: Vec<Choice>,
    /// The spelling of titles.
    pub style: ChoiceStyle,
    /// The value that is selected initially; from 2025-11-25.
    pub default: Option<String>,
}

impl ChoiceField {
    /// A field with these choices: values, or pairs of value and title.
    pub fn new<C: Into<Choice>>(choices: impl IntoIterator<Item = C>) -> Self {
        Self {
            title: None,
            description: None,
            choices: choices.into_iter().map(Into::into).collect(),
            style: ChoiceStyle::default(),
            default: None,
        }
    }

    setters! {
        /// Sets the display name.
        title: impl Into<String>;
        /// Sets the description of the choice.
        description: impl Into<String>;
    }

    /// Sets the value that is selected initially.
    #[must_use]
    pub fn default_value(mut self, default: impl Into<String>) -> Self {
        self.default = Some(default.into());
        self
    }
}

/// Several choices from a list (the spec's `UntitledMultiSelectEnumSchema` and
/// `TitledMultiSelectEnumSchema`); from 2025-11-25.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct ChoicesField {
    /// The display name.
    pub title: Option<String>,
    /// A description of the choice.
    pub description: Option<String>,
    /// The minimum number of choices.
    pub min_items: Option<u64>,
    /// The maximum number of choices.
    pub max_items: Option<u64>,
    /// The choices. If one has a title, all are written with one.
    pub choices: Vec<Choice>,
    /// The values that are selected initially.
    pub default: Option<Vec<String>>,
}

impl ChoicesField {
    /// A field with any number of these choices: values, or pairs of value and title.
    pub fn new<C: Into<Choice>>(choices: impl IntoIterator<Item = C>) -> Self {
        Self {
            title: None,
            description: None,
            min_items: None,
            max_items: None,
            choices: choices.into_iter().map(Into::into).collect(),
            default: None,
        }
    }

    setters! {
        /// Sets the display name.
        title: impl Into<String>;
        /// Sets the description of the choice.
        description: impl Into<String>;
        /// Sets the minimum number of choices.
        min_items: u64;
        /// Sets the maximum number of choices.
        max_items: u64;
    }

    /// Sets the values that are selected initially.
    #[must_use]
    pub fn default_values<V: Into<String>>(mut self, default: impl IntoIterator<Item = V>) -> Self {
        self.default = Some(default.into_iter().map(Into::into).collect());
        self
    }
}

/// Either type of field on the wire.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireChoice<D> {
    r#type: ChoiceType,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "natural::optional"
    )]
    min_items: Option<u64>,
    #[serde(
        skip_serializing_if = "Option::is_none",
        default,
        deserialize_with = "natural::optional"
    )]
    max_items: Option<u64>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    enum_names: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    one_of: Option<Vec<Choice>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    items: Option<ObjectOnly<Items>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    default: Option<D>,
}

#[derive(PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ChoiceType {
    String,
    Array,
}

/// The schema of each of several choices.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Items {
    #[serde(skip_serializing_if = "Option::is_none")]
    r#type: Option<ChoiceType>,
    #[serde(rename = "enum", skip_serializing_if = "Option::is_none")]
    values: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    any_of: Option<Vec<Choice>>,
}

impl<D> WireChoice<D> {
    fn new(r#type: ChoiceType) -> Self {
        Self {
            r#type,
            title: None,
            description: None,
            min_items: None,
            max_items: None,
            values: None,
            enum_names: None,
            one_of: None,
            items: None,
            default: None,
        }
    }
}

impl Serialize for ChoiceField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut wire = WireChoice::new(ChoiceType::String);
        wire.title.clone_from(&self.title);
        wire.description.clone_from(&self.description);
        match (titled(&self.choices), self.style) {
            (None, _) => wire.values = Some(values(&self.choices)),
            (Some(choices), ChoiceStyle::Titled) => wire.one_of = Some(choices),
            (Some(choices), ChoiceStyle::EnumNames) => {
                wire.values = Some(values(&self.choices));
                wire.enum_names = Some(choices.into_iter().filter_map(|one| one.title).collect());
            }
        }
        wire.default.clone_from(&self.default);
        wire.serialize(serializer)
    }
}

impl Serialize for ChoicesField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut wire = WireChoice::new(ChoiceType::Array);
        wire.title.clone_from(&self.title);
        wire.description.clone_from(&self.description);
        wire.min_items = self.min_items;
        wire.max_items = self.max_items;
        wire.items = Some(ObjectOnly(match titled(&self.choices) {
            None => Items {
                r#type: Some(ChoiceType::String),
                values: Some(values(&self.choices)),
                any_of: None,
            },
            Some(choices) => Items {
                r#type: None,
                values: None,
                any_of: Some(choices),
            },
        }));
        wire.default.clone_from(&self.default);
        wire.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for ChoiceField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire: WireChoice<String> = object::deserialize(deserializer)?;
        let mut style = ChoiceStyle::Titled;
        let choices = match (wire.one_of, wire.values, wire.enum_names) {
            // `oneOf` has each title beside its value, so it takes precedence over lists that are
            // matched by position.
            (Some(choices), ..) => choices,
            (None, Some(values), None) => values.into_iter().map(Choice::from).collect(),
            (None, Some(values), Some(names)) => {
                style = ChoiceStyle::EnumNames;
                named(values, names)
            }
            (None, None, _) => return Err(D::Error::custom("one choice needs `enum` or `oneOf`")),
        };
        if wire.r#type != ChoiceType::String {
            return Err(D::Error::custom("one choice is of the type \"string\""));
        }
        Ok(Self {
            title: wire.title,
            description: wire.description,
            choices,
            style,
            default: wire.default,
        })
    }
}

impl<'de> Deserialize<'de> for ChoicesField {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let wire: WireChoice<Vec<String>> = object::deserialize(deserializer)?;
        let choices = match wire
            .items
            .map(|ObjectOnly(items)| (items.any_of, items.values))
        {
            Some((Some(choices), _)) => choices,
            Some((None, Some(values))) => values.into_iter().map(Choice::from).collect(),
            Some((None, None)) | None => {
                return Err(D::Error::custom(
                    "several choices need `enum` or `anyOf` in `items`",
                ));
            }
        };
        if wire.r#type != ChoiceType::Array {
            return Err(D::Error::custom(
                "several choices are of the type \"array\"",
            ));
        }
        Ok(Self {
            title: wire.title,
            description: wire.description,
            min_items: wire.min_items,
            max_items: wire.max_items,
            choices,
            default: wire.default,
        })
    }
}

fn values(choices: &[Choice]) -> Vec<String> {
    choices.iter().map(|choice| choice.value.clone()).collect()
}

/// All choices with titles, if any has one.
fn titled(choices: &[Choice]) -> Option<Vec<Choice>> {
    let with_title = |choice: &Choice| {
        let title = choice.title.as_ref().unwrap_or(&choice.value);
        Choice::new(&choice.value, title)
    };
    let has_title = choices.iter().any(|choice| choice.title.is_some());
    has_title.then(|| choices.iter().map(with_title).collect())
}

/// Each value with the name at its position; a value without a name has no title.
fn named(values: Vec<String>, names: Vec<String>) -> Vec<Choice> {
    let titles = names.into_iter().map(Some).chain(std::iter::repeat(None));
    let choices = values.into_iter().zip(titles);
    choices
        .map(|(value, title)| Choice { value, title })
        .collect()
}
