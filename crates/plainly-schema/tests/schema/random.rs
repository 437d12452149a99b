//! Any schema is rejected, or works soon and with the same result as another implementation.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{compile, nested, soon};

/// A schema of arbitrary keywords, many of which apply other schemas.
fn schemas() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!({})),
        Just(json!(true)),
        Just(json!(false)),
        Just(json!({"type": "object"})),
        Just(json!({"type": ["string", "null"]})),
        Just(json!({"minimum": 2, "maxLength": 1, "uniqueItems": true})),
        Just(json!({"enum": ["a", 1, {}], "x-mcp-header": "A"})),
        Just(json!({"pattern": "^(a|b)*$", "format": "date"})),
        Just(json!({"$anchor": "here", "required": ["a"]})),
        Just(json!({"type": ["integer", "array"], "minItems": 1, "maxItems": 2})),
        Just(json!({"type": "integer", "multipleOf": 0.5})),
        Just(json!({"exclusiveMaximum": 1.5, "const": 1})),
        Just(json!({"minProperties": 1, "maxProperties": 2, "minLength": 1})),
        Just(json!({"contains": {"const": "a"}, "minContains": 0, "maxContains": 1})),
        Just(json!({"dependentRequired": {"a": ["b"]}})),
        Just(json!({"dependencies": {"a": ["b"], "b": {"required": ["c"]}}})),
        Just(json!({"items": [{"type": "string"}], "additionalItems": {"type": "null"}})),
        keyword(&REFERENCES).prop_map(|reference| json!({"$ref": reference})),
    ];
    leaf.prop_recursive(5, 40, 4, |inner| {
        let names = prop_oneof!["a", "b", "c"];
        let named = proptest::collection::btree_map(names, inner.clone(), 0..3);
        let listed = proptest::collection::vec(inner.clone(), 1..3);
        let member = prop_oneof![
            (keyword(&BY_NAME), named.prop_map(|schemas| json!(schemas))),
            (keyword(&LISTED), listed.prop_map(|schemas| json!(schemas))),
            (keyword(&SINGLE), inner),
        ];
        let members = proptest::collection::vec(member, 1..4);
        members.prop_map(|members| Value::Object(members.into_iter().collect()))
    })
}

const REFERENCES: [&str; 7] = [
    "#",
    "#/$defs/a",
    "#/$defs/b",
    "#here",
    "#gone",
    "#/properties/a",
    "other",
];
const BY_NAME: [&str; 4] = [
    "properties",
    "$defs",
    "patternProperties",
    "dependentSchemas",
];
const LISTED: [&str; 4] = ["allOf", "anyOf", "oneOf", "prefixItems"];
const SINGLE: [&str; 10] = [
    "not",
    "if",
    "then",
    "else",
    "items",
    "contains",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "propertyNames",
];

const DRAFTS: [&str; 6] = [
    "",
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

fn keyword(any: &'static [&'static str]) -> impl Strategy<Value = String> {
    proptest::sample::select(any).prop_map(str::to_owned)
}

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        Just(json!(1)),
        Just(json!(1.0)),
        Just(json!(2.5)),
        Just(json!("a")),
        Just(json!("b"))
    ];
    leaf.prop_recursive(6, 30, 3, |inner| {
        let names = prop_oneof!["a", "b", "c"];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..3).prop_map(|items| json!(items)),
            proptest::collection::btree_map(names, inner, 0..3).prop_map(|members| json!(members)),
        ]
    })
}

proptest! {
    /// Includes schemas that no author would write.
    #[test]
    fn whatever_the_schema_it_is_refused_or_serves_soon(
        mut schema in schemas(),
        value in any_value(),
        draft in keyword(&DRAFTS),
    ) {
        let text = schema.to_string();
        // In 2019-09, the other implementation counts items that match `contains` as evaluated,
        // which is the rule only since 2020-12.
        let is_early = draft.contains("2019-09") && text.contains("\"contains\"");
        prop_assume!(!is_early || !text.contains("unevaluatedItems"));
        if let Some(members) = schema.as_object_mut() && !draft.is_empty() {
            members.insert("$schema".to_owned(), draft.as_str().into());
        }
        soon("any", || {
            let Ok(compiled) = compile(schema.clone()) else { return };
            for value in [value.clone(), nested(50, value.clone(), |inside| json!({"a": inside}))] {
                let told = compiled.failures(&value.to_string());
                let options = jsonschema::options().should_validate_formats(false);
                let peer = match options.build(&schema) {
                    Ok(peer) => peer,
                    // The other implementation looks for references in keywords that the draft
                    // doesn't have.
                    Err(_) if !draft.is_empty() => return,
                    Err(why) => panic!("{schema} is served, though {why}"),
                };
                let valid = peer.is_valid(&value);
                assert_eq!(told.is_empty(), valid, "{schema} {value}");
            }
        });
    }
}
