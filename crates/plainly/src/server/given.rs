//! JSON that a type did not take at once, read again with more patience: what a schema says is an integer or absent counts as
//! such however it is written, and what is refused nevertheless is told with its place.
//!
//! Apart from the first reading, so that good input costs nothing.

use plainly_errors::Mistake;
use serde::de::value::{BorrowedStrDeserializer, MapAccessDeserializer, MapDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, SeqAccess, Visitor,
};
use serde::forward_to_deserialize_any;
use serde_json::{Map, Value};

use super::misfit::Misfit;
use super::strings::Fields;

/// Reads a `T` from JSON, or says what is wrong with it.
pub(super) fn read<T: DeserializeOwned>(json: &str) -> Result<T, Mistake> {
    let value: Value =
        serde_json::from_str(json).map_err(|_| Mistake::new("", "it is nested too deeply"))?;
    read_value(&value)
}

/// The same from a value.
pub(super) fn read_value<T: DeserializeOwned>(value: &Value) -> Result<T, Mistake> {
    T::deserialize(Given(value)).map_err(|Misfit(mistake)| mistake)
}

/// A whole number is an integer, even if it is written as `3.0` (JSON Schema 2020-12, Validation, 6.1.1).
pub(super) fn whole(number: f64) -> Option<i64> {
    /// Up to here every whole number is a float of its own.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    (number.fract() == 0.0 && number.abs() <= EXACT).then_some(number as i64)
}

/// One value.
#[derive(Clone, Copy)]
struct Given<'a>(&'a Value);

impl<'de> IntoDeserializer<'de, Misfit> for Given<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Given<'de> {
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
            Value::Array(items) => visitor.visit_seq(Items(items.iter().enumerate())),
            Value::Object(members) => visitor.visit_map(fields(members)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0 {
            // To a struct, what is null is absent.
            Value::Object(members) => {
                let members = members.iter().filter(|(_, value)| !value.is_null());
                let members = members.map(|(name, value)| (name.as_str(), Given(value)));
                visitor.visit_map(Fields::of(members))
            }
            // Derived types would take an array for one.
            _ => self.deserialize_map(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Array(_) => Err(serde::de::Error::invalid_type(
                serde::de::Unexpected::Seq,
                &visitor,
            )),
            _ => self.deserialize_any(visitor),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        /// The name by which `serde_json` asks for JSON as it is written.
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
                visitor.visit_enum(MapAccessDeserializer::new(fields(members)))
            }
            _ => self.deserialize_any(visitor),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct identifier ignored_any
    }
}

fn fields<'a>(
    members: &'a Map<String, Value>,
) -> Fields<'a, impl Iterator<Item = (&'a str, Given<'a>)>, Given<'a>> {
    let members = members.iter();
    Fields::of(members.map(|(name, value)| (name.as_str(), Given(value))))
}

/// The items of an array, by their numbers.
struct Items<I>(I);

impl<'de, I: Iterator<Item = (usize, &'de Value)>> SeqAccess<'de> for Items<I> {
    type Error = Misfit;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Misfit> {
        let Some((at, value)) = self.0.next() else {
            return Ok(None);
        };
        let read = seed.deserialize(Given(value));
        read.map(Some).map_err(|why| why.under(&at.to_string()))
    }
}
