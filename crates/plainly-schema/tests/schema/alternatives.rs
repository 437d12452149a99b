//! Failures that explain the alternative that was probably meant, at a bounded cost.

use serde_json::{Value, json};

use crate::{cases, failures, soon};

/// Returns the schema of an object with these properties and no others.
fn object(properties: Value) -> Value {
    let names: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({"type": "object", "required": names, "properties": properties, "additionalProperties": false})
}

/// Returns alternatives that a constant distinguishes.
fn kinds() -> Value {
    let number = json!({"type": "number"});
    let range = object(json!({"from": number, "to": number}));
    let kind = |name: &str| json!({"type": "string", "const": name});
    json!({"oneOf": [
        object(json!({"kind": kind("circle"), "radius": number})),
        object(json!({"kind": kind("square"), "side": {"anyOf": [number, range]}})),
    ]})
}

/// Returns alternatives that the name of their only property distinguishes, in a recursive schema.
fn names() -> Value {
    let many = json!({"type": "array", "items": {"$ref": "#/$defs/name"}});
    json!({
        "anyOf": [{"$ref": "#/$defs/name"}, {"type": "null"}],
        "$defs": {"name": {"oneOf": [
            {"type": "string", "enum": ["None"]},
            object(json!({"Text": {"type": "string"}})),
            object(json!({"Many": many})),
        ]}},
    })
}

#[test]
fn the_alternative_that_was_meant_is_explained() {
    type Case = (&'static str, Value, Vec<&'static str>);
    for (which, value, expected) in cases::<Case>("alternatives that are objects") {
        let schema = match which {
            "kinds" => kinds(),
            _ => names(),
        };
        assert_eq!(failures(&schema, &value), expected, "{value}");
    }
}

#[test]
fn alternatives_within_alternatives_are_explained_soon() {
    let deep = |inner: Value| (0..60).fold(inner, |inside, _| json!({"Many": [inside]}));
    for (what, value, count) in [
        ("deep", deep(json!({"Text": 5})), 1),
        (
            "wide",
            json!({"Many": vec![json!({"Text": 5}); 20_000]}),
            16,
        ),
        ("many", json!({"Many": vec![deep(json!(5)); 100]}), 16),
    ] {
        let failures = soon(what, || failures(&names(), &value));
        assert_eq!(failures.len(), count, "{what}: {failures:?}");
        assert!(failures.iter().all(|it| it.len() < 1_024), "{failures:?}");
    }
}
