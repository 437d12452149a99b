//! The arguments of prompts and of completions: named texts, as users fill in forms. Independent of
//! both.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut};

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::json::RawJson;

/// Named texts, in the order of the names. Reading rejects a repeated name, and reports at once all
/// values that are not text.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[serde(transparent)]
pub struct Arguments(BTreeMap<String, String>);

impl Arguments {
    /// No arguments.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Deref for Arguments {
    type Target = BTreeMap<String, String>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for Arguments {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl<K: Into<String>, V: Into<String>> FromIterator<(K, V)> for Arguments {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(arguments: I) -> Self {
        let owned = |(name, value): (K, V)| (name.into(), value.into());
        Self(arguments.into_iter().map(owned).collect())
    }
}

impl<K: Into<String>, V: Into<String>, const N: usize> From<[(K, V); N]> for Arguments {
    fn from(arguments: [(K, V); N]) -> Self {
        Self::from_iter(arguments)
    }
}

/// No arguments.
impl From<()> for Arguments {
    fn from((): ()) -> Self {
        Self::new()
    }
}

impl<'de> Deserialize<'de> for Arguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(TextByName)
    }
}

/// Reads an object to its end, even if some values are not text.
struct TextByName;

impl<'de> Visitor<'de> for TextByName {
    type Value = Arguments;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of strings")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Arguments, A::Error> {
        let mut arguments = BTreeMap::new();
        let mut wrong = Vec::new();
        // To the end, so that a user who fills in a form learns about every invalid value at once.
        while let Some(name) = access.next_key::<String>()? {
            if arguments.contains_key(&name) {
                return Err(de::Error::custom(format_args!("duplicate field `{name}`")));
            }
            let value = access.next_value::<RawJson>()?.decode::<String>();
            if value.is_err() {
                wrong.push(format!("`{name}`"));
            }
            arguments.insert(name, value.unwrap_or_default());
        }
        match wrong.is_empty() {
            true => Ok(Arguments(arguments)),
            false => Err(de::Error::custom(format_args!(
                "arguments must be strings: {}",
                wrong.join(", ")
            ))),
        }
    }
}
