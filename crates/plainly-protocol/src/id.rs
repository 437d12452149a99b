//! The id of a request, both as it was sent and as a value to compare, and the token of a request's
//! progress.
//!
//! Both are an integer or a string, and `1` is not `"1"`. An id is returned exactly as it was
//! received ([`RawId`]); tables of requests in flight compare its value ([`RequestId`]).

use std::fmt;

use plainly_errors::number::whole;
use serde::de::{Deserializer, Error, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

use crate::escape;

/// The id of a request (basic/index, "Requests"): an integer of 64 bits or a string.
///
/// A number counts as an integer by its value, as in JSON Schema: `1.0` is one, because peers whose
/// numbers are all floats write it so. `1.5`, `null` and integers of more than 64 bits are errors.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[expect(
    clippy::exhaustive_enums,
    reason = "JSON-RPC has these two kinds of id and no others"
)]
pub enum RequestId {
    /// A number without a fraction.
    Integer(i64),
    /// A string, which may be empty.
    String(String),
}

impl From<i64> for RequestId {
    fn from(id: i64) -> Self {
        Self::Integer(id)
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        Self::String(id.into())
    }
}

impl From<String> for RequestId {
    fn from(id: String) -> Self {
        Self::String(id)
    }
}

/// Displayed as JSON, so that `1` and `"1"` differ and a line break in an id does not break a line.
impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(id) => id.fmt(f),
            Self::String(id) => {
                // Collected in memory first, because the writer of strings appends to bytes.
                let mut json = Vec::new();
                escape::write_string(&mut json, id);
                f.write_str(&String::from_utf8_lossy(&json))
            }
        }
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(id) => serializer.serialize_i64(*id),
            Self::String(id) => serializer.serialize_str(id),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Id)
    }
}

/// Reads an id.
struct Id;

impl Visitor<'_> for Id {
    type Value = RequestId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or a 64-bit integer")
    }

    fn visit_i64<E: Error>(self, id: i64) -> Result<RequestId, E> {
        Ok(RequestId::Integer(id))
    }

    fn visit_u64<E: Error>(self, id: u64) -> Result<RequestId, E> {
        let too_large = |_| E::invalid_value(Unexpected::Unsigned(id), &self);
        i64::try_from(id).map(RequestId::Integer).map_err(too_large)
    }

    fn visit_f64<E: Error>(self, id: f64) -> Result<RequestId, E> {
        let unlike = || E::invalid_type(Unexpected::Float(id), &self);
        whole(id).map(RequestId::Integer).ok_or_else(unlike)
    }

    fn visit_str<E: Error>(self, id: &str) -> Result<RequestId, E> {
        Ok(RequestId::from(id))
    }

    fn visit_string<E: Error>(self, id: String) -> Result<RequestId, E> {
        Ok(RequestId::String(id))
    }
}

/// An id as it is in a message: the exact bytes of its JSON, which the response repeats.
///
/// `"1"` and `"\u0031"` are different as raw ids and equal once [owned](Self::to_owned).
#[derive(Debug, Clone, Copy)]
pub struct RawId<'a> {
    /// A JSON number that is an integer within `i64`, in any notation, or a JSON string.
    token: &'a str,
}

impl<'a> RawId<'a> {
    /// The id whose JSON is `token`, a well-formed value; `None` if it is not a valid id or is a
    /// string of more than `max_bytes` bytes.
    pub(crate) fn from_token(token: &'a str, max_bytes: usize) -> Option<Self> {
        let valid = match string_inner(token) {
            // Escapes only make text longer, so a string that is short enough with them needs no
            // decoding.
            Some(inner) => inner.len() <= max_bytes || escape::decode(inner).len() <= max_bytes,
            None => integer(token).is_some(),
        };
        valid.then_some(Self { token })
    }

    /// Whether every reader accepts the id as text: it contains no lone surrogate.
    pub(crate) fn is_text(&self) -> bool {
        string_inner(self.token).is_none() || serde_json::from_str::<String>(self.token).is_ok()
    }

    /// The JSON of the id, exactly as it was received.
    pub fn as_raw(&self) -> &'a str {
        self.token
    }

    /// The id as a value that can be compared and stored.
    pub fn to_owned(&self) -> RequestId {
        match string_inner(self.token) {
            Some(inner) => RequestId::String(escape::decode(inner).into_owned()),
            None => RequestId::Integer(integer(self.token).expect("checked when the id was made")),
        }
    }
}

