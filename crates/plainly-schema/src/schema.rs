//! A schema: it is parsed once, its cost is known before the first value arrives, and failures are
//! reported as sentences. Independent of individual keywords.

use std::ops::ControlFlow;
use std::sync::OnceLock;

use plainly_errors::Mistake;
use serde_json::Value;

use super::check::{Failure, Path, Schemas};
use super::cost::Cost;
use super::keyword::Node;
use super::reading::{self, Absence};
use super::sentence::{MOST, mistakes};

/// A JSON Schema to validate values against.
#[derive(Debug)]
pub struct Schema {
    /// The parsed schema, or `None` if it is invalid.
    keywords: OnceLock<Option<Keywords>>,
    /// The schema as it was written.
    source: Value,
    strict: bool,
    /// Whether the schema contains schemas of nested objects.
    has_objects_inside: bool,
    absence: Absence,
    limits: Limits,
}

/// Limits on the size of schemas, and of the values validated against them. Start from
/// [`Limits::default`] and change what you need.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// The maximum size of a schema in bytes. 256 KiB. A larger one is rejected.
    pub bytes: usize,
    /// The maximum nesting of arrays and objects in a schema. 48. A deeper one is rejected.
    pub depth: usize,
    /// The maximum number of schemas inside a schema. 2,000. A schema with more is rejected.
    pub subschemas: usize,
    /// The nesting of values for which the cost of a schema is calculated. 64. Deeper values, up to
    /// the 128 levels that `serde_json` reads, are still validated, but may cost twice as much.
    pub value_depth: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            bytes: 256 << 10,
            depth: 48,
            subschemas: 2_000,
            value_depth: 64,
        }
    }
}

/// The reason why a schema is rejected: it is invalid, refers to something outside itself, or would
/// cost too much.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSchema(String);

plainly_errors::debug_with_causes!(InvalidSchema);

/// A parsed schema.
#[derive(Debug)]
struct Keywords {
    nodes: Vec<Node>,
    /// The number of subschemas that can apply to one value.
    visits: u64,
}

/// The maximum number of subschemas that apply to one value, and of nested calls. A schema beyond
/// them counts as exponential.
const MOST_VISITS: u64 = 10_000;
const DEEPEST: u64 = 1_024;

/// The maximum cost of one value: the number of its parts times the subschemas that can apply to
/// each.
const MOST_WORK: u64 = 5_000_000;

impl Schema {
    /// Parses a schema from its text.
    pub fn parse(text: &str, limits: &Limits) -> Result<Self, InvalidSchema> {
        check_bytes(text, limits)?;
        let schema =
            serde_json::from_str(text).map_err(|error| InvalidSchema(error.to_string()))?;
        Self::new(schema, limits)
    }

    /// Parses a schema from a value, without a limit on its bytes.
    pub fn new(schema: Value, limits: &Limits) -> Result<Self, InvalidSchema> {
        Self::unread(schema, Absence::Strict, limits)?.read()
    }

    /// Stores a schema derived from a type, and parses it when it is first needed, unless it is
    /// [strict](Self::is_strict), because then its author has added to it. Parsing the schemas of
    /// all tools at once would take a twentieth of a server's start-up time.
    ///
    /// A property that is `null` counts as absent, unless it is required: an `Option` reads it so,
    /// and many clients can't leave a property out in another way.
    ///
    /// `text` is the original text. If it turns out to be an invalid schema, an error is logged and
    /// every value is accepted.
    pub fn derived(schema: Value, text: &str, limits: &Limits) -> Result<Self, InvalidSchema> {
        check_bytes(text, limits)?;
        let schema = Self::unread(schema, Absence::ByNull, limits)?;
        match schema.strict {
            true => schema.read(),
            false => Ok(schema),
        }
    }

    fn unread(schema: Value, absence: Absence, limits: &Limits) -> Result<Self, InvalidSchema> {
        let limit = limits.depth;
        if !is_within(&schema, limit) {
            let why = format!("it is nested more than {limit} levels deep");
            return Err(InvalidSchema(why));
        }
        Ok(Self {
            keywords: OnceLock::new(),
            strict: is_strict(&schema),
            has_objects_inside: objects(&schema) > 1,
            absence,
            source: schema,
            limits: *limits,
        })
    }

    fn read(self) -> Result<Self, InvalidSchema> {
        let keywords = Keywords::of(&self.source, self.absence, &self.limits);
        let keywords = keywords.map_err(InvalidSchema)?;
        self.keywords.get_or_init(|| Some(keywords));
        Ok(self)
    }

