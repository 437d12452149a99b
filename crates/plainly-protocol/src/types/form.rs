//! The schema of a form: the restricted JSON Schema of Elicitation, "Requested Schema". A flat
//! object whose members are text, numbers, yes-or-no questions, or choices from a list. It does not
//! say which revision has which type.

mod choice;
mod field;
mod member;

use serde::de::Deserializer;
use serde::ser::{SerializeMap, Serializer};
use serde::{Deserialize, Serialize};

pub use self::choice::{Choice, ChoiceField, ChoiceStyle, ChoicesField};
pub use self::field::{BooleanField, NumberField, TextField, TextFormat};
pub use self::member::Field;
use crate::types::common::or_default;
use crate::types::json::{JsonObject, unique_members};
use crate::types::record::record;

record! {
    /// The schema of a form, with its fields in the order in which to ask for them.
    #[derive(Default)]
    #[serde(tag = "type", rename = "object")]
    pub struct FormSchema {
        /// The dialect of JSON Schema, if the form names one; from 2025-11-25.
        #[serde(rename = "$schema", default)]
        #[no_setter]
        pub dialect: Option<String>,
        /// The fields.
        pub properties: Fields,
        /// The names of the required fields.
        #[serde(default, deserialize_with = "or_default", skip_serializing_if = "Vec::is_empty")]
        pub required: Vec<String>,
    }
}

impl FormSchema {
    /// A form without fields.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a required field, or replaces the field with this name.
    #[must_use]
    pub fn field(mut self, name: impl Into<String>, field: impl Into<Field>) -> Self {
        let name = name.into();
        if !self.required.contains(&name) {
            self.required.push(name.clone());
        }
        self.properties.insert(name, field.into());
        self
    }

    /// Adds an optional field, or replaces the field with this name.
    #[must_use]
    pub fn optional(mut self, name: impl Into<String>, field: impl Into<Field>) -> Self {
        let name = name.into();
        self.required.retain(|required| *required != name);
        self.properties.insert(name, field.into());
        self
    }

    /// The form filled in with the defaults of its fields only. Fields without a default are left
    /// out (SEP-1034).
    ///
    /// ```
    /// use plainly_protocol::types::{ElicitResult, FormSchema, NumberField, TextField};
    ///
    /// let age = NumberField::integer().default_value(36);
    /// let form = FormSchema::new().field("age", age).optional("name", TextField::new());
    /// let answer = ElicitResult::accept(form.defaults());
    /// assert_eq!(serde_json::to_string(&answer)?, r#"{"action":"accept","content":{"age":36}}"#);
    /// # Ok::<(), serde_json::Error>(())
    /// ```
    #[must_use]
    pub fn defaults(&self) -> JsonObject {
        let fields = self.properties.iter();
        fields
            .filter_map(|(name, field)| Some((name, field.preset()?)))
            .collect()
    }
}

/// The fields of a form by name, in the order in which to ask for them. Reading rejects a repeated
/// name.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Fields(
    /// No name occurs twice.
    Vec<(String, Field)>,
);

impl Fields {
    /// The field with this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Field> {
        let mut fields = self.0.iter();
        fields.find(|(own, _)| own == name).map(|(_, field)| field)
    }

    /// Adds a field at the end, or replaces the field with this name.
    pub fn insert(&mut self, name: impl Into<String>, field: Field) {
        let name = name.into();
        match self.0.iter_mut().find(|(own, _)| *own == name) {
            Some((_, old)) => *old = field,
            None => self.0.push((name, field)),
        }
    }

    /// All names with their fields, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Field)> {
        self.0.iter().map(|(name, field)| (name.as_str(), field))
    }

    /// The number of fields.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are no fields.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl<K: Into<String>> FromIterator<(K, Field)> for Fields {
    fn from_iter<I: IntoIterator<Item = (K, Field)>>(fields: I) -> Self {
        let mut all = Self::default();
        for (name, field) in fields {
            all.insert(name, field);
        }
        all
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, field) in &self.0 {
            map.serialize_entry(name, field)?;
        }
        map.end()
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        unique_members(deserializer, "an object of fields").map(Self)
    }
}
