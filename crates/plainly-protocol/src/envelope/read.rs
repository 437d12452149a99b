//! Deserializes a scanned object into a type. Members that the type does not have are not parsed
//! again, because the scan has already checked them.

use std::borrow::Cow;

use serde::de::value::MapDeserializer;
use serde::de::{Deserialize, Deserializer, Error as _, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;

use super::object::Object;
use crate::escape;
use crate::writer::RAW_JSON;

impl<'a> Object<'a> {
    /// Reads the object as a `T`, and skips members that `T` does not have.
    ///
    /// Returns the errors of `serde_json` if a member is missing or has another type.
    pub fn read<T: Deserialize<'a>>(&self) -> Result<T, serde_json::Error> {
        // Each member is deserialized separately, so that members that `T` doesn't have are never
        // parsed again.
        let members = self.members().map(|(key, value)| (key, Raw(value)));
        T::deserialize(MapDeserializer::new(members))
    }
}

/// The JSON of one member's value.
struct Raw<'de>(&'de str);

impl<'de> Raw<'de> {
    /// The error as `serde_json` would report it at the end of the string.
    fn at_end(&self, error: serde_json::Error) -> serde_json::Error {
        let column = self.0.len();
        serde_json::Error::custom(format_args!("{error} at line 1 column {column}"))
    }
}

impl<'de> IntoDeserializer<'de, serde_json::Error> for Raw<'de> {
    type Deserializer = Self;

    fn into_deserializer(self) -> Self {
        self
    }
}

impl<'de> Deserializer<'de> for Raw<'de> {
    type Error = serde_json::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        let read = match escape::text(self.0) {
            Some(Cow::Borrowed(text)) => visitor.visit_borrowed_str(text),
            Some(Cow::Owned(text)) => visitor.visit_string(text),
            None => return serde_json::Deserializer::from_str(self.0).deserialize_any(visitor),
        };
        read.map_err(|error| self.at_end(error))
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        // A type that expects an object rejects an array.
        serde_json::Deserializer::from_str(self.0).deserialize_map(visitor)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        // The scan has already checked this value, so an ignored value is not parsed.
        visitor.visit_unit()
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Self::Error> {
        match self.0 {
            "null" => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Self::Error> {
        // The scan has already checked this value, so its text is returned unparsed.
        if name == RAW_JSON {
            return visitor.visit_borrowed_str(self.0);
        }
        // `RawValue` asks for a newtype with a private name, which only `serde_json` can handle.
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
        unit unit_struct seq tuple tuple_struct struct identifier
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::fmt::Debug;

    use serde::Deserialize;
    use serde_json::value::RawValue;

    use super::Raw;
    use crate::envelope::{Limits, parse_object};
    use crate::types::RawJson;

    #[derive(Debug, Deserialize)]
    #[expect(dead_code, reason = "compared as it is shown")]
    struct Wanted<'a> {
        #[serde(borrow)]
        name: Cow<'a, str>,
        #[serde(borrow)]
        list: Option<Vec<&'a str>>,
        number: Option<i64>,
        kind: Option<Kind>,
        #[serde(borrow)]
        raw: Option<&'a RawValue>,
        boxed: Option<Box<RawValue>>,
    }

    #[derive(Debug, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[expect(dead_code, reason = "compared as it is shown")]
    enum Kind {
        One,
        Other(u8),
    }

    #[test]
    fn of_a_string_errors_are_those_of_serde_json_to_the_last_column() {
        fn check<'de, T: Deserialize<'de> + Debug>(json: &'de str) {
            let mut theirs = serde_json::Deserializer::from_str(json);
            let theirs = T::deserialize(&mut theirs).map_err(|error| error.to_string());
            let ours = T::deserialize(Raw(json)).map_err(|error| error.to_string());
            assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{json}");
        }
        for json in [r#""text""#, r#""é\u0061\n""#, r#""""#] {
            check::<String>(json);
            check::<Cow<'_, str>>(json);
            check::<Option<Cow<'_, str>>>(json);
            check::<i64>(json);
            check::<Option<bool>>(json);
            check::<Option<Vec<u8>>>(json);
            check::<Kind>(json);
            check::<Option<Kind>>(json);
            check::<Option<Box<Kind>>>(json);
            check::<&RawValue>(json);
            check::<Option<RawJson>>(json);
        }
    }

    /// The text of the error without its position, because positions here count from the start of
    /// the member.
    fn kind(error: &serde_json::Error) -> String {
        let error = error.to_string();
        let (what, _) = error.split_once(" at line 1").unwrap_or((&error, ""));
        what.to_owned()
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
            r#"{"name":"a","number":true}"#,
            r#"{"name":null}"#,
            r#"{"name":"a","list":["x",1]}"#,
            r#"{"name":"a","kind":"one"}"#,
            r#"{"name":"a","kind":"o\u006ee"}"#,
            r#"{"name":"a","kind":{"other":7}}"#,
            r#"{"name":"a","kind":"two"}"#,
            r#"{"name":"a","raw":{"a": [1, "\u0061"]},"boxed":"\u0061"}"#,
            r#"{"name":"a","raw":null,"boxed":null}"#,
            r#"{"name":"a","raw":"x","boxed":[ 1e2 ]}"#,
        ];
        for json in cases {
            let object = parse_object(json, &Limits::default()).unwrap();
            let (ours, theirs) = (
                object.read::<Wanted<'_>>().map_err(|error| kind(&error)),
                serde_json::from_str::<Wanted<'_>>(json).map_err(|error| kind(&error)),
            );
            let (ours, theirs) = (format!("{ours:?}"), format!("{theirs:?}"));
            assert_eq!(ours, theirs, "{json}");
        }
    }
}