/// The integer that `token` stands for, in any notation.
fn integer(token: &str) -> Option<i64> {
    let integer = token.parse().ok();
    integer.or_else(|| whole(token.parse().ok()?))
}

/// The text between the quotes, if `token` is a string.
fn string_inner(token: &str) -> Option<&str> {
    token.strip_prefix('"')?.strip_suffix('"')
}

/// The token that a request gives in `_meta.progressToken` and its progress notifications repeat
/// (basic/utilities/progress).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ProgressToken(RequestId);

impl<T: Into<RequestId>> From<T> for ProgressToken {
    fn from(token: T) -> Self {
        Self(token.into())
    }
}

impl fmt::Display for ProgressToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_id_keeps_its_bytes_and_has_one_value() {
        let cases: [(&str, RequestId); 12] = [
            ("1", 1.into()),
            ("0", 0.into()),
            ("-1", (-1).into()),
            ("2147483648", 2_147_483_648.into()),
            ("9007199254740993", 9_007_199_254_740_993.into()),
            ("9223372036854775807", i64::MAX.into()),
            ("-9223372036854775808", i64::MIN.into()),
            (r#""""#, "".into()),
            (r#""0""#, "0".into()),
            (r#""1""#, "1".into()),
            (r#""\u0031""#, "1".into()),
            (r#""\"\\\n""#, "\"\\\n".into()),
        ];
        for (token, value) in cases {
            let id = RawId::from_token(token, 1024).unwrap();
            assert_eq!(id.as_raw(), token);
            assert_eq!(id.to_owned(), value);
            assert_eq!(serde_json::from_str::<RequestId>(token).unwrap(), value);
        }
        assert_ne!(RequestId::from(1), RequestId::from("1"));
    }

    #[test]
    fn what_is_no_id_is_refused_raw_and_decoded() {
        let tokens = [
            "1.5",
            "1e-1",
            "1e300",
            "null",
            "true",
            "{}",
            "[]",
            "[1]",
            "9223372036854775808",
            "-9223372036854775809",
            "18446744073709551615",
            "1000000000000000000000000000000",
        ];
        for token in tokens {
            assert!(RawId::from_token(token, 1024).is_none(), "{token}");
            assert!(serde_json::from_str::<RequestId>(token).is_err(), "{token}");
            let read = serde_json::from_str::<ProgressToken>(token);
            assert!(read.is_err(), "{token}");
        }
    }

    #[test]
    fn the_length_of_a_string_counts_without_its_escapes() {
        let quoted = |inner: String| format!("\"{inner}\"");
        for (token, accepted) in [
            (quoted("a".repeat(1024)), true),
            (quoted("a".repeat(1025)), false),
            (quoted(r"\u0061".repeat(1024)), true),
            (quoted(r"\u0061".repeat(1025)), false),
        ] {
            assert_eq!(RawId::from_token(&token, 1024).is_some(), accepted);
        }
    }

    #[test]
    fn shows_itself_as_json() {
        assert_eq!(RequestId::from(-7).to_string(), "-7");
        assert_eq!(RequestId::from("a\n\"b\"").to_string(), r#""a\n\"b\"""#);
        assert_eq!(ProgressToken::from("7").to_string(), r#""7""#);
    }

    fn ids() -> impl Strategy<Value = RequestId> {
        prop_oneof![
            any::<i64>().prop_map(RequestId::from),
            any::<String>().prop_map(RequestId::from)
        ]
    }

    proptest! {
        #[test]
        fn ids_survive_json(id in ids()) {
            let json = serde_json::to_string(&id).unwrap();
            prop_assert_eq!(&id.to_string(), &json);
            prop_assert_eq!(&serde_json::from_str::<RequestId>(&json).unwrap(), &id);
            prop_assert_eq!(&RawId::from_token(&json, usize::MAX).unwrap().to_owned(), &id);
            let token = ProgressToken::from(id);
            prop_assert_eq!(&serde_json::to_string(&token).unwrap(), &json);
            prop_assert_eq!(serde_json::from_str::<ProgressToken>(&json).unwrap(), token);
        }
    }
}
