//! JSON that is passed on rather than interpreted: verbatim values ([`RawJson`]: schemas,
//! structured content) and open objects ([`JsonObject`]: `_meta`, settings of extensions).

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;
use std::ops::{Deref, DerefMut};
use std::sync::Arc;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer, ser};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use crate::writer::RAW_JSON;

/// A JSON value as it was written: key order, number notation and unknown keywords are preserved.
/// Cheap to clone.
///
/// Line breaks between tokens are removed, so that the value can be part of a message that ends
/// with a line break (stdio). Two values are equal if their texts are.
#[derive(Clone)]
pub struct RawJson(
    /// Contains no `\n` and no `\r`.
    Arc<RawValue>,
);

impl RawJson {
    /// Checks and stores `text`. The error has the position at which it is not JSON.
    pub fn parse(text: impl Into<String>) -> serde_json::Result<Self> {
        RawValue::from_string(text.into()).map(Self::from)
    }

    /// Writes `value` as JSON. Fails if its `Serialize` does, or if it has maps whose keys are not
    /// strings.
    pub fn encode<T: Serialize + ?Sized>(value: &T) -> serde_json::Result<Self> {
        to_raw_value(value).map(Self::from)
    }

    /// Deserializes the value into a type that the caller chooses.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> serde_json::Result<T> {
        serde_json::from_str(self.get())
    }

    /// The JSON text.
    #[must_use]
    pub fn get(&self) -> &str {
        self.0.get()
    }
}

impl From<Box<RawValue>> for RawJson {
    fn from(raw: Box<RawValue>) -> Self {
        const BREAKS: [char; 2] = ['\n', '\r'];
        // Compact JSON, which most senders write, is kept as it is.
        if !raw.get().contains(BREAKS) {
            return Self(raw.into());
        }
        // Line breaks inside a JSON string are always escaped, so the remaining ones are between
        // tokens.
        let line = raw.get().replace(BREAKS, "");
        let raw = RawValue::from_string(line).expect("white space between JSON tokens is optional");
        Self(raw.into())
    }
}

impl PartialEq for RawJson {
    fn eq(&self, other: &Self) -> bool {
        self.get() == other.get()
    }
}

impl Eq for RawJson {}

impl fmt::Debug for RawJson {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Written as JSON and not as a string with JSON in it, in which each quote would be
        // escaped.
        formatter.write_str(self.get())
    }
}

impl Serialize for RawJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize_raw(&self.0, serializer)
    }
}

/// Writes JSON as it is.
pub(super) fn serialize_raw<S: Serializer>(
    raw: &RawValue,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_newtype_struct(RAW_JSON, raw)
}

impl<'de> Deserialize<'de> for RawJson {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(Self::from)
    }
}

/// A JSON value as it was written, borrowed from the message that contains it.
#[derive(Clone, Copy, Debug)]
pub struct BorrowedJson<'a>(CheckedJson<'a>);

/// JSON that has been checked.
#[derive(Clone, Copy, Debug)]
enum CheckedJson<'a> {
    /// Checked by `serde_json`, which writes it without checking it again.
    Value(&'a RawValue),
    /// Checked by the scan of a message.
    Text(&'a str),
}

impl<'a> BorrowedJson<'a> {
    /// The JSON text.
    #[must_use]
    pub fn get(self) -> &'a str {
        match self.0 {
            CheckedJson::Value(raw) => raw.get(),
            CheckedJson::Text(text) => text,
        }
    }
}

impl<'a> From<&'a RawValue> for BorrowedJson<'a> {
    fn from(raw: &'a RawValue) -> Self {
        Self(CheckedJson::Value(raw))
    }
}

impl Serialize for BorrowedJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            CheckedJson::Value(raw) => serialize_raw(raw, serializer),
            // Values read from a message are rarely written.
            CheckedJson::Text(text) => {
                let raw = serde_json::from_str(text).map_err(ser::Error::custom)?;
                serialize_raw(raw, serializer)
            }
        }
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for BorrowedJson<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW_JSON, TextOfJson)
    }
}

/// Visits a JSON value. The text that the envelope's scan has checked is used as it is; any other
/// deserializer finds the value's end.
struct TextOfJson;

impl<'de> Visitor<'de> for TextOfJson {
    type Value = BorrowedJson<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_borrowed_str<E>(self, json: &'de str) -> Result<BorrowedJson<'de>, E> {
        Ok(BorrowedJson(CheckedJson::Text(json)))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<BorrowedJson<'de>, D::Error> {
        <&RawValue>::deserialize(deserializer).map(BorrowedJson::from)
    }
}

/// The `_meta` of an item: the specification's `MetaObject` (Base Protocol, "`_meta`").
pub type Meta = JsonObject;

/// An open JSON object: the specification's `JSONObject`. Reading rejects an object with a
/// duplicate name.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
#[serde(transparent)]
pub struct JsonObject(Map<String, Value>);

impl JsonObject {
    /// An object without members.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }
}

impl Deref for JsonObject {
    type Target = Map<String, Value>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

impl DerefMut for JsonObject {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.0
    }
}

impl From<Map<String, Value>> for JsonObject {
    fn from(members: Map<String, Value>) -> Self {
        Self(members)
    }
}

impl From<JsonObject> for Map<String, Value> {
    fn from(object: JsonObject) -> Self {
        object.0
    }
}

impl<K: Into<String>, const N: usize> From<[(K, Value); N]> for JsonObject {
    fn from(members: [(K, Value); N]) -> Self {
        members.into_iter().collect()
    }
}

impl<K: Into<String>> FromIterator<(K, Value)> for JsonObject {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(members: I) -> Self {
        Self(
            members
                .into_iter()
                .map(|(name, value)| (name.into(), value))
                .collect(),
        )
    }
}

impl<'de> Deserialize<'de> for JsonObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        unique_members(deserializer, "a JSON object").map(Self::from_iter)
    }
}

/// Reads an object member by member, in order, and rejects a duplicate name. A map would silently
/// keep the last of two members with the same name, and another reader of the same message the
/// first.
pub(super) fn unique_members<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
    expected: &'static str,
) -> Result<Vec<(String, T)>, D::Error> {
    deserializer.deserialize_map(UniqueMembers(expected, PhantomData))
}

struct UniqueMembers<T>(&'static str, PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for UniqueMembers<T> {
    type Value = Vec<(String, T)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0)
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Self::Value, A::Error> {
        // A set in addition to the list, because the peer chooses the number of members, and
        // comparing all pairs would take quadratic time.
        let mut names = HashSet::new();
        let mut members = Vec::new();
        while let Some(name) = access.next_key::<String>()? {
            if !names.insert(name.clone()) {
                return Err(de::Error::custom(format_args!("duplicate field `{name}`")));
            }
            members.push((name, access.next_value()?));
        }
        Ok(members)
    }
}