    /// Parses the schema unless it has been parsed. If that fails, failures of values can't be
    /// detected.
    fn keywords(&self) -> Option<&Keywords> {
        self.keywords
            .get_or_init(|| {
                Keywords::of(&self.source, self.absence, &self.limits)
                    .inspect_err(|error| tracing::error!(error, "a schema that was made of a type"))
                    .ok()
            })
            .as_ref()
    }

    /// Whether the schema rejects values that would still deserialize to a Rust type: too long, too
    /// large, or with unknown properties. If not, deserialization alone shows whether a value is
    /// valid.
    pub fn is_strict(&self) -> bool {
        self.strict
    }

    /// Whether the value `json` may be invalid although it deserializes: by
    /// [`is_strict`](Self::is_strict), or because many types read an array where the schema
    /// requires an object.
    pub fn may_refuse(&self, json: &str) -> bool {
        self.strict || self.has_objects_inside && json.contains('[')
    }

    /// The schema as it was written.
    pub fn source(&self) -> &Value {
        &self.source
    }

    /// The members of the object `value` that are invalid or contain an invalid value. A member may
    /// occur several times.
    pub fn failing_members(&self, value: &Value) -> Vec<String> {
        let mut members = Vec::new();
        if let Some(keywords) = self.keywords() {
            keywords.each_failure(value, |failure| {
                members.extend(failure.path.first_name().map(str::to_owned));
                ControlFlow::Continue(())
            });
        }
        members
    }

    /// The first 16 mistakes in the value `json`. Empty if it is valid.
    pub fn failures(&self, json: &str) -> Vec<Mistake> {
        match serde_json::from_str(json) {
            Ok(value) => self.failures_of(&value),
            // The reader of messages has already scanned the text as JSON, so the value is nested
            // more deeply than `serde_json` reads.
            Err(_) => vec![Mistake::new("", "it is not JSON, or nested too deeply")],
        }
    }

    /// Like `failures`, for a value that has already been parsed.
    pub fn failures_of(&self, value: &Value) -> Vec<Mistake> {
        let keywords = self.keywords();
        keywords.map_or_else(Vec::new, |keywords| keywords.mistakes(value))
    }
}

impl Keywords {
    fn of(schema: &Value, absence: Absence, limits: &Limits) -> Result<Self, String> {
        let nodes = reading::read(schema, limits.subschemas, absence)?;
        let cost = Cost::of(&nodes, limits.value_depth);
        let cost = cost.ok_or("it applies a part of itself to one value endlessly")?;
        if cost.visits > MOST_VISITS || cost.depth > DEEPEST {
            return Err("it takes exponential time, or is nested without bounds".to_owned());
        }
        let visits = cost.visits;
        Ok(Self { nodes, visits })
    }

    /// The first mistakes in `value`.
    fn mistakes(&self, value: &Value) -> Vec<Mistake> {
        // Calculated before validation, so that no time is spent on a value that is rejected.
        if self.visits.saturating_mul(values(value)) > MOST_WORK {
            return vec![Mistake::new(
                "",
                "it is too large to be checked against the schema",
            )];
        }
        let mut all = Vec::new();
        self.each_failure(value, |failure| {
            all.extend(mistakes(failure, Schemas(&self.nodes)));
            match all.len() {
                MOST.. => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            }
        });
        all.truncate(MOST);
        all
    }

    fn each_failure(&self, value: &Value, mut tell: impl FnMut(&Failure<'_>) -> ControlFlow<()>) {
        let _told = Schemas(&self.nodes).check(0, value, &Path::Root, &mut tell);
    }
}

fn check_bytes(text: &str, limits: &Limits) -> Result<(), InvalidSchema> {
    let limit = limits.bytes;
    match text.len() > limit {
        true => Err(InvalidSchema(format!("it has more than {limit} bytes"))),
        false => Ok(()),
    }
}

/// The number of values in `value`, including itself.
fn values(value: &Value) -> u64 {
    1 + match value {
        Value::Object(members) => members.values().map(values).sum(),
        Value::Array(items) => items.iter().map(values).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}

/// Whether arrays and objects in `value` are nested at most `depth` deep.
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

/// Keywords that no deserializer of a Rust type checks.
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

/// Searches the whole schema, including the names of properties. A false match only makes it strict
/// without need.
fn is_strict(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members
            .iter()
            .any(|(key, value)| STRICT.contains(&key.as_str()) || is_strict(value)),
        Value::Array(items) => items.iter().any(is_strict),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The number of schemas of objects in a schema. Names of properties are counted too.
fn objects(schema: &Value) -> usize {
    match schema {
        Value::Object(members) => {
            usize::from(schema["type"] == "object") + members.values().map(objects).sum::<usize>()
        }
        Value::Array(items) => items.iter().map(objects).sum(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
