//! Objects only: the code that `serde` derives for a struct or a tagged enum also accepts an array,
//! whose items are read in order.

use serde::de::{Deserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde::{Deserialize, Serialize};

/// A `T` that is read only from an object.
#[derive(Serialize)]
#[serde(transparent)]
pub(super) struct ObjectOnly<T>(pub(super) T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ObjectOnly<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        T::deserialize(ObjectDeserializer(deserializer)).map(Self)
    }
}

/// Reads the value of one field as [`ObjectOnly`] does.
pub(super) fn deserialize<'de, D: Deserializer<'de>, T: Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    ObjectOnly::deserialize(deserializer).map(|ObjectOnly(value)| value)
}

/// Requests an object from the inner deserializer, whatever the type requests.
struct ObjectDeserializer<D>(D);

impl<'de, D: Deserializer<'de>> Deserializer<'de> for ObjectDeserializer<D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.0.deserialize_map(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}
