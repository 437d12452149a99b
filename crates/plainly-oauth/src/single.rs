//! JSON objects without repeated members, at any depth. Two readers could interpret a repeated
//! member differently, so it is rejected (RFC 8725, 2.4).

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Reads the members of an object, which must be the whole text.
pub(crate) fn read(bytes: &[u8]) -> serde_json::Result<Map<String, Value>> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let members = reader.deserialize_map(Members)?;
    reader.end()?;
    Ok(members)
}

/// The members of an object.
struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Map<String, Value>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut object = Map::new();
        while let Some((name, Single(value))) = members.next_entry::<String, Single>()? {
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a member occurs twice"));
            }
        }
        Ok(object)
    }
}

/// A value without repeated members.
struct Single(Value);

impl<'de> Deserialize<'de> for Single {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(SingleVisitor)
    }
}

struct SingleVisitor;

impl<'de> Visitor<'de> for SingleVisitor {
    type Value = Single;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Single, E> {
        Ok(Single(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Single, E> {
        Ok(Single(Value::Bool(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Single, E> {
        Ok(Single(Value::from(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Single, E> {
        Ok(Single(Value::from(value)))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Single, E> {
        let number = Number::from_f64(value);
        let number = number.ok_or_else(|| E::custom("a number without a value"))?;
        Ok(Single(Value::Number(number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Single, E> {
        Ok(Single(Value::from(value)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Single, A::Error> {
        let mut array = Vec::new();
        while let Some(Single(item)) = items.next_element()? {
            array.push(item);
        }
        Ok(Single(Value::Array(array)))
    }

    fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Single, A::Error> {
        let object = Members.visit_map(members)?;
        Ok(Single(Value::Object(object)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_object_without_doubled_members_is_read() {
        for (text, is_read) in [
            (r#"{"a":1,"b":[{"a":null},{"a":-1.5}],"c":{"a":"ü"}}"#, true),
            (r#" {} "#, true),
            (r#"{"a":1,"a":1}"#, false),
            (r#"{"a":1,"\u0061":2}"#, false),
            (r#"{"a":{"b":1,"b":2}}"#, false),
            (r#"{"a":[{"b":1,"b":2}]}"#, false),
            (r#"{"a":1}{"#, false),
            (r#"{"a":1e999}"#, false),
            ("[]", false),
            ("1", false),
            ("", false),
            ("{", false),
        ] {
            let strict = read(text.as_bytes());
            assert_eq!(strict.is_ok(), is_read, "{text}");
            if let Ok(object) = strict {
                let value: Value = serde_json::from_str(text).unwrap();
                assert_eq!(Value::Object(object), value, "{text}");
            }
        }
        let deep = format!("{{\"a\":{}{}}}", "[".repeat(10_000), "]".repeat(10_000));
        assert!(read(deep.as_bytes()).is_err());
    }
}
