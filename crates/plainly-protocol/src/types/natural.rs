//! Non-negative integers in any notation: `3.0` is an integer (JSON Schema 2020-12, Validation,
//! 6.1.1), and peers whose numbers are all floats write it so.

use std::fmt;

use plainly_errors::number::whole;
use serde::de::{Deserializer, Error, Visitor};

/// Reads a non-negative integer.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
    deserializer.deserialize_u64(Natural)
}

/// Like `deserialize`, for a number that may be absent.
pub(super) fn optional<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u64>, D::Error> {
    deserializer.deserialize_option(OptionalNatural)
}

struct Natural;

impl Visitor<'_> for Natural {
    type Value = u64;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a whole number from 0 on")
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<u64, E> {
        Ok(number)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<u64, E> {
        let natural = whole(number).and_then(|number| u64::try_from(number).ok());
        natural.ok_or_else(|| E::custom(format_args!("{number} is not a whole number from 0 on")))
    }
}

struct OptionalNatural;

impl<'de> Visitor<'de> for OptionalNatural {
    type Value = Option<u64>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        Natural.expecting(formatter)
    }

    fn visit_none<E: Error>(self) -> Result<Option<u64>, E> {
        Ok(None)
    }

    fn visit_unit<E: Error>(self) -> Result<Option<u64>, E> {
        Ok(None)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u64>, D::Error> {
        deserialize(deserializer).map(Some)
    }
}
