//! Values of variables as any type: texts are parsed where the type is no text.

use std::fmt;

use plainly_protocol::uri_template::{Value, Values};
use serde::de::value::{MapDeserializer, SeqDeserializer, StrDeserializer};
use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, IntoDeserializer, MapAccess, Unexpected,
    Visitor,
};
use serde::forward_to_deserialize_any;

/// Reads `values` as a `T`.
pub(super) fn read<T: DeserializeOwned>(values: &Values) -> Result<T, Error> {
    T::deserialize(Variables(values))
}

/// Why values are not of a type, and of which variable.
#[derive(Debug)]
pub(super) struct Error {
    variable: Option<String>,
    why: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.variable {
            Some(variable) => write!(f, "the variable {variable}: {}", self.why),
            None => f.write_str(&self.why),
        }
    }
}

impl std::error::Error for Error {}

impl serde::de::Error for Error {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self {
            variable: None,
            why: why.to_string(),
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self {
            variable: Some(field.to_owned()),
            why: "it is absent".to_owned(),
        }
    }
}

/// All variables, as a map.
struct Variables<'a>(&'a Values);

impl<'de> Deserializer<'de> for Variables<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_map(Entries {
            rest: self.0.iter(),
            value: None,
        })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq
        tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// The variables one by one, so that an error can name its own.
struct Entries<'a, I> {
    rest: I,
    value: Option<(&'a str, &'a Value)>,
}

impl<'de, I: Iterator<Item = (&'de str, &'de Value)>> MapAccess<'de> for Entries<'de, I> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        self.value = self.rest.next();
        let name = self.value.map(|(name, _)| StrDeserializer::new(name));
        name.map(|name| seed.deserialize(name)).transpose()
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, Error> {
        let (name, value) = self.value.take().expect("a key comes before its value");
        seed.deserialize(One(value)).map_err(|error| Error {
            variable: Some(name.to_owned()),
            why: error.why,
        })
    }
}

/// The value of one variable.
struct One<'a>(&'a Value);

/// What a text may stand for, several texts may not.
macro_rules! one {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0 {
                Value::Text(text) => Text(text).$method(visitor),
                Value::List(_) | Value::Map(_) => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for One<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Text(text) => Text(text).deserialize_any(visitor),
            Value::List(items) => {
                let items = items.iter().map(|item| Text(item));
                visitor.visit_seq(SeqDeserializer::new(items))
            }
            Value::Map(pairs) => {
                let pairs = pairs.iter().map(|(name, text)| (Text(name), Text(text)));
                visitor.visit_map(MapDeserializer::new(pairs))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::Text(text) => Text(text).deserialize_enum(name, variants, visitor),
            Value::List(_) | Value::Map(_) => self.deserialize_any(visitor),
        }
    }

    one! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A text, or what is written as one.
struct Text<'a>(&'a str);

macro_rules! parsed {
    ($($method:ident $visit:ident;)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0.parse() {
                Ok(value) => visitor.$visit(value),
                Err(_) => Err(serde::de::Error::invalid_value(Unexpected::Str(self.0), &visitor)),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for Text<'de> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(StrDeserializer::new(self.0))
    }

    parsed! {
        deserialize_bool visit_bool;
        deserialize_i8 visit_i8;
        deserialize_i16 visit_i16;
        deserialize_i32 visit_i32;
        deserialize_i64 visit_i64;
        deserialize_i128 visit_i128;
        deserialize_u8 visit_u8;
        deserialize_u16 visit_u16;
        deserialize_u32 visit_u32;
        deserialize_u64 visit_u64;
        deserialize_u128 visit_u128;
        deserialize_f32 visit_f32;
        deserialize_f64 visit_f64;
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

impl<'de> IntoDeserializer<'de, Error> for Text<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}
