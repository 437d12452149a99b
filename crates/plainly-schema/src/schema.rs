//! JSON Schema, draft 2020-12 unless a schema says otherwise: from arguments to what fails. References are resolved within
//! the schema only, never over a network, and what a schema can cost is known before a value is held against it.

mod assertion;
mod check;
mod cost;
mod draft;
mod evaluated;
mod graph;
mod keyword;
mod member;
mod order;
mod pattern;
mod reading;
mod reference;
mod sentence;

use std::ops::ControlFlow;
use std::sync::OnceLock;

use serde_json::Value;

use self::check::{Failure, Path, Schemas};
use self::cost::Cost;
use self::keyword::Node;
use self::sentence::sentence;
use crate::limits::Limits;

/// A schema that values are held against.
#[derive(Debug)]
pub(crate) struct Schema {
    /// Nothing in it if it can't be read.
    keywords: OnceLock<Option<Keywords>>,
    /// As it was written.
    source: Value,
    strict: bool,
    bounds: Bounds,
}

/// A schema that was read.
#[derive(Debug)]
struct Keywords {
    nodes: Vec<Node>,
    /// Subschemas that one value can meet.
    visits: u64,
}

/// What of the limits a schema is read by.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    subschemas: usize,
    /// Of the values that are held against it.
    depth: usize,
}

/// The most failures that are told at once.
const MOST: usize = 16;

/// The most subschemas that one value may meet, and the most calls within one another: beyond, a schema is exponential.
const MOST_VISITS: u64 = 10_000;
const DEEPEST: u64 = 1_024;

/// The most that one value may cost in all: its parts times the subschemas that each can meet.
const MOST_WORK: u64 = 5_000_000;

impl Schema {
    /// Reads `text`; the error says what is wrong with it.
    pub(crate) fn parse(text: &str, limits: &Limits) -> Result<Self, String> {
        check_bytes(text, limits)?;
        let schema = serde_json::from_str(text).map_err(|error| error.to_string())?;
        Self::of(schema, limits)
    }

    /// Reads `schema`, which was made of a type, and so is one, when it is first needed: a process starts sooner by a
    /// twentieth. Not one that is strict, to which an author has added something by hand. `text` is what it was written as.
    pub(crate) fn derived(schema: Value, text: &str, limits: &Limits) -> Result<Self, String> {
        check_bytes(text, limits)?;
        let schema = Self::unread(schema, limits)?;
        match schema.strict {
            true => schema.read(),
            false => Ok(schema),
        }
    }

    /// Reads `schema`; the error says what is wrong with it.
    pub(crate) fn of(schema: Value, limits: &Limits) -> Result<Self, String> {
        Self::unread(schema, limits)?.read()
    }

    fn unread(schema: Value, limits: &Limits) -> Result<Self, String> {
        let limit = limits.schema_depth;
        if !is_within(&schema, limit) {
            return Err(format!("it is more than {limit} arrays and objects deep"));
        }
        Ok(Self {
            keywords: OnceLock::new(),
            strict: is_strict(&schema),
            source: schema,
            bounds: Bounds {
                subschemas: limits.subschemas,
                depth: limits.envelope.depth,
            },
        })
    }

    fn read(self) -> Result<Self, String> {
        let keywords = Keywords::of(&self.source, self.bounds)?;
        self.keywords.get_or_init(|| Some(keywords));
        Ok(self)
    }

    /// Reads it, unless it is. Where that fails, nothing can be told of what a value fails in.
    fn keywords(&self) -> Option<&Keywords> {
        let read = || {
            let log = |error: &String| tracing::error!(error, "a schema that was made of a type");
            let keywords = Keywords::of(&self.source, self.bounds);
            keywords.inspect_err(log).ok()
        };
        self.keywords.get_or_init(read).as_ref()
    }

    /// Whether it refuses what deserialising a type does not: then every value must be held against it.
    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// The schema as it was written.
    pub(crate) fn source(&self) -> &Value {
        &self.source
    }

    /// The members of the object `value` in which something fails.
    pub(crate) fn failing_members(&self, value: &Value) -> Vec<String> {
        let mut members = Vec::new();
        if let Some(keywords) = self.keywords() {
            keywords.each_failure(value, |failure| {
                members.extend(failure.path.first_name().map(str::to_owned));
                ControlFlow::Continue(())
            });
        }
        members
    }

    /// What fails in `json`, one sentence each, with its path; empty if it is valid.
    pub(crate) fn failures(&self, json: &str) -> Vec<String> {
        let value: Value = match serde_json::from_str(json) {
            Ok(value) => value,
            Err(error) => return vec![error.to_string()],
        };
        let keywords = self.keywords();
        keywords.map_or_else(Vec::new, |keywords| keywords.sentences(&value))
    }
}

impl Keywords {
    fn of(schema: &Value, bounds: Bounds) -> Result<Self, String> {
        let nodes = reading::read(schema, bounds.subschemas)?;
        let cost = Cost::of(&nodes, bounds.depth);
        let cost = cost.ok_or("it applies a part of itself to one value without end")?;
        if cost.visits > MOST_VISITS || cost.depth > DEEPEST {
            return Err("it takes exponential time, or is nested without bounds".to_owned());
        }
        let visits = cost.visits;
        Ok(Self { nodes, visits })
    }

    /// What fails in `value`.
    fn sentences(&self, value: &Value) -> Vec<String> {
        if self.visits.saturating_mul(values(value)) > MOST_WORK {
            return vec!["there is too much in it to be held against the schema".to_owned()];
        }
        let mut sentences = Vec::new();
        self.each_failure(value, |failure| {
            sentences.push(sentence(failure, Schemas(&self.nodes)));
            match sentences.len() {
                MOST.. => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        sentences
    }

    fn each_failure(&self, value: &Value, mut tell: impl FnMut(&Failure<'_>) -> ControlFlow<()>) {
        let _told = Schemas(&self.nodes).check(0, value, &Path::Root, &mut tell);
    }
}

fn check_bytes(text: &str, limits: &Limits) -> Result<(), String> {
    let limit = limits.schema_bytes;
    match text.len() > limit {
        true => Err(format!("it has more than {limit} bytes")),
        false => Ok(()),
    }
}

/// How many values there are in `value`, with itself.
fn values(value: &Value) -> u64 {
    1 + match value {
        Value::Object(members) => members.values().map(values).sum(),
        Value::Array(items) => items.iter().map(values).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Whether `value` is at most so many arrays and objects deep.
fn is_within(value: &Value, depth: usize) -> bool {
    let Some(inside) = depth.checked_sub(1) else {
        return !value.is_object() && !value.is_array();
    };
    match value {
        Value::Object(members) => members.values().all(|value| is_within(value, inside)),
        Value::Array(items) => items.iter().all(|value| is_within(value, inside)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => true,
    }
}

/// Keywords that no deserialiser of a Rust type holds a value against.
const STRICT: [&str; 24] = [
    "additionalProperties",
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "if",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "not",
    "pattern",
    "patternProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "uniqueItems",
];

/// Looks at all of a schema, including the names of properties, which only makes it say yes too often.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members
            .iter()
            .any(|(key, value)| STRICT.contains(&key.as_str()) || is_strict(value)),
        Value::Array(items) => items.iter().any(is_strict),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

#[cfg(test)]
mod tests;
