//! The details of a problem for programs: named JSON values, in the order in which they were added.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::ser::{Serialize, Serializer};
use serde_json::{Map, Value};

/// Named JSON values. They are written in the order in which they were added; equality ignores the
/// order.
#[derive(Clone, Debug, Default)]
pub struct Details(
    /// No name occurs twice.
    Vec<(Cow<'static, str>, Value)>,
);

impl Details {
    pub(super) const fn new() -> Self {
        Self(Vec::new())
    }

    /// Sets a value. A name that is already present keeps its position.
    pub(super) fn set(&mut self, name: Cow<'static, str>, value: Value) {
        // A list rather than a map, because there are few details and they are shown in the order
        // in which they were added.
        match self.0.iter_mut().find(|(known, _)| *known == name) {
            Some((_, old)) => *old = value,
            None => self.0.push((name, value)),
        }
    }

    /// Replaces each text by the result of `words`.
    pub(super) fn reword(&mut self, words: impl Fn(&str) -> String) {
        for (_, value) in &mut self.0 {
            if let Value::String(text) = value {
                *text = words(text);
            }
        }
    }

    /// The value with this name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.iter()
            .find_map(|(known, value)| (known == name).then_some(value))
    }

    /// All details, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// The number of details.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no details.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl From<&Map<String, Value>> for Details {
    fn from(members: &Map<String, Value>) -> Self {
        let members = members.iter();
        Self(
            members
                .map(|(name, value)| (Cow::Owned(name.clone()), value.clone()))
                .collect(),
        )
    }
}

impl PartialEq for Details {
    fn eq(&self, other: &Self) -> bool {
        // Members of a JSON object have no order, so a peer may return them in another order.
        fn by_name(details: &Details) -> BTreeMap<&str, &Value> {
            details.iter().collect()
        }
        by_name(self) == by_name(other)
    }
}

impl Serialize for Details {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.iter())
    }
}
