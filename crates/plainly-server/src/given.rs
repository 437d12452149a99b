//! A second, lenient deserialization of JSON that a type rejected: integers and absent members are
//! recognised in any notation, and an error has the path of the mistake.
//!
//! It is separate from the first deserialization, so that valid input costs nothing.

use plainly_errors::Mistake;
use plainly_errors::number::whole;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use super::misfit::Misfit;
use super::strings::Fields;

/// Reads a `T` from JSON, or returns the first mistake.
pub(super) fn read<T: DeserializeOwned>(json: &str) -> Result<T, Mistake> {
    let value: Value =
        serde_json::from_str(json).map_err(|_| Mistake::new("", "it is nested too deeply"))?;
    read_value(&value)
}

/// Like [`read`], from a value.
pub(super) fn read_value<T: DeserializeOwned>(value: &Value) -> Result<T, Mistake> {
    // First unchanged, because a `null` member may be intended.
    let as_it_is = T::deserialize(DisplayedValue(value, Nulls::Kept));
    as_it_is
        .or_else(|_| T::deserialize(DisplayedValue(value, Nulls::Absent)))
        .map_err(|Misfit(mistake)| mistake)
}

/// The meaning of a `null` member of a struct.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    Kept,
    Absent,
}

/// A value, displayed in JSON terms in errors.
#[derive(Clone, Copy)]
struct DisplayedValue<'a>(&'a Value, Nulls);

impl<'de> IntoDeserializer<'de, Misfit> for DisplayedValue<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for DisplayedValue<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(truth) => visitor.visit_bool(*truth),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(number), ..) => visitor.visit_u64(number),
                (None, Some(number), _) => visitor.visit_i64(number),
                (None, None, Some(number)) => match whole(number) {
                    Some(whole) => visitor.visit_i64(whole),
                    None => visitor.visit_f64(number),
                },
                (None, None, None) => visitor.visit_string(number.to_string()),
            },
            Value::String(text) => visitor.visit_borrowed_str(text),
            Value::Array(items) => visitor.visit_seq(Items(items.iter().enumerate(), self.1)),
            Value::Object(members) => visitor.visit_map(fields(members, self.1)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0.is_null() {
            true => visitor.visit_none(),
            false => visitor.visit_some(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        // Derived types would also accept an array for an object.
        let Some(members) = self.0.as_object() else {
            return self.deserialize_map(visitor);
        };
        let Self(_, nulls) = self;
        let members = members
            .iter()
            .filter(|(_, value)| nulls == Nulls::Kept || !value.is_null())
            .map(|(name, value)| (name.as_str(), DisplayedValue(value, nulls)));
        visitor.visit_map(Fields::of(members))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        if self.0.is_array() {
            let found = serde::de::Unexpected::Seq;
            return Err(serde::de::Error::invalid_type(found, &visitor));
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        /// The name by which `serde_json` requests unparsed JSON.
        const RAW: &str = "$serde_json::private::RawValue";
        match name {
            RAW => {
                let raw = std::iter::once((RAW, self.0.to_string()));
                visitor.visit_map(MapDeserializer::new(raw))
            }
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::String(text) => visitor.visit_enum(BorrowedStrDeserializer::new(text)),
            Value::Object(members) => {
                visitor.visit_enum(MapAccessDeserializer::new(fields(members, self.1)))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => {
                self.deserialize_any(visitor)
            }
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct identifier ignored_any
    }
}

fn fields<'a>(
    members: &'a Map<String, Value>,
    nulls: Nulls,
) -> Fields<'a, impl Iterator<Item = (&'a str, DisplayedValue<'a>)>, DisplayedValue<'a>> {
    let members = members.iter();
    Fields::of(members.map(move |(name, value)| (name.as_str(), DisplayedValue(value, nulls))))
}

/// The items of an array, with their indexes.
struct Items<I>(I, Nulls);

impl<'de, I: Iterator<Item = (usize, &'de Value)>> SeqAccess<'de> for Items<I> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        let Some((at, value)) = self.0.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(DisplayedValue(value, self.1));
        read.map(Some).map_err(|why| why.under(&at.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    #[test]
    fn null_means_the_same_whether_or_not_another_number_is_whole() {
        #[derive(Debug, PartialEq, Deserialize)]
        struct Page {
            #[serde(default = "ten")]
            limit: Option<u32>,
            value: Value,
            page: u32,
        }
        fn ten() -> Option<u32> {
            Some(10)
        }
        let json = r#"{"limit":null,"value":null,"page":1}"#;
        let at_once: Page = serde_json::from_str(json).unwrap();
        let again: Page = read(&json.replace('1', "1.0")).unwrap();
        assert_eq!(again, at_once);
    }
}
