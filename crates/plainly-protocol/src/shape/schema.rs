//! The schemas of tools as revisions before 2026-07-28 have them: of an object, with an object for each property.

use crate::envelope::{Limits, Object, parse_object};
use crate::escape;
use crate::types::RawJson;

/// Whether `schema` says by its `type` alone that only objects are valid.
pub(super) fn is_of_object(schema: &RawJson) -> bool {
    let root = parse_object(schema.get(), &Limits::UNLIMITED).ok();
    root.and_then(|root| root.get("type")) == Some("\"object\"")
}

/// Writes `true` and `false` as the schemas of properties in the words that mean the same; nothing if there are none.
pub(super) fn without_booleans(schema: &RawJson) -> Option<RawJson> {
    let root = parse_object(schema.get(), &Limits::UNLIMITED).ok()?;
    let properties = root.get_object("properties")?;
    if properties
        .members()
        .all(|(_, value)| in_words(value) == value)
    {
        return None;
    }
    let properties = rewritten(&properties, |_, value| in_words(value));
    let schema = rewritten(&root, |key, value| match key {
        "properties" => &properties,
        _ => value,
    });
    Some(RawJson::parse(schema).expect("an object of what was JSON is JSON"))
}

fn in_words(schema: &str) -> &str {
    match schema {
        "true" => "{}",
        "false" => r#"{"not":{}}"#,
        other => other,
    }
}

/// The same object, each value replaced by what `replace` gives for it.
fn rewritten<'t>(object: &'t Object<'_>, replace: impl Fn(&str, &'t str) -> &'t str) -> String {
    // From text to text, without a tree: all else stays in the order and spelling of its author.
    let mut out = Vec::with_capacity(object.raw().len());
    for (key, value) in object.members() {
        out.push(if out.is_empty() { b'{' } else { b',' });
        escape::write_string(&mut out, key);
        out.push(b':');
        out.extend_from_slice(replace(key, value).as_bytes());
    }
    out.push(b'}');
    String::from_utf8(out).expect("made of strings")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn raw(text: &str) -> RawJson {
        RawJson::parse(text).unwrap()
    }

    #[test]
    fn a_schema_of_an_object_says_so_by_its_type() {
        for (schema, expected) in [
            (r#"{"type":"object"}"#, true),
            (r#"{ "a": 1, "type" : "object" }"#, true),
            (r#"{"type":["object"]}"#, false),
            (r#"{"type":"array","items":{"type":"object"}}"#, false),
            (r##"{"$ref":"#/$defs/A"}"##, false),
            ("{}", false),
            ("true", false),
        ] {
            assert_eq!(is_of_object(&raw(schema)), expected, "{schema}");
        }
    }

    #[test]
    fn only_boolean_schemas_of_properties_are_written_differently() {
        for (schema, expected) in [
            ("{}", None),
            ("true", None),
            (r#"{"properties":{}}"#, None),
            (
                r#"{"properties":{"a":{"items":true}},"additionalProperties":false}"#,
                None,
            ),
            (
                r#"{ "z": 1.0, "properties": { "b\"": true, "a": {"x":  1}, "c": false }, "a": true }"#,
                Some(r#"{"z":1.0,"properties":{"b\"":{},"a":{"x":  1},"c":{"not":{}}},"a":true}"#),
            ),
        ] {
            assert_eq!(
                without_booleans(&raw(schema)),
                expected.map(raw),
                "{schema}"
            );
        }
    }
}
