//! Converts text on the command line to values of a schema.

use std::cell::Cell;

use plainly::errors::number::integer;
use serde_json::{Number, Value};

use super::super::schema::{Depth, alternatives, named, resolved, types};
use crate::json;

/// The most levels of nested schemas that are read.
const LEVELS: usize = 8;
/// The most schemas, and values in schemas, that are read for each part of a text.
const SCHEMAS: usize = 100_000;

/// The text as a value that `schema` allows, which is a part of `root`; `None` if there is no such
/// value. Text stays text wherever the schema allows text: use `key:=JSON` if both are possible.
pub(super) fn typed(root: &Value, schema: &Value, text: &str) -> Option<Value> {
    let schemas = Cell::new(SCHEMAS.saturating_mul(text.split(',').count()));
    within(root, schema, text, Depth::new(LEVELS, &schemas))
}

/// Several texts as one list, if the schema allows a list of them.
pub(super) fn listed(root: &Value, schema: &Value, texts: &[&str]) -> Option<Value> {
    let schemas = Cell::new(SCHEMAS);
    let items = items(root, schema, Depth::new(LEVELS, &schemas))?;
    let values = texts.iter().map(|text| typed(root, items, text));
    values.collect::<Option<Vec<_>>>().map(Value::Array)
}

fn within(root: &Value, schema: &Value, text: &str, depth: Depth<'_>) -> Option<Value> {
    let (schema, depth) = (resolved(root, schema), depth.deeper()?);
    if let Some(values) = named(schema) {
        let mut values = values.iter().take_while(|_| depth.count());
        return values.find(|value| is_written(value, text)).cloned();
    }
    if takes_text(root, schema, depth) {
        return Some(text.into());
    }
    let types = types(schema);
    match alternatives(schema) {
        _ if !types.is_empty() => types.into_iter().find_map(|name| match name {
            "array" => list(root, &schema["items"], text, depth),
            name => scalar(name, text),
        }),
        Some(each) => each
            .iter()
            .find_map(|schema| within(root, schema, text, depth)),
        // Any value is allowed, so the text is JSON if it can be parsed.
        None => Some(json::parse(text).unwrap_or_else(|_| text.into())),
    }
}

/// Whether the text spells this value.
fn is_written(value: &Value, text: &str) -> bool {
    match value.as_str() {
        Some(own) => own == text,
        None => json::parse(text).is_ok_and(|read| read == *value),
    }
}

fn takes_text(root: &Value, schema: &Value, depth: Depth<'_>) -> bool {
    let (schema, Some(depth)) = (resolved(root, schema), depth.deeper()) else {
        return false;
    };
    if named(schema).is_some() {
        return false;
    }
    let mut each = alternatives(schema).into_iter().flatten();
    types(schema).contains(&"string") || each.any(|schema| takes_text(root, schema, depth))
}

/// The schema of the items, if the schema allows a list.
fn items<'a>(root: &'a Value, schema: &'a Value, depth: Depth<'_>) -> Option<&'a Value> {
    let (schema, depth) = (resolved(root, schema), depth.deeper()?);
    if types(schema).contains(&"array") {
        return Some(&schema["items"]);
    }
    let mut each = alternatives(schema)?.iter();
    each.find_map(|schema| items(root, schema, depth))
}

/// A list: in JSON, as a single item, or separated by commas if no item can contain one.
fn list(root: &Value, items: &Value, text: &str, depth: Depth<'_>) -> Option<Value> {
    if text.trim_start().starts_with('[') {
        return json::parse(text).ok().filter(Value::is_array);
    }
    if text.is_empty() {
        return Some(Value::Array(Vec::new()));
    }
    let whole = within(root, items, text, depth).map(|item| vec![item]);
    let parts = || {
        let parts = text.split(',');
        parts
            .map(|part| within(root, items, part.trim(), depth))
            .collect()
    };
    whole.or_else(parts).map(Value::Array)
}

fn scalar(name: &str, text: &str) -> Option<Value> {
    let trimmed = text.trim();
    match (name, trimmed) {
        ("boolean", "true") => Some(true.into()),
        ("boolean", "false") => Some(false.into()),
        ("null", "null") => Some(Value::Null),
        ("number", _) => number(trimmed).map(Value::Number),
        ("integer", _) => {
            let value = Value::Number(number(trimmed)?);
            let is_large = value.is_u64() && value.as_i64().is_none();
            match is_large {
                true => Some(value),
                false => integer(&value).map(Value::from),
            }
        }
        ("object", _) => json::parse(text).ok().filter(Value::is_object),
        _ => None,
    }
}

