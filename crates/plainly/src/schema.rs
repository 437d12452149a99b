//! JSON Schema, draft 2020-12 unless a schema says otherwise: from arguments to the paths that fail. References are
//! resolved within the schema only, never over a network.

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Schema {
    validator: Validator,
    strict: bool,
}

/// The most failures that are told at once.
const MOST: usize = 16;

/// The longest of the sentences that tell them, in bytes: they quote the value, which can be as long as a message.
const LONGEST: usize = 512;

impl Schema {
    /// Compiles `schema`; the error says what is wrong with it.
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        let options =
            jsonschema::draft202012::options().with_pattern_options(PatternOptions::regex());
        let validator = options.build(schema).map_err(|error| error.to_string())?;
        Ok(Self {
            validator,
            strict: is_strict(schema),
        })
    }

    /// Whether it refuses what deserialising a type does not: then every value must be held against it.
    pub(crate) fn is_strict(&self) -> bool {
        self.strict
    }

    /// The members of the object `value` in which something fails.
    pub(crate) fn failing_members(&self, value: &Value) -> Vec<String> {
        let first = |error: jsonschema::ValidationError<'_>| {
            let path = error.instance_path().to_string();
            let name = path.strip_prefix('/')?.split('/').next()?;
            Some(name.replace("~1", "/").replace("~0", "~"))
        };
        self.validator
            .iter_errors(value)
            .filter_map(first)
            .collect()
    }

    /// What fails in `json`, one sentence each, with its path; empty if it is valid.
    pub(crate) fn failures(&self, json: &str) -> Vec<String> {
        let value: Value = match serde_json::from_str(json) {
            Ok(value) => value,
            Err(error) => return vec![error.to_string()],
        };
        let sentence = |error: jsonschema::ValidationError<'_>| {
            let path = error.instance_path().to_string();
            if path.is_empty() {
                short(error.to_string())
            } else {
                short(format!("{path}: {error}"))
            }
        };
        self.validator
            .iter_errors(&value)
            .take(MOST)
            .map(sentence)
            .collect()
    }
}

/// The sentence, without its middle if that is too long: what is quoted comes before what is wrong with it.
fn short(sentence: String) -> String {
    if sentence.len() <= LONGEST {
        return sentence;
    }
    let begin = sentence.floor_char_boundary(LONGEST / 2);
    let end = sentence.ceil_char_boundary(sentence.len() - LONGEST / 2);
    let (before, after) = (sentence.get(..begin), sentence.get(end..));
    format!(
        "{}…{}",
        before.unwrap_or_default(),
        after.unwrap_or_default()
    )
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
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn each_failing_path_is_named() {
        let schema = Schema::compile(&json!({
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "string", "maxLength": 2}},
            "required": ["c"],
        }))
        .unwrap();
        assert_eq!(
            schema.failures(r#"{"a":"x","b":"long"}"#),
            [
                r#""c" is a required property"#,
                r#"/a: "x" is not of type "integer""#,
                r#"/b: "long" is longer than 2 characters"#,
            ]
        );
        assert!(schema.failures(r#"{"a":1,"b":"ok","c":null}"#).is_empty());
    }

    #[test]
    fn a_long_value_is_not_said_whole() {
        let schema = Schema::compile(&json!({"properties": {"a": {"maxLength": 2}}})).unwrap();
        for letter in ["x", "é", "世"] {
            let failures = schema.failures(&json!({"a": letter.repeat(100_000)}).to_string());
            let [failure] = &failures[..] else {
                panic!("{failures:?}")
            };
            assert!(
                failure.len() <= LONGEST + '…'.len_utf8(),
                "{}",
                failure.len()
            );
            assert!(failure.starts_with(&format!("/a: \"{letter}")), "{failure}");
            assert!(
                failure.ends_with(&format!("{letter}\" is longer than 2 characters")),
                "{failure}"
            );
        }
    }

    #[test]
    fn a_reference_to_the_network_does_not_compile() {
        assert!(Schema::compile(&json!({"$ref": "https://example.com/schema.json"})).is_err());
    }

    #[test]
    fn what_a_type_checks_itself_is_not_strict() {
        let plain = json!({"type": "object", "properties": {"a": {"type": "integer", "format": "int64"},
            "b": {"enum": ["x"]}}, "required": ["a"]});
        assert!(!Schema::compile(&plain).unwrap().is_strict());
        let nested = json!({"type": "object", "$defs": {"n": {"minimum": 1}}, "properties": {"a": {"$ref": "#/$defs/n"}}});
        assert!(Schema::compile(&nested).unwrap().is_strict());
    }

    #[test]
    fn a_pattern_that_would_backtrack_without_end_is_linear_or_refused() {
        let schema = Schema::compile(&json!({"type": "string", "pattern": "^(a+)+$"})).unwrap();
        let text = json!(format!("{}b", "a".repeat(50_000))).to_string();
        assert_eq!(schema.failures(&text).len(), 1);
        assert!(Schema::compile(&json!({"type": "string", "pattern": "(?=a)a"})).is_err());
    }
}
