//! What is wrong with JSON that a type did not take: by the schema of its method, or in the type's own words. Never in those of
//! the library that reads it.

use std::collections::HashMap;

use plainly_errors::Mistake;
use plainly_protocol::method::{Method, methods};

use serde_json::Value;

use crate::{Limits, Schema};

/// The schema of each method that has one.
pub type SchemaOfMethod = HashMap<Method, Schema>;

/// The schemas of all methods that have one.
pub fn each(schema: impl Fn(Method) -> Option<Value>) -> SchemaOfMethod {
    let methods = methods().iter().map(|row| row.method);
    let schemas = methods.filter_map(|method| Some((method, compiled(schema(method)?))));
    schemas.collect()
}

/// One of our schemas.
pub fn compiled(schema: Value) -> Schema {
    Schema::derived(schema, "", &Limits::default()).expect("ours is within the limits")
}

/// A schema says no less than a type. If it did, the reader would have to do without the place.
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

/// What a type says itself of what it does not take, if it does.
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
