//! What a tool or a prompt takes, by the schema of its arguments.

use std::cell::Cell;

use plainly::errors::mistake::shortened;
use plainly::protocol::method::Method;
use plainly::protocol::types::Prompt;
use serde_json::{Map, Value, json};

use crate::visible::visible;

/// The most references that are followed from one to the next.
const REFERENCES: usize = 8;

/// How far schemas are looked into for the name of a type.
const NAMES: (usize, usize) = (4, 1_000);

/// The most values of a list that are named.
const NAMED: usize = 8;

/// The most bytes of a type's name.
const LONGEST: usize = 1_000;

/// What arguments are given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    Tool,
    Prompt,
}

impl Callee {
    /// What it is in a word.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
        }
    }

    /// The command that lists all, and shows one.
    pub(super) const fn listing(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Prompt => "prompts",
        }
    }

    /// The method that uses one.
    pub(super) const fn method(self) -> Method {
        match self {
            Self::Tool => Method::CallTool,
            Self::Prompt => Method::GetPrompt,
        }
    }

    /// The command that uses one.
    pub(super) const fn command(self) -> &'static str {
        match self {
            Self::Tool => "call",
            Self::Prompt => "prompt",
        }
    }

    /// The schema of the arguments of one of which nothing is known.
    pub(super) fn unknown(self) -> Value {
        match self {
            Self::Tool => Value::Null,
            Self::Prompt => json!({ "additionalProperties": { "type": "string" } }),
        }
    }
}

/// One of the arguments that can be given.
#[derive(Clone, Copy)]
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    pub(super) schema: &'a Value,
    /// The schema of all arguments, to which others refer.
    pub(super) root: &'a Value,
    pub(super) is_required: bool,
}

/// The parameters: first those that must be given, as the schema names them, then the others.
pub(super) fn parameters(schema: &Value) -> Vec<Parameter<'_>> {
    let required = schema["required"].as_array();
    let place = |name: &str| required.and_then(|all| all.iter().position(|it| it == name));
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut parameters: Vec<_> = properties
        .map(|(name, own)| Parameter {
            name,
            schema: own,
            root: schema,
            is_required: place(name).is_some(),
        })
        .collect();
    parameters.sort_by_key(|parameter| place(parameter.name).unwrap_or(usize::MAX));
    parameters
}

/// The schema of a prompt's arguments, which are all text. One that lists none may take any.
pub(super) fn schema_of(prompt: &Prompt) -> Value {
    let listed = prompt.arguments.as_deref().unwrap_or_default();
    if listed.is_empty() {
        return Callee::Prompt.unknown();
    }
    let properties = listed.iter().map(|argument| {
        let meaning = argument.description.as_ref().or(argument.title.as_ref());
        let schema = json!({ "type": "string", "description": meaning });
        (argument.name.clone(), schema)
    });
    let required = listed.iter().filter(|argument| argument.is_required());
    let required: Vec<_> = required.map(|argument| &argument.name).collect();
    json!({
        "properties": properties.collect::<Map<_, _>>(),
        "required": required,
        "additionalProperties": false,
    })
}

impl Parameter<'_> {
    /// Its type in a word or a few.
    pub(super) fn kind(&self) -> String {
        let (levels, schemas) = NAMES;
        let schemas = Cell::new(schemas);
        let depth = Depth::new(levels, &schemas);
        shortened(&kind(self.root, self.schema, depth), LONGEST).into_owned()
    }
}

/// How much further schemas within schemas are looked into. A few of them that refer to one another have so many ways through
/// that a bound for the levels alone is none.
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

    /// That of the schemas within the one that is looked at, which counts; `None` if it was one too many.
    pub(super) fn deeper(self) -> Option<Self> {
        let schemas = self.schemas.get().checked_sub(1)?;
        self.schemas.set(schemas);
        let levels = self.levels.checked_sub(1)?;
        Some(Self { levels, ..self })
    }
}

/// What a schema refers to in the same document, or itself.
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
        Value::Array(names) => names.iter().filter_map(Value::as_str).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Vec::new(),
    }
}

/// The type that a schema means, in a word or a few.
fn kind(root: &Value, schema: &Value, depth: Depth<'_>) -> String {
    let schema = resolved(root, schema);
    if let Some(values) = named(schema) {
        return one_of(values.iter().map(shown));
    }
    let Some(depth) = depth.deeper() else {
        return "anything".to_owned();
    };
    let of_type = |name: &str| match name {
        "array" => list(root, &schema["items"], depth),
        _ => visible(name),
    };
    match (&types(schema)[..], alternatives(schema)) {
        ([name], _) => of_type(name),
        ([], Some(each)) => one_of(each.iter().map(|schema| kind(root, schema, depth))),
        ([], None) => "anything".to_owned(),
        (names, _) => one_of(names.iter().map(|name| of_type(name))),
    }
}

fn list(root: &Value, items: &Value, depth: Depth<'_>) -> String {
    match items.is_null() {
        true => "list".to_owned(),
        false => format!("list of {}", kind(root, items, depth)),
    }
}

/// The alternatives, without null: what may be null may also be left out.
fn one_of(all: impl Iterator<Item = String>) -> String {
    let all = all.filter(|it| it != "null");
    let all: Vec<_> = all.take(NAMED + 1).collect();
    if all.is_empty() {
        return "anything".to_owned();
    }
    let more = if all.len() > NAMED { " | …" } else { "" };
    let named: Vec<_> = all.into_iter().take(NAMED).collect();
    format!("{}{more}", named.join(" | "))
}

/// A value as it is written in a call.
fn shown(value: &Value) -> String {
    match value.as_str() {
        Some(text) => visible(text),
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_that_refer_to_one_another_have_a_type() {
        let each = vec![json!({ "$ref": "#/$defs/a" }); 300];
        let either = json!({ "anyOf": each });
        let named = json!({ "enum": ["x".repeat(100_000)] });
        let nulls = json!({ "anyOf": vec![json!({ "type": "null" }); 300] });
        for schema in [either, named, nulls] {
            let root = json!({ "properties": { "it": schema }, "$defs": { "a": schema } });
            let kind = parameters(&root)[0].kind();
            assert!(kind.len() <= 2 * LONGEST, "{}", kind.len());
        }
    }
}
