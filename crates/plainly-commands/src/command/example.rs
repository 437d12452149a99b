//! An example value of an argument, as a word of a call.

use serde_json::{Map, Value};

use super::parameter::{Parameter, is_plain, members};
use super::schema::{Depth, alternatives, named, resolved, types};

/// The most bytes of the values in an example.
const LARGEST: usize = 500;

/// The argument as a word of a call.
pub(super) fn example(parameter: &Parameter<'_>, depth: Depth<'_>) -> String {
    let Parameter {
        name, schema, root, ..
    } = *parameter;
    let value = sample(root, schema, depth);
    // A list of one item can be given as the item.
    let item = match value.as_array().map(Vec::as_slice) {
        Some([item]) => item,
        _ => &value,
    };
    match item {
        Value::String(text) if is_plain(text) => format!("{name}={text}"),
        Value::Null | Value::Bool(_) | Value::Number(_) => format!("{name}={item}"),
        Value::String(_) | Value::Array(_) | Value::Object(_) => format!("{name}:={value}"),
    }
}

/// Whether the value has at most `left` bytes, which are then used up.
fn is_within(value: &Value, left: &mut usize) -> bool {
    let own = 1 + value.as_str().map_or(0, str::len);
    let Some(rest) = left.checked_sub(own) else {
        return false;
    };
    *left = rest;
    let mut items = value.as_array().into_iter().flatten();
    let mut members = value.as_object().into_iter().flatten();
    items.all(|item| is_within(item, left))
        && members.all(|(name, member)| {
            *left = left.saturating_sub(name.len());
            is_within(member, left)
        })
}

/// An example that the schema allows: a value in the schema, or the smallest of its type.
fn sample(root: &Value, schema: &Value, depth: Depth<'_>) -> Value {
    let referred = resolved(root, schema);
    let given = schema.get("default").or(referred.get("default"));
    let given = given
        .or(named(referred).and_then(<[Value]>::first))
        .or(referred["examples"].get(0))
        .filter(|value| !value.is_null() && is_within(value, &mut LARGEST.clone()));
    let anything = || Value::from("TEXT");
    let Some(depth) = depth.deeper() else {
        return anything();
    };
    if let Some(given) = given {
        return given.clone();
    }
    let mut types = types(referred).into_iter().filter(|name| *name != "null");
    match (types.next(), alternatives(referred)) {
        (Some("integer"), _) => 1.into(),
        (Some("number"), _) => 1.5.into(),
        (Some("boolean"), _) => true.into(),
        (Some("array"), _) => {
            let items = Some(&referred["items"]).filter(|items| !items.is_null());
            let item = items.map(|items| sample(root, items, depth));
            item.into_iter().collect()
        }
        (Some("object"), _) => {
            let members = members(root, referred).into_iter();
            let required = members.filter(|member| member.is_required);
            let samples = required.map(|it| (it.name.to_owned(), sample(root, it.schema, depth)));
            samples.collect::<Map<_, _>>().into()
        }
        (None, Some([first, ..])) => sample(root, first, depth),
        _ => anything(),
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use serde_json::json;

    use super::*;

    #[test]
    fn an_example_is_what_the_schema_allows() {
        let edit = json!({
            "type": "object",
            "properties": {
                "dry": {"type": "boolean"},
                "new": {"type": "string"},
                "old": {"type": "string"},
            },
            "required": ["old", "new"],
        });
        let root = json!({"$defs": {"edit": edit, "loop": {"type": "array", "items": {"$ref": "#/$defs/loop"}}}});
        #[rustfmt::skip]
        let cases = [
            (json!({"type": "string"}), "it=TEXT"),
            (json!({"type": "string", "default": "a b"}), "it=a b"),
            (json!({"type": ["null", "integer"]}), "it=1"),
            (json!({"enum": ["file", "folder"]}), "it=file"),
            (json!({"enum": ["@/etc/passwd"]}), r#"it:="@/etc/passwd""#),
            (json!({"type": "string", "default": "-"}), r#"it:="-""#),
            (json!({"type": "array", "items": {"const": "@f"}}), r#"it:=["@f"]"#),
            (json!({"type": "integer", "default": -5}), "it=-5"),
            (json!({"type": "array"}), "it:=[]"),
            (json!({"type": "array", "items": {"type": "number"}}), "it=1.5"),
            (json!({"type": "array", "items": {"$ref": "#/$defs/edit"}}), r#"it:=[{"new":"TEXT","old":"TEXT"}]"#),
            (json!({"type": "object"}), "it:={}"),
            (json!({"anyOf": [{"type": "boolean"}, {"type": "null"}]}), "it=true"),
            (json!({"default": "x".repeat(1_000)}), "it=TEXT"),
            (json!({"type": "object", "default": {"x".repeat(1_000): 1}}), "it:={}"),
            (json!({"$ref": "#/$defs/loop"}), r#"it:=[[[["TEXT"]]]]"#),
        ];
        for (schema, expected) in cases {
            let parameter = Parameter {
                name: "it",
                schema: &schema,
                root: &root,
                is_required: true,
            };
            let schemas = Cell::new(100);
            let shown = example(&parameter, Depth::new(4, &schemas));
            assert_eq!(shown, expected, "{schema}");
        }
    }
}
