//! JSON Schema, draft 2020-12 unless a schema says otherwise: from arguments to the paths that fail. References are
//! resolved within the schema only, never over a network.

use jsonschema::Validator;
use serde_json::Value;

/// A compiled schema.
#[derive(Debug)]
pub(crate) struct Schema(Validator);

/// The most failures that are told at once.
const MOST: usize = 16;

impl Schema {
    /// Compiles `schema`; the error says what is wrong with it.
    pub(crate) fn compile(schema: &Value) -> Result<Self, String> {
        jsonschema::draft202012::options()
            .build(schema)
            .map(Self)
            .map_err(|error| error.to_string())
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
                error.to_string()
            } else {
                format!("{path}: {error}")
            }
        };
        self.0
            .iter_errors(&value)
            .take(MOST)
            .map(sentence)
            .collect()
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
    fn a_reference_to_the_network_does_not_compile() {
        assert!(Schema::compile(&json!({"$ref": "https://example.com/schema.json"})).is_err());
    }
}
