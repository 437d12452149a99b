//! JSON objects of other parties. A member that occurs twice is rejected, because two readers could
//! interpret it differently. Each member must have its type.

use serde_json::{Map, Value};

use crate::single;

/// The members of a JSON object, each of which occurs once.
#[derive(Clone, Debug, Default)]
pub struct Object(Map<String, Value>);

/// The fault of an answer, in words that follow "it".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub(crate) String);

impl Object {
    /// Parses `bytes` as an object.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        single::read(bytes)
            .map(Self)
            .map_err(|error| match error.is_data() {
                true => Unreadable("is JSON, but not an object with unique members".to_owned()),
                false => Unreadable("is not JSON".to_owned()),
            })
    }

    /// The value of a member, of any type.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A member that is a text, if it exists. An empty text counts as absent, because some servers
    /// write members that they have no value for.
    pub fn text(&self, name: &'static str) -> Result<Option<String>, Unreadable> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.clone()).filter(|text| !text.is_empty())),
            Some(_) => Err(wrong(name, "a string")),
        }
    }

    /// A member that is a text, and must exist.
    pub fn required_text(&self, name: &'static str) -> Result<String, Unreadable> {
        let text = self.text(name)?;
        text.ok_or_else(|| Unreadable(format!("has no `{name}`")))
    }

    /// A member that is a list of texts, if it exists.
    pub fn texts(&self, name: &'static str) -> Result<Option<Vec<String>>, Unreadable> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let items = value
            .as_array()
            .ok_or_else(|| wrong(name, "a list of strings"))?;
        let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
        let texts: Option<Vec<_>> = texts.collect();
        texts
            .map(Some)
            .ok_or_else(|| wrong(name, "a list of strings"))
    }

    /// A member that is `true` or `false`; false if it does not exist.
    pub fn flag(&self, name: &'static str) -> Result<bool, Unreadable> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(wrong(name, "true or false")),
        }
    }

    /// A member that is a time, in seconds since 1970.
    pub fn seconds_since_1970(&self, name: &str) -> Option<u64> {
        self.get(name)?.as_u64()
    }

    /// A member that is a number of seconds. It may also be a string of digits, and is limited to
    /// ten years.
    pub fn seconds(&self, name: &str) -> Option<u64> {
        const MOST: u64 = 10 * 366 * 24 * 60 * 60;
        let number = match self.get(name)? {
            Value::Number(number) => number.as_f64()?,
            Value::String(digits) if digits.bytes().all(|it| it.is_ascii_digit()) => {
                digits.parse().ok()?
            }
            Value::Null
            | Value::Bool(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => {
                return None;
            }
        };
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a cast from a float ends at the bounds of the integer"
        )]
        let seconds = number as u64;
        Some(seconds.min(MOST))
    }
}

fn wrong(name: &str, wanted: &str) -> Unreadable {
    Unreadable(format!("has a member `{name}` that is not {wanted}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_with_each_member_once_is_told_apart() {
        let deep = "[".repeat(10_000);
        for (bytes, expected) in [
            ("{}", Ok(())),
            ("\u{feff}{\"a\": 1}", Ok(())),
            ("", Err("is not JSON")),
            ("<html>", Err("is not JSON")),
            ("{} {}", Err("is not JSON")),
            (
                deep.as_str(),
                Err("is JSON, but not an object with unique members"),
            ),
            ("[]", Err("is JSON, but not an object with unique members")),
            (
                "{\"a\": {\"b\": 1, \"b\": 2}}",
                Err("is JSON, but not an object with unique members"),
            ),
            (
                "{\"a\": 1, \"\\u0061\": 2}",
                Err("is JSON, but not an object with unique members"),
            ),
        ] {
            let read = Object::read(bytes.as_bytes()).map(|_| ());
            assert_eq!(
                read,
                expected.map_err(|why| Unreadable(why.to_owned())),
                "{bytes:.20}"
            );
        }
    }

    #[test]
    fn a_flag_that_is_absent_is_false() {
        let object = br#"{"yes": true, "no": false, "null": null, "text": "true"}"#;
        let object = Object::read(object).unwrap();
        for (name, expected) in [
            ("yes", Ok(true)),
            ("no", Ok(false)),
            ("null", Ok(false)),
            ("absent", Ok(false)),
            ("text", Err(wrong("text", "true or false"))),
        ] {
            assert_eq!(object.flag(name), expected, "{name}");
        }
    }

    #[test]
    fn a_time_is_bounded_whatever_it_is() {
        for (value, expected) in [
            ("60", Some(60)),
            ("\"60\"", Some(60)),
            ("59.9", Some(59)),
            ("-1", Some(0)),
            ("1e300", Some(316_224_000)),
            ("\"99999999999999999999999\"", Some(316_224_000)),
            ("\"-1\"", None),
            ("\"\"", None),
            ("true", None),
            ("null", None),
        ] {
            let object = Object::read(format!("{{\"t\": {value}}}").as_bytes()).unwrap();
            assert_eq!(object.seconds("t"), expected, "{value}");
        }
    }
}
