//! Tools and their results: structured content and its schema, which were limited to objects at
//! first.

use plainly_errors::Revision;

use super::{Feature, Shape};
use crate::envelope::{Limits, Object, parse_object};
use crate::escape;
use crate::types::{CallToolResult, Content, ListToolsResult, RawJson, Tool};

impl Shape for CallToolResult {
    fn shape(&mut self, revision: Revision) {
        shape_output(&mut self.content, &mut self.structured_content, revision);
    }
}

/// Removes structured content that the revision lacks, because the content means the same to users
/// and models. If there is no content, the structured content becomes it.
pub(super) fn shape_output(
    content: &mut Vec<Content>,
    structured: &mut Option<RawJson>,
    revision: Revision,
) {
    for block in &mut *content {
        block.shape(revision);
    }
    let unfit = structured.take_if(|value| {
        let feature = match value.get().starts_with('{') {
            true => Feature::StructuredContent,
            false => Feature::StructuredValue,
        };
        !feature.is_in(revision)
    });
    if let Some(lost) = unfit
        && content.is_empty()
    {
        content.push(Content::text(lost.get()));
    }
}

impl Shape for ListToolsResult {
    fn shape(&mut self, revision: Revision) {
        for tool in &mut self.tools {
            tool.shape(revision);
        }
    }
}

impl Shape for Tool {
    fn shape(&mut self, revision: Revision) {
        if !Feature::OutputValueSchema.is_in(revision) {
            let has = Feature::OutputSchema.is_in(revision);
            self.output_schema
                .take_if(|schema| !has || !is_of_object(schema));
        }
        if !Feature::BooleanSchema.is_in(revision) {
            for schema in [Some(&mut self.input_schema), self.output_schema.as_mut()] {
                if let Some(schema) = schema
                    && let Some(older) = without_booleans(schema)
                {
                    *schema = older;
                }
            }
        }
    }
}

/// Whether `schema` restricts valid values to objects by its `type` alone.
fn is_of_object(schema: &RawJson) -> bool {
    let root = parse_object(schema.get(), &Limits::UNLIMITED).ok();
    root.and_then(|root| root.get("type")) == Some("\"object\"")
}

/// Rewrites `true` and `false` as schemas of properties to equivalent objects; `None` if there are
/// none.
fn without_booleans(schema: &RawJson) -> Option<RawJson> {
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

/// The object with each value replaced by the result of `replace`.
fn rewritten<'t>(object: &'t Object<'_>, replace: impl Fn(&str, &'t str) -> &'t str) -> String {
    // From text to text without a tree, so that everything else keeps the order and spelling of its
    // author.
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

    /// Whether structured content remains in each revision, and the number of blocks.
    fn shaped(result: &CallToolResult) -> Vec<(bool, usize)> {
        let left = Revision::ALL.map(|revision| {
            let mut result = result.clone();
            result.shape(revision);
            (result.structured_content.is_some(), result.content.len())
        });
        left.to_vec()
    }

    #[test]
    fn structured_content_goes_where_it_is_known() {
        let result = CallToolResult::new([Content::text("x")]);
        let (yes, no) = ((true, 1), (false, 1));
        for (value, expected) in [
            (r#"{"a":1}"#, [no, no, yes, yes, yes]),
            ("[1]", [no, no, no, no, yes]),
            ("null", [no, no, no, no, yes]),
        ] {
            let result = result.clone().structured_content(raw(value));
            assert_eq!(shaped(&result), expected, "{value}");
        }
        assert_eq!(shaped(&result), [no; 5]);
    }

    #[test]
    fn structured_content_that_stands_alone_is_said_in_text() {
        let mut result = CallToolResult::new([]).structured_content(raw(r#"{"a":1}"#));
        let (data, text) = ((true, 0), (false, 1));
        assert_eq!(shaped(&result), [text, text, data, data, data]);
        result.shape(Revision::V2024_11_05);
        assert_eq!(result.content, [Content::text(r#"{"a":1}"#)]);
    }

    #[test]
    fn blocks_of_a_result_have_their_shape_too() {
        let mut result = CallToolResult::new([Content::audio(*b"abc", "audio/wav")]);
        result.shape(Revision::V2024_11_05);
        assert!(matches!(&result.content[..], [Content::Text(_)]));
    }

    #[test]
    fn schemas_are_verbatim_where_they_can_be() {
        let object = r#"{"type":"object","properties":{"a":true}}"#;
        let older = r#"{"type":"object","properties":{"a":{}}}"#;
        let list = r#"{"type":"array"}"#;
        let tools = ListToolsResult::new([
            Tool::new("a", raw(object)).output_schema(raw(object)),
            Tool::new("b", raw(older)).output_schema(raw(list)),
        ]);
        for (revision, input, of_a, of_b) in [
            (Revision::V2024_11_05, older, None, None),
            (Revision::V2025_03_26, older, None, None),
            (Revision::V2025_06_18, older, Some(older), None),
            (Revision::V2025_11_25, older, Some(older), None),
            (Revision::V2026_07_28, object, Some(object), Some(list)),
        ] {
            let mut tools = tools.clone();
            tools.shape(revision);
            let [a, b] = &tools.tools[..] else {
                panic!("{tools:?}")
            };
            assert_eq!(a.input_schema, raw(input), "{revision}");
            assert_eq!(a.output_schema, of_a.map(raw), "{revision}");
            assert_eq!(b.input_schema, raw(older), "{revision}");
            assert_eq!(b.output_schema, of_b.map(raw), "{revision}");
        }
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
