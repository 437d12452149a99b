//! Mistakes in JSON that a type rejects, by a schema or in the type's own words: never in the words of the library that reads
//! JSON.

use std::collections::HashMap;
use std::hash::Hash;

use plainly_errors::Mistake;
use serde_json::Value;

use crate::{Limits, Schema};

/// Compiles a schema of plainly's own.
///
/// # Panics
///
/// Panics if the schema is beyond the default limits, which no schema of plainly is.
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

/// The mistakes that a schema finds, or one without a place if it finds none. A schema should find no less than a type.
pub fn known(mistakes: Vec<Mistake>) -> Vec<Mistake> {
    match mistakes.is_empty() {
        true => vec![Mistake::new("", "a value is not valid")],
        false => mistakes,
    }
}

/// The words of derived types, which name what only Rust has.
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

/// The type's own words about JSON that it rejects, if it has any.
pub fn own_words(why: &str) -> Option<&str> {
    let why = without_position(why);
    let is_derived = DERIVED.iter().any(|derived| why.starts_with(derived));
    (!is_derived).then_some(why)
}

/// The words without the place that ends them: a type that reads JSON of its own means another text by it.
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
