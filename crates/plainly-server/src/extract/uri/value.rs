//! Deserializes the value of a variable: several texts as a list or a map, a single text as the
//! type that it parses as.

use plainly_protocol::uri_template::Value;
use serde::de::value::{MapDeserializer, SeqDeserializer};
use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;

use crate::misfit::Misfit;
use crate::strings::TextDeserializer;

/// The value of one variable.
pub(super) struct One<'a>(pub(super) &'a Value);

/// The types that a single text may be parsed as, but several texts may not.
macro_rules! of_a_text {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
            match self.0 {
                Value::Text(text) => TextDeserializer(text).$method(visitor),
                Value::List(_) | Value::Map(_) => self.deserialize_any(visitor),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for One<'de> {
    type Error = Misfit;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Text(text) => TextDeserializer(text).deserialize_any(visitor),
            Value::List(items) => {
                let items = items.iter().map(|item| TextDeserializer(item));
                visitor.visit_seq(SeqDeserializer::new(items))
            }
            Value::Map(pairs) => {
                let pairs = pairs
                    .iter()
                    .map(|(name, text)| (TextDeserializer(name), TextDeserializer(text)));
                visitor.visit_map(MapDeserializer::new(pairs))
            }
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Misfit> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Misfit> {
        match self.0 {
            Value::Text(text) => TextDeserializer(text).deserialize_enum(name, variants, visitor),
            Value::List(_) | Value::Map(_) => self.deserialize_any(visitor),
        }
    }

    of_a_text! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128 deserialize_u8
        deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32 deserialize_f64
    }

    forward_to_deserialize_any! {
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}
