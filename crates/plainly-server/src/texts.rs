//! Validates values that arrive as text, as users type them or URIs contain them, with the schema
//! of the type that they become.

use plainly_errors::Mistake;
use plainly_schema::Schema;
use serde_json::{Number, Value};

/// All mistakes in `texts`, an object. Values that the schema does not accept as text are converted
/// to numbers or booleans, if their text is one.
pub(super) fn failures(schema: &Schema, mut texts: Value) -> Vec<Mistake> {
    for name in schema.failing_members(&texts) {
        if let Some(value) = texts.get_mut(&name) {
            type_text(value);
        }
    }
    schema.failures_of(&texts)
}

/// Converts a text to a number or a boolean, if it is one.
fn type_text(value: &mut Value) {
    match value {
        Value::String(text) => *value = scalar(text).unwrap_or_else(|| text.as_str().into()),
        Value::Array(items) => items.iter_mut().for_each(type_text),
        Value::Object(members) => members.values_mut().for_each(type_text),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The number or boolean that this text stands for, by the rules of `Args`.
fn scalar(text: &str) -> Option<Value> {
    let text = text.trim();
    if let Ok(integer) = text.parse::<i64>() {
        return Some(integer.into());
    }
    if let Ok(natural) = text.parse::<u64>() {
        return Some(natural.into());
    }
    if let Ok(truth) = text.to_ascii_lowercase().parse::<bool>() {
        return Some(truth.into());
    }
    let number = text.parse().ok().and_then(Number::from_f64);
    number.map(Value::Number)
}
