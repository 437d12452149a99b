//! Describes mistakes in JSON that a type rejects, by a schema or in the type's own words, but
//! never in the words of the library that parses JSON.

use std::collections::HashMap;
use std::hash::Hash;

use plainly_errors::Mistake;
use serde_json::Value;

use crate::{Limits, Schema};

/// Compiles a schema that plainly itself defines.
///
/// # Panics
///
/// Panics if the schema exceeds the default limits, which no schema of plainly does.
pub fn compiled(schema: Value) -> Schema {
    Schema::derived(schema, "", &Limits::default()).expect("ours is within the limits")
}

/// Compiles the schema of each key, like [`compiled`].
pub fn compiled_each<K: Eq + Hash>(
    schemas: impl Iterator<Item = (K, Value)>,
) -> HashMap<K, Schema> {
    let compiled = schemas.map(|(key, schema)| (key, compiled(schema)));
    compiled.collect()
}

/// The mistakes that a schema found, or a general one without a path if it found none. A schema
/// should find every mistake that a type finds.
pub fn known(mistakes: Vec<Mistake>) -> Vec<Mistake> {
    match mistakes.is_empty() {
        true => vec![Mistake::new("", "a value is not valid")],
        false => mistakes,
    }
}

/// The beginnings of messages from derived types, which use Rust terms.
const DERIVED: [&str; 9] = [
    "data did not match",
    "duplicate field",
    "invalid length",
    "invalid type",
    "invalid value",
    "missing field",
    "no variant of enum",
    "unknown field",
    "unknown variant",
];

/// The message of a type that rejects JSON, if the type itself wrote it.
pub fn own_words(why: &str) -> Option<&str> {
    let why = without_position(why);
    let is_derived = DERIVED.iter().any(|derived| why.starts_with(derived));
    (!is_derived).then_some(why)
}

/// The message without the position at its end, because a type that parses nested JSON means a
/// position in another text.
fn without_position(why: &str) -> &str {
    let is_place = |place: &str| {
        let mut numbers = place.split(" column ");
        let mut is_next = || {
            numbers
                .next()
                .is_some_and(|text| text.parse::<u64>().is_ok())
        };
        is_next() && is_next()
    };
    match why.rsplit_once(" at line ") {
        Some((words, place)) if is_place(place) => words,
        _ => why,
    }
}
