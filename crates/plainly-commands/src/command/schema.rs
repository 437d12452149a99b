//! The parts of a tool's JSON Schema that a call needs, at bounded cost: [`Depth`] counts the
//! schemas that are read.

use std::cell::Cell;

use serde_json::Value;

/// The most types of one value that are read, because JSON has seven.
const TYPES: usize = 7;

/// The most references that are followed in a row.
const REFERENCES: usize = 8;

/// The remaining depth of nested schemas. A few schemas that refer to each other have so many paths
/// that limiting the depth alone is not enough.
#[derive(Clone, Copy, Debug)]
pub(super) struct Depth<'a> {
    levels: usize,
    /// The number of schemas that may still be read, on any level.
    schemas: &'a Cell<usize>,
}

impl<'a> Depth<'a> {
    pub(super) fn new(levels: usize, schemas: &'a Cell<usize>) -> Self {
        Self { levels, schemas }
    }

    /// Counts one more schema, or one more value in a schema. Returns `false` if that is too many.
    pub(super) fn count(self) -> bool {
        let left = self.schemas.get().checked_sub(1);
        left.map(|left| self.schemas.set(left)).is_some()
    }

    /// The depth of the schemas inside the current one, which is counted; `None` if that is too
    /// many.
    pub(super) fn deeper(self) -> Option<Self> {
        let is_left = self.count();
        let levels = self.levels.checked_sub(1).filter(|_| is_left)?;
        Some(Self { levels, ..self })
    }
}

/// The schema that a schema refers to in the same document, or the schema itself.
pub(super) fn resolved<'a>(root: &'a Value, schema: &'a Value) -> &'a Value {
    let mut schema = schema;
    // A reference may lead to another one, even in a circle.
    for _ in 0..REFERENCES {
        let place = schema["$ref"].as_str().and_then(|it| it.strip_prefix('#'));
        let referred = place.and_then(|it| root.pointer(it));
        // Some libraries put a reference with a description into an `allOf` of its own.
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

/// The schemas one of which must match, if there are any.
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