/// A number in JSON, or in another usual form: `.5`, `+1`.
fn number(text: &str) -> Option<Number> {
    let exact = serde_json::from_str(text).ok();
    exact.or_else(|| Number::from_f64(text.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn text_becomes_what_the_schema_wants() {
        let integers = json!({"type": "array", "items": {"type": "integer"}});
        let texts = json!({"type": "array", "items": {"type": "string"}});
        let or_null = json!({"anyOf": [{"type": "integer"}, {"type": "null"}]});
        #[rustfmt::skip]
        let cases = [
            (json!({"type": "string"}), "10", Some(json!("10"))),
            (json!({"type": "string"}), "", Some(json!(""))),
            (json!({"type": "integer"}), "10", Some(json!(10))),
            (json!({"type": "integer"}), "10.0", Some(json!(10))),
            (json!({"type": "integer"}), "1e3", Some(json!(1000))),
            (json!({"type": "integer"}), "18446744073709551615", Some(json!(u64::MAX))),
            (json!({"type": "integer"}), "10.5", None),
            (json!({"type": "integer"}), "ten", None),
            (json!({"type": "integer"}), "", None),
            (json!({"type": "number"}), "10", Some(json!(10))),
            (json!({"type": "number"}), ".5", Some(json!(0.5))),
            (json!({"type": "number"}), "inf", None),
            (json!({"type": "boolean"}), "true", Some(json!(true))),
            (json!({"type": "boolean"}), "yes", None),
            (json!({"type": ["integer", "null"]}), "null", Some(json!(null))),
            (json!({"type": ["null", "string"]}), "null", Some(json!("null"))),
            (or_null.clone(), "7", Some(json!(7))),
            (or_null, "null", Some(json!(null))),
            (json!({"anyOf": [{"type": "integer"}, {"type": "string"}]}), "7", Some(json!("7"))),
            (json!({"enum": ["a", 1, null]}), "1", Some(json!(1))),
            (json!({"enum": ["a", 1, null]}), "b", None),
            (json!({"const": true}), "true", Some(json!(true))),
            (json!({"type": "object"}), "{\"a\": 1}", Some(json!({"a": 1}))),
            (json!({"type": "object"}), "[1]", None),
            (json!({}), "[1]", Some(json!([1]))),
            (json!(true), "a b", Some(json!("a b"))),
            (texts.clone(), "a,b", Some(json!(["a,b"]))),
            (texts.clone(), "[\"a\"]", Some(json!(["a"]))),
            (texts.clone(), "[a]", None),
            (texts, "", Some(json!([]))),
            (integers.clone(), "1, 2", Some(json!([1, 2]))),
            (integers.clone(), "1", Some(json!([1]))),
            (integers, "1,x", None),
            (json!({"allOf": [{"$ref": "#/$defs/n"}], "default": 1}), "5", Some(json!(5))),
            (json!({"$ref": "#/$defs/loop"}), "5", Some(json!(5))),
        ];
        let root = json!({"$defs": {"n": {"type": "number"}, "loop": {"$ref": "#/$defs/loop"}}});
        for (schema, text, expected) in cases {
            assert_eq!(typed(&root, &schema, text), expected, "{schema} {text}");
        }
    }

    #[test]
    fn schemas_that_refer_to_one_another_come_to_an_end() {
        let each = vec![json!({ "$ref": "#/$defs/a" }); 300];
        for schema in [
            json!({ "anyOf": each }),
            json!({ "type": "array", "items": { "anyOf": each } }),
        ] {
            let root = json!({ "$defs": { "a": schema } });
            assert_eq!(typed(&root, &schema, "1,2"), None);
            assert_eq!(typed(&root, &schema, "1"), None);
        }
        let root = json!({ "$defs": { "a": { "anyOf": each } } });
        assert_eq!(listed(&root, &root["$defs"]["a"], &["1", "2"]), None);
        let integers = json!({ "type": "array", "items": { "type": "integer" } });
        let many = vec!["7"; 20_000].join(",");
        assert_eq!(typed(&root, &integers, &many), Some(vec![7; 20_000].into()));
    }

    #[test]
    fn several_texts_are_a_list_where_one_is_allowed() {
        let root = json!({});
        let integers =
            json!({"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"type": "null"}]});
        assert_eq!(listed(&root, &integers, &["1", "2"]), Some(json!([1, 2])));
        assert_eq!(listed(&root, &integers, &["1", "b"]), None);
        assert_eq!(listed(&root, &json!({"type": "string"}), &["1", "2"]), None);
    }
}
