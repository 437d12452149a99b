//! The parts of a tool's JSON Schema that a call needs, at a bounded cost: [`Depth`] counts the
//! schemas that are read.

use std::cell::Cell;

use serde_json::Value;

/// The most types of one value that are looked at: JSON has seven.
const TYPES: usize = 7;

/// The most references that are followed from one to the next.
const REFERENCES: usize = 8;

/// The remaining depth of schemas within schemas. A few of them that refer to one another have so
/// many ways through that a bound for the levels alone is none.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth<'a> {
    levels: usize,
    /// The schemas that may still be looked at, on whatever level.
    schemas: &'a Cell<usize>,
}

impl<'a> Depth<'a> {
    pub(super) fn new(levels: usize, schemas: &'a Cell<usize>) -> Self {
        Self { levels, schemas }
    }

    /// Counts one more schema, or value of one; whether it was not one too many.
    pub(super) fn count(self) -> bool {
        let left = self.schemas.get().checked_sub(1);
        left.map(|left| self.schemas.set(left)).is_some()
    }

    /// The depth of the schemas within the current one, which counts; `None` if it was one too
    /// many.
    pub(super) fn deeper(self) -> Option<Self> {
        let is_left = self.count();
        let levels = self.levels.checked_sub(1).filter(|_| is_left)?;
        Some(Self { levels, ..self })
    }
}

/// The schema that a schema refers to in the same document, or itself.
pub(super) fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    // A reference may lead to another one, and back.
    for _ in 0..REFERENCES {
        let place = schema["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
        let referred = place.and_then(|it| root.pointer(it));
        // Some libraries write a reference that has a description beside it as the only one of all schemas to match.
        let alone = schema["allOf"].as_array().map(Vec::as_slice);
        let alone = alone.and_then(|all| all.first().filter(|_| all.len() == 1));
        match referred.or(alone) {
            Some(other) => schema = other,
            None => break,
        }
    }
    schema
}

/// The only values that a schema allows, if it names them.
pub(super) fn named(schema: &Value) -> Option<&[Value]> {
    let each = schema["enum"].as_array().map(Vec::as_slice);
    each.or_else(|| schema.get("const").map(std::slice::from_ref))
}

/// The schemas of which one must match, if there are such.
pub(super) fn alternatives(schema: &Value) -> Option<&[Value]> {
    let mut keywords = ["anyOf", "oneOf"].iter();
    keywords.find_map(|keyword| schema[*keyword].as_array().map(Vec::as_slice))
}

/// The types that a schema names.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match &schema["type"] {
        Value::String(name) => vec![name],
        Value::Array(names) => names.iter().filter_map(Value::as_str).take(TYPES).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}
