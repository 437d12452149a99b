//! A field of a form, of any type. The member `type` and the members that list choices determine
//! the type.

use serde::de::{Deserializer, Error};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

use super::choice::{ChoiceField, ChoicesField};
use super::field::{BooleanField, NumberField, TextField};
use crate::types::record::variants;

/// A field of a form (the spec's `PrimitiveSchemaDefinition`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
#[non_exhaustive]
pub enum Field {
    /// Text.
    Text(TextField),
    /// A number.
    Number(NumberField),
    /// Yes or no.
    Boolean(BooleanField),
    /// One choice from a list.
    Choice(ChoiceField),
    /// Several choices from a list; from 2025-11-25.
    Choices(ChoicesField),
}

impl Field {
    /// The value of the field if the user leaves it unchanged.
    pub(super) fn preset(&self) -> Option<Value> {
        match self {
            Self::Text(field) => field.default.clone().map(Value::from),
            Self::Number(field) => field.default.clone().map(Value::from),
            Self::Boolean(field) => field.default.map(Value::from),
            Self::Choice(field) => field.default.clone().map(Value::from),
            Self::Choices(field) => field.default.clone().map(Value::from),
        }
    }
}

impl<'de> Deserialize<'de> for Field {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(rename_all = "lowercase")]
        enum MemberType {
            String,
            Number,
            Integer,
            Boolean,
            Array,
        }
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Kind<'a> {
            r#type: MemberType,
            #[serde(borrow)]
            r#enum: Option<&'a RawValue>,
            #[serde(borrow)]
            one_of: Option<&'a RawValue>,
        }

        fn read(text: &str) -> serde_json::Result<Field> {
            let kind: Kind<'_> = serde_json::from_str(text)?;
            Ok(match (kind.r#type, kind.r#enum.or(kind.one_of)) {
                (MemberType::String, None) => Field::Text(serde_json::from_str(text)?),
                (MemberType::String, Some(_)) => Field::Choice(serde_json::from_str(text)?),
                (MemberType::Number | MemberType::Integer, _) => {
                    Field::Number(serde_json::from_str(text)?)
                }
                (MemberType::Boolean, _) => Field::Boolean(serde_json::from_str(text)?),
                (MemberType::Array, _) => Field::Choices(serde_json::from_str(text)?),
            })
        }

        let raw = Box::<RawValue>::deserialize(deserializer)?;
        read(raw.get()).map_err(D::Error::custom)
    }
}

variants! {
    Field:
    Text(TextField),
    Number(NumberField),
    Boolean(BooleanField),
    Choice(ChoiceField),
    Choices(ChoicesField),
}
