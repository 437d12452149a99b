//! The parameters of a tool or a prompt, according to the schema of its arguments.

use std::collections::HashMap;

use plainly::protocol::method::Method;
use plainly::protocol::types::Prompt;
use serde_json::{Map, Value, json};

use super::kind::Kind;
use super::schema::{resolved, types};

/// The kind of the callee, which is a tool or a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Callee {
    Tool,
    Prompt,
}

impl Callee {
    /// The kind, in a word.
    pub(super) const fn word(self) -> &'static str {
        match self {
            Self::Tool => "tool",
            Self::Prompt => "prompt",
        }
    }

    /// The command that lists all callees of this kind, or shows one.
    pub(super) const fn listing(self) -> &'static str {
        match self {
            Self::Tool => "tools",
            Self::Prompt => "prompts",
        }
    }

    /// The method that uses a callee of this kind.
    pub(super) const fn method(self) -> Method {
        match self {
            Self::Tool => Method::CallTool,
            Self::Prompt => Method::GetPrompt,
        }
    }

    /// The command that uses a callee of this kind.
    pub(super) const fn command(self) -> &'static str {
        match self {
            Self::Tool => "call",
            Self::Prompt => "prompt",
        }
    }

    /// The schema of the arguments of an unknown callee.
    pub(super) fn unknown(self) -> Value {
        match self {
            Self::Tool => Value::Null,
            Self::Prompt => json!({ "additionalProperties": { "type": "string" } }),
        }
    }
}

/// A parameter, for which an argument can be given.
#[derive(Clone, Copy)]
pub(super) struct Parameter<'a> {
    pub(super) name: &'a str,
    pub(super) schema: &'a Value,
    /// The schema of all arguments, which references point into.
    pub(super) root: &'a Value,
    /// Whether the schema lists it as required, even if it has a default.
    pub(super) is_required: bool,
}

/// The parameters: first the required ones, in the order of that list, then the others.
pub(super) fn parameters(schema: &Value) -> Vec<Parameter<'_>> {
    members(schema, schema)
}

/// The members of an object with this schema, which is a part of `root`, in the same order.
pub(super) fn members<'a>(root: &'a Value, schema: &'a Value) -> Vec<Parameter<'a>> {
    let required = schema["required"].as_array().into_iter().flatten();
    let places: HashMap<_, usize> = required.filter_map(Value::as_str).zip(0..).collect();
    let place = |name: &str| places.get(name).copied();
    let properties = schema["properties"].as_object().into_iter().flatten();
    let mut members: Vec<_> = properties
        .map(|(name, own)| Parameter {
            name,
            schema: own,
            root,
            is_required: places.contains_key(&**name),
        })
        .collect();
    members.sort_by_key(|member| place(member.name).unwrap_or(usize::MAX));
    members
}

/// The schema of a prompt's arguments, which are all text. A prompt that lists no arguments may
/// accept any.
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

impl<'a> Parameter<'a> {
    pub(super) fn kind(&self) -> Kind {
        Kind::of(self.root, self.schema)
    }

    /// The default value.
    pub(super) fn default(&self) -> Option<&'a Value> {
        self.schema.get("default").filter(|it| !it.is_null())
    }

    /// Whether it is required and has no default.
    pub(super) fn must_be_given(&self) -> bool {
        self.is_required && self.default().is_none()
    }

    /// The members of the object, or of the objects in the list.
    pub(super) fn members(&self) -> Vec<Self> {
        let mut schema = resolved(self.root, self.schema);
        if types(schema).contains(&"array") {
            schema = resolved(self.root, &schema["items"]);
        }
        members(self.root, schema)
    }
}

/// Whether another party's text may follow `=`: it must not name a file or standard input in any
/// spelling.
pub(super) fn is_plain(text: &str) -> bool {
    !text.starts_with(['@', '-'])
}
