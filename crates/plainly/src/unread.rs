//! What is wrong with JSON that a type did not take: by the schema of its method, or in the type's own words. Never in those of
//! the library that reads it.

use std::collections::HashMap;

use plainly_errors::Mistake;
use plainly_protocol::method::{Method, methods};
use plainly_schema::{Limits, Schema};
use serde_json::Value;

pub(crate) type SchemaOfMethod = HashMap<Method, Schema>;

/// The schemas of all methods that have one.
pub(crate) fn each(schema: impl Fn(Method) -> Option<Value>) -> SchemaOfMethod {
    let methods = methods().iter().map(|row| row.method);
    let schemas = methods.filter_map(|method| Some((method, compiled(schema(method)?))));
    schemas.collect()
}

/// One of our schemas.
pub(crate) fn compiled(schema: Value) -> Schema {
    Schema::derived(schema, "", &Limits::default()).expect("ours is within the limits")
}

/// A schema says no less than a type. If it did, the reader would have to do without the place.
pub(crate) fn known(mistakes: Vec<Mistake>) -> Vec<Mistake> {
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
pub(crate) fn own_words(why: &str) -> Option<&str> {
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

/// What schemas and types are compared on.
#[cfg(test)]
pub(crate) mod changes {
    use serde_json::{Value, json};

    /// The value with one change each, at any depth.
    pub(crate) fn changed(value: &Value) -> Vec<Value> {
        let others = [
            json!(null),
            json!(5),
            json!("x"),
            json!(true),
            json!([]),
            json!([null]),
            json!({}),
        ];
        let mut all = others.to_vec();
        let within = |inside: &Value, put: &dyn Fn(Value) -> Value| {
            changed(inside).into_iter().map(put).collect::<Vec<_>>()
        };
        match value {
            Value::Object(members) => {
                for (name, inside) in members {
                    let mut without = members.clone();
                    without.remove(name);
                    all.push(without.into());
                    all.extend(within(inside, &|changed| {
                        let mut members = members.clone();
                        members.insert(name.clone(), changed);
                        members.into()
                    }));
                }
            }
            Value::Array(items) => {
                for (at, inside) in items.iter().enumerate() {
                    all.extend(within(inside, &|changed| {
                        let mut items = items.clone();
                        items[at] = changed;
                        items.into()
                    }));
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        all
    }
}
