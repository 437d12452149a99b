//! The arguments of a tool that HTTP headers repeat: the `x-mcp-header` annotations of its input
//! schema (2026-07-28, basic/transports/streamable-http, "Custom Headers from Tool Parameters"),
//! and the values of those headers. Clients write headers by this module, and servers check them.
//! Each decides for itself how to handle an invalid tool or call.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::header::MCP_PARAM_PREFIX;

const ANNOTATION: &str = "x-mcp-header";
/// The maximum length of a name in an annotation, in bytes. HTTP peers reject headers with longer
/// names.
const LONGEST_NAME: usize = 8 << 10;

/// An argument that a header repeats.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct MirroredArgument {
    /// The name of the header, in lower case.
    pub header: String,
    /// The names of the properties that lead to it; at least one.
    pub path: Vec<String>,
}

impl MirroredArgument {
    /// The value of the argument among all `arguments` of a call. `None` if it is absent or null:
    /// then there must be no header.
    #[must_use]
    pub fn value_in<'a>(&self, arguments: &'a Value) -> Option<&'a Value> {
        let mut path = self.path.iter();
        let value = path.try_fold(arguments, |value, name| value.get(name))?;
        (!value.is_null()).then_some(value)
    }
}

/// The header text for an argument with this value, before it is [encoded](crate::header::encode).
/// `None` if no header can represent the value; no schema of a mirrored argument allows such a
/// value.
#[must_use]
pub fn text(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => Some(text.into()),
        Value::Bool(true) => Some("true".into()),
        Value::Bool(false) => Some("false".into()),
        Value::Number(number) if number.is_i64() || number.is_u64() => {
            Some(number.to_string().into())
        }
        // JSON Schema counts `1.0` as an integer too; a header has a single spelling for it.
        Value::Number(number) => {
            let number = number.as_f64().filter(|number| number.fract() == 0.0)?;
            Some(format!("{number:.0}").into())
        }
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

/// The annotated arguments of the input schema of a tool.
///
/// # Errors
///
/// All faults of the annotations, each a clause with the tool as its subject. Servers must not
/// offer such a tool, and clients must leave it out over HTTP.
pub fn mirrored(schema: &Value) -> Result<Vec<MirroredArgument>, Vec<String>> {
    let mut search = Search {
        found: Vec::new(),
        wrong: Vec::new(),
    };
    search.look(schema, &mut Vec::new(), true);
    match search.wrong.is_empty() {
        true => Ok(search.found),
        false => Err(search.wrong),
    }
}

struct Search {
    found: Vec<MirroredArgument>,
    wrong: Vec<String>,
}

impl Search {
    /// Searches `schema`. It is the schema of the property at `path` if only properties have led to
    /// it.
    fn look(&mut self, schema: &Value, path: &mut Vec<String>, is_property: bool) {
        let Some(members) = schema.as_object() else {
            // A list of schemas, such as that of `allOf`. An annotation inside does not clearly
            // belong to one property.
            return schema
                .as_array()
                .into_iter()
                .flatten()
                .for_each(|schema| self.look(schema, path, false));
        };
        if let Some(annotation) = members.get(ANNOTATION)
            && let Err(why) = self.find(annotation, members, path, is_property)
        {
            let place = place(path, is_property);
            self.wrong
                .push(format!("has an {ANNOTATION} at {place}, but {why}"));
        }
        for (keyword, value) in members {
            self.look_under(keyword, value, path, is_property);
        }
    }

    fn look_under(
        &mut self,
        keyword: &str,
        value: &Value,
        path: &mut Vec<String>,
        is_property: bool,
    ) {
        match (keyword, value) {
            // These hold values, not schemas.
            ("const" | "enum" | "default" | "examples" | ANNOTATION, _) => {}
            ("properties", Value::Object(properties)) => {
                for (name, schema) in properties {
                    path.push(name.clone());
                    self.look(schema, path, is_property);
                    path.pop();
                }
            }
            (
                "$defs" | "definitions" | "patternProperties" | "dependentSchemas" | "dependencies",
                Value::Object(schemas),
            ) => schemas
                .values()
                .for_each(|schema| self.look(schema, path, false)),
            (_, other) => self.look(other, path, false),
        }
    }

    fn find(
        &mut self,
        annotation: &Value,
        schema: &Map<String, Value>,
        path: &[String],
        is_property: bool,
    ) -> Result<(), String> {
        if !is_property || path.is_empty() {
            return Err("only properties and nested properties can have one".to_owned());
        }
        let name = annotation.as_str().filter(|name| is_token(name));
        let name = name.ok_or_else(|| format!("{annotation} is not a valid header name"))?;
        let kind = schema.get("type").and_then(Value::as_str);
        if !matches!(kind, Some("string" | "integer" | "boolean")) {
            return Err("its type is not \"string\", \"integer\" or \"boolean\"".to_owned());
        }
        let header = format!("{MCP_PARAM_PREFIX}{}", name.to_ascii_lowercase());
        // Header names are case-insensitive, so names that differ only in case are the same.
        if self.found.iter().any(|other| other.header == header) {
            return Err(format!("{annotation} is used twice"));
        }
        let path = path.to_vec();
        self.found.push(MirroredArgument { header, path });
        Ok(())
    }
}

fn place(path: &[String], is_property: bool) -> String {
    match (path, is_property) {
        ([], true) => "its root".to_owned(),
        ([], false) => "no property".to_owned(),
        (path, true) => format!("the property {}", path.join(".")),
        (path, false) => format!("something below the property {}", path.join(".")),
    }
}

/// The rule for tokens (RFC 9110, 5.6.2), with a maximum length.
fn is_token(name: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The headers of `schema` with their paths, or the faults.
    fn check(schema: &Value) -> Result<Vec<(String, String)>, String> {
        let found = mirrored(schema).map_err(|wrong| wrong.join("; "))?;
        let found = found.into_iter().map(|it| (it.header, it.path.join(".")));
        Ok(found.collect())
    }

    fn named(name: &Value) -> Value {
        json!({"properties": {"a": {"type": "string", "x-mcp-header": name}}})
    }

    #[test]
    fn names_are_tokens() {
        for name in ["Region", "a", "X-1_b.c~!#$%&'*+^`|"] {
            let header = format!("mcp-param-{}", name.to_lowercase());
            assert_eq!(
                check(&named(&json!(name))),
                Ok(vec![(header, "a".to_owned())])
            );
        }
        for name in [
            json!(""),
            json!(" "),
            json!("a b"),
            json!("a:b"),
            json!("a\r\nb"),
            json!("a\tb"),
            json!("é"),
            json!("a/b"),
            json!("(a)"),
            json!("a\u{7f}"),
            json!("\0"),
            json!(1),
            json!(null),
            json!(true),
            json!(["a"]),
            json!({}),
            json!("a".repeat(LONGEST_NAME + 1)),
        ] {
            let wrong = format!(
                "has an x-mcp-header at the property a, but {name} is not a valid header name"
            );
            assert_eq!(check(&named(&name)), Err(wrong));
        }
    }

    #[test]
    fn only_text_integers_and_truth_values_are_mirrored() {
        for (kind, is_good) in [
            (json!("string"), true),
            (json!("integer"), true),
            (json!("boolean"), true),
            (json!("number"), false),
            (json!("array"), false),
            (json!("object"), false),
            (json!("null"), false),
            (json!(["string", "null"]), false),
            (json!(null), false),
        ] {
            let schema = json!({"properties": {"a": {"type": kind, "x-mcp-header": "A"}}});
            let wrong = "has an x-mcp-header at the property a, but its type is not \"string\", \"integer\" or \"boolean\"";
            let good = vec![("mcp-param-a".to_owned(), "a".to_owned())];
            let expected = if is_good {
                Ok(good)
            } else {
                Err(wrong.to_owned())
            };
            assert_eq!(check(&schema), expected, "{kind}");
        }
    }

    #[test]
    fn only_properties_of_properties_lead_to_one() {
        let annotated = json!({"type": "string", "x-mcp-header": "A"});
        let object = json!({"type": "object", "properties": {"b": annotated}});
        let good = |schema: Value| check(&schema).unwrap();
        assert_eq!(
            good(
                json!({"properties": {"a": object, "properties": {"properties": {"x-mcp-header": {"type": "string", "x-mcp-header": "B"}}}}})
            ),
            [
                ("mcp-param-a".to_owned(), "a.b".to_owned()),
                (
                    "mcp-param-b".to_owned(),
                    "properties.x-mcp-header".to_owned()
                )
            ]
        );
        assert!(good(json!({"default": annotated, "examples": [annotated], "properties": {"a": {"const": annotated, "enum": [annotated]}}})).is_empty());
        assert_eq!(check(&annotated), Err("has an x-mcp-header at its root, but only properties and nested properties can have one".to_owned()));
        for keyword in [
            "items",
            "additionalProperties",
            "not",
            "if",
            "then",
            "else",
            "contains",
            "propertyNames",
            "unevaluatedProperties",
            "x-other",
        ] {
            for inside in [&annotated, &object] {
                assert!(check(&json!({keyword: inside})).is_err(), "{keyword}");
                let below = check(&json!({"properties": {"a": {keyword: inside}}})).unwrap_err();
                assert!(
                    below.starts_with("has an x-mcp-header at something below the property a"),
                    "{below}"
                );
            }
        }
        for keyword in ["allOf", "anyOf", "oneOf", "prefixItems", "items"] {
            assert!(check(&json!({keyword: [{}, object]})).is_err(), "{keyword}");
        }
        for keyword in [
            "$defs",
            "definitions",
            "patternProperties",
            "dependentSchemas",
        ] {
            assert!(
                check(&json!({keyword: {"a": annotated}})).is_err(),
                "{keyword}"
            );
            assert!(
                check(&json!({keyword: {"a": object}})).is_err(),
                "{keyword}"
            );
        }
    }

    #[test]
    fn text_integers_and_truth_values_have_a_text() {
        for (value, expected) in [
            (json!(" a\nb "), Some(" a\nb ")),
            (json!(""), Some("")),
            (json!(true), Some("true")),
            (json!(false), Some("false")),
            (json!(-7), Some("-7")),
            (json!(u64::MAX), Some("18446744073709551615")),
            (json!(42.0), Some("42")),
            (json!(-3.0), Some("-3")),
            (json!(1e20), Some("100000000000000000000")),
            (json!(4.5), None),
            (json!(null), None),
            (json!(["a"]), None),
            (json!({"a": 1}), None),
        ] {
            assert_eq!(text(&value).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn a_value_is_where_the_path_leads_and_nowhere_else() {
        let argument = MirroredArgument {
            header: "mcp-param-b".to_owned(),
            path: vec!["a".to_owned(), "b".to_owned()],
        };
        for (arguments, expected) in [
            (json!({"a": {"b": "x"}}), Some(json!("x"))),
            (json!({"a": {"b": false}, "b": 1}), Some(json!(false))),
            (json!({"a": {"b": null}}), None),
            (json!({"a": {}}), None),
            (json!({"a": "b"}), None),
            (json!({"a": [{"b": 1}]}), None),
            (json!({"b": 1}), None),
            (json!(null), None),
        ] {
            let found = argument.value_in(&arguments).cloned();
            assert_eq!(found, expected, "{arguments}");
        }
    }

    #[test]
    fn a_name_stands_once_whatever_its_case_and_all_that_is_wrong_is_said() {
        let of = |name: &str| json!({"type": "string", "x-mcp-header": name});
        let schema = json!({"properties": {"a": of("Region"), "b": {"properties": {"c": of("REGION")}}, "d": of("")}});
        assert_eq!(
            check(&schema),
            Err(
                "has an x-mcp-header at the property b.c, but \"REGION\" is used twice; \
                 has an x-mcp-header at the property d, but \"\" is not a valid header name"
                    .to_owned()
            )
        );
    }
}
