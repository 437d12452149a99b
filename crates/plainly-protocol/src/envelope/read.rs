//! From a scanned object to a type, without looking at what the type does not want: the scan has found the members, and
//! checked what is in them.

use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, Deserializer, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::object::Object;

impl<'a> Object<'a> {
    /// The object as a `T`. Members that `T` does not have are skipped.
    ///
    /// Errors as `serde_json` does when a member is missing or of another type.
    pub fn read<T: Deserialize<'a>>(&self) -> Result<T, serde_json::Error> {
        let members = self.members().map(|(key, value)| (key, Raw(value)));
        T::deserialize(MapDeserializer::new(members))
    }
}

/// The JSON of one member.
struct Raw<'de>(&'de str);

impl<'de> IntoDeserializer<'de, serde_json::Error> for Raw<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Raw<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        serde_json::Deserializer::from_str(self.0).deserialize_any(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        serde_json::Deserializer::from_str(self.0).deserialize_option(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        serde_json::Deserializer::from_str(self.0).deserialize_newtype_struct(name, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        serde_json::Deserializer::from_str(self.0).deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf
        unit unit_struct seq tuple tuple_struct map struct identifier
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;

    use serde::Deserialize;

    use crate::envelope::{Limits, parse_object};

    #[derive(Debug, Deserialize, PartialEq)]
    struct Wanted<'a> {
        #[serde(borrow)]
        name: Cow<'a, str>,
        #[serde(borrow)]
        list: Option<Vec<&'a str>>,
        number: Option<i64>,
    }

    #[test]
    fn reads_what_serde_json_reads() {
        let cases = [
            r#"{"name":"a","list":["x","y"],"number":9007199254740993,"other":{"deep":[[]]}}"#,
            r#"{"name":"a\u0062","number":null}"#,
            r#"{"name":1}"#,
            r#"{"list":[]}"#,
            r#"{"name":"a","list":"x"}"#,
            r#"{"name":"a","number":1.5}"#,
            r#"{"name":"a","number":"1"}"#,
        ];
        for json in cases {
            let object = parse_object(json, &Limits::default()).unwrap();
            let (ours, theirs) = (
                object.read::<Wanted<'_>>().ok(),
                serde_json::from_str(json).ok(),
            );
            assert_eq!(ours, theirs, "{json}");
        }
    }
}
