//! The type of an argument, for display: `integer`, `list of object`, `file | folder`.

use std::cell::Cell;
use std::fmt;

use plainly::errors::mistake::shortened;
use serde_json::Value;

use super::schema::{Depth, alternatives, named, resolved, types};
use crate::visible::visible;

/// The most levels of schemas that are read, and the most schemas and values in them.
const LOOKED: (usize, usize) = (4, 1_000);
/// The most bytes of a value that are stored.
const KEPT: usize = 300;
/// The most alternatives that are shown.
const SHOWN: usize = 8;
/// The most bytes that are shown in all.
const LONGEST: usize = 1_000;

/// The values that a schema allows.
#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    Anything,
    /// Values of the type with this name.
    Type(String),
    /// Only this value, as it is spelled in a call.
    Value(String),
    OneOf(Vec<Self>),
    /// A list, with the kind of its items if it is known.
    List(Option<Box<Self>>),
}

impl Kind {
    /// The values that `schema` allows, which is a part of `root`.
    pub(super) fn of(root: &Value, schema: &Value) -> Self {
        let (levels, schemas) = LOOKED;
        let schemas = Cell::new(schemas);
        within(root, schema, Depth::new(levels, &schemas))
    }

    /// Whether it may be a list with items of a known kind.
    pub(super) fn is_list(&self) -> bool {
        match self {
            Self::List(items) => items.is_some(),
            Self::OneOf(each) => each.iter().any(Self::is_list),
            Self::Anything | Self::Type(_) | Self::Value(_) => false,
        }
    }

    /// The only possible values of the kind, or of its items, if they are named.
    pub(super) fn choices(&self) -> Vec<&str> {
        match self {
            Self::Value(value) => vec![value],
            Self::OneOf(each) => each.iter().flat_map(Self::choices).collect(),
            Self::List(items) => items.iter().flat_map(|it| it.choices()).collect(),
            Self::Anything | Self::Type(_) => Vec::new(),
        }
    }

    /// The expected argument, as the end of a sentence.
    pub(super) fn expected(&self) -> String {
        match self {
            Self::Anything | Self::Type(_) => format!("of type {self}"),
            Self::Value(_) => self.to_string(),
            Self::OneOf(_) => format!("one of {self}"),
            Self::List(_) => format!("a {self}"),
        }
    }

    /// The alternatives without null, because an argument that may be null may also be left out.
    fn one_of(all: impl Iterator<Item = Self>) -> Self {
        let null = Self::Type("null".to_owned());
        let mut all: Vec<_> = all.filter(|it| *it != null).collect();
        match all.len() {
            0 => null,
            1 => all.remove(0),
            _ => Self::OneOf(all),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Anything => "anything".to_owned(),
            Self::Type(name) => visible(name),
            Self::Value(value) => visible(value),
            Self::OneOf(each) => {
                let shown = each.iter().take(SHOWN).map(Self::to_string);
                let more = (each.len() > SHOWN).then(|| "…".to_owned());
                shown.chain(more).collect::<Vec<_>>().join(" | ")
            }
            Self::List(None) => "list".to_owned(),
            Self::List(Some(items)) => format!("list of {items}"),
        };
        f.write_str(&shortened(&text, LONGEST))
    }
}

fn within(root: &Value, schema: &Value, depth: Depth<'_>) -> Kind {
    let schema = resolved(root, schema);
    if let Some(values) = named(schema).filter(|values| !values.is_empty()) {
        let values = values.iter().take_while(|_| depth.count());
        return Kind::one_of(values.map(value));
    }
    let Some(depth) = depth.deeper() else {
        return Kind::Anything;
    };
    let of_type = |name: &str| match name {
        "array" => {
            let items = Some(&schema["items"]).filter(|items| !items.is_null());
            Kind::List(items.map(|items| Box::new(within(root, items, depth))))
        }
        _ => Kind::Type(shortened(name, KEPT).into_owned()),
    };
    match (&types(schema)[..], alternatives(schema)) {
        ([], Some(each)) => {
            let each = each.iter().take_while(|_| depth.count());
            Kind::one_of(each.map(|schema| within(root, schema, depth)))
        }
        ([], None) => Kind::Anything,
        (names, _) => Kind::one_of(names.iter().map(|name| of_type(name))),
    }
}

fn value(value: &Value) -> Kind {
    match value {
        Value::Null => Kind::Type("null".to_owned()),
        Value::String(text) => Kind::Value(shortened(text, KEPT).into_owned()),
        Value::Bool(_) | Value::Number(_) => Kind::Value(value.to_string()),
        Value::Array(_) => Kind::List(None),
        Value::Object(_) => Kind::Type("object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_type_is_a_few_words_and_says_what_must_be_given() {
        #[rustfmt::skip]
        let cases = [
            (json!({}), "anything", "of type anything"),
            (json!({"type": "integer"}), "integer", "of type integer"),
            (json!({"type": ["integer", "null"]}), "integer", "of type integer"),
            (json!({"type": ["integer", "string"]}), "integer | string", "one of integer | string"),
            (json!({"type": "array"}), "list", "a list"),
            (json!({"type": "array", "items": {"enum": ["a", 1]}}), "list of a | 1", "a list of a | 1"),
            (json!({"const": "a | b"}), "a | b", "a | b"),
            (json!({"enum": ["a", "b", null]}), "a | b", "one of a | b"),
            (json!({"anyOf": [{"type": "array"}, {"const": null}]}), "list", "a list"),
            (json!({"enum": (0..10).collect::<Vec<_>>()}),
                "0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …", "one of 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | …"),
        ];
        for (schema, shown, expected) in cases {
            let kind = Kind::of(&schema, &schema);
            assert_eq!((&*kind.to_string(), &*kind.expected()), (shown, expected));
        }
    }

    #[test]
    fn schemas_that_refer_to_one_another_have_a_type() {
        let each = vec![json!({ "$ref": "#/$defs/a" }); 300];
        let either = json!({ "anyOf": &each });
        let named = json!({ "enum": ["x".repeat(100_000)] });
        let nulls = json!({ "anyOf": vec![json!({ "type": "null" }); 300] });
        let texts = json!({ "enum": vec!["x".repeat(100_000); 8] });
        for schema in [either, named, nulls, texts] {
            let root = json!({ "$defs": { "a": schema }, "anyOf": each });
            for schema in [&schema, &root] {
                let kind = Kind::of(&root, schema);
                assert!(kind.choices().len() <= LOOKED.1);
                let kept: usize = kind.choices().iter().map(|text| text.len()).sum();
                assert!(kept <= LOOKED.1 * 2 * KEPT, "{kept}");
                let shown = kind.to_string();
                assert!(shown.len() <= 2 * LONGEST, "{}", shown.len());
            }
        }
    }
}
