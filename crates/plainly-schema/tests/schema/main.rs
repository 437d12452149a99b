//! Failures in clear sentences, and the limit on the cost of a schema.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod alternatives;
mod random;
mod suite;
#[path = "../../../../tests/peer/src/table.rs"]
pub mod table;

use std::time::{Duration, Instant};

use plainly_errors::Mistake;
use plainly_schema::{Limits, Schema};
use serde_json::{Value, json};

/// The maximum length of a sentence, in bytes.
const LONGEST: usize = 512;

fn compile(schema: Value) -> Result<Schema, String> {
    Schema::new(schema, &Limits::default()).map_err(|error| error.to_string())
}

/// Returns the failures of `value`.
fn failures(schema: &Value, value: &Value) -> Vec<String> {
    let failures = compile(schema.clone()).unwrap().failures_of(value);
    failures.iter().map(ToString::to_string).collect()
}

/// Checks that the work ends soon, with the stack size of a thread of the runtime.
fn soon<T: Send>(what: &str, doing: impl FnOnce() -> T + Send) -> T {
    let started = Instant::now();
    let done = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(2 << 20);
        thread.spawn_scoped(scope, doing).unwrap().join().unwrap()
    });
    let took = started.elapsed();
    assert!(took < Duration::from_secs(5), "{what}: {took:?}");
    done
}

#[test]
fn each_failing_path_is_named() {
    let schema = json!({
        "type": "object",
        "properties": {"a": {"type": "integer"}, "b": {"type": "string", "maxLength": 2}},
        "required": ["c"],
    });
    assert_eq!(
        failures(&schema, &json!({"a": "x", "b": "long"})),
        [
            r#""c" is a required property"#,
            r#"/a: "x" is not of type "integer""#,
            r#"/b: "long" is longer than 2 characters"#,
        ]
    );
    assert!(failures(&schema, &json!({"a": 1, "b": "ok", "c": null})).is_empty());
}

/// Checks the sentence about `value`, alone and as an argument.
fn check_sentence(schema: &Value, value: &Value, sentence: &str) {
    assert_eq!(failures(schema, value), [sentence]);
    let definitions = schema.get("$defs").cloned().unwrap_or(json!({}));
    let inside = json!({"properties": {"a": schema, "b": {}}, "$defs": definitions});
    let inside = failures(&inside, &json!({"a": value}));
    assert_eq!(inside, [format!("/a: {sentence}")]);
}

#[test]
fn valid_values_are_listed_and_a_slip_is_told_from_something_else() {
    let colors = json!({"enum": ["red", "green", "dark blue"]});
    for (value, did_you_mean) in cases::<(&str, &str)>("values that are listed") {
        let hint = format!(" (did you mean \"{did_you_mean}\"?)");
        let hint = if did_you_mean.is_empty() { "" } else { &hint };
        let sentence = format!(r#""{value}" is not one of "red", "green", "dark blue"{hint}"#);
        check_sentence(&colors, &json!(value), &sentence);
        let referred = json!({"$ref": "#/$defs/color", "$defs": {"color": colors}});
        check_sentence(&referred, &json!(value), &sentence);
    }
}

#[test]
fn valid_values_are_listed_however_the_schema_says_them() {
    for (schema, value, sentence) in cases::<(Value, Value, &str)>("however they are said") {
        check_sentence(&schema, &value, sentence);
    }
}

#[test]
fn a_name_that_is_a_slip_of_another_is_told_from_one_that_is_not() {
    let address = json!({
        "properties": {"street": {}, "city": {}},
        "required": ["city"],
        "additionalProperties": false,
    });
    let schema = json!({"properties": {"home": {"$ref": "#/$defs/a"}}, "$defs": {"a": address}});
    for (value, sentence) in cases::<(Value, &str)>("names that are slips") {
        assert_eq!(failures(&address, &value), [sentence]);
        assert_eq!(
            failures(&schema, &json!({"home": value})),
            [format!("/home: {sentence}")]
        );
    }
    let slip = json!({"City": 1});
    let expected = r#""city" is a required property (did you mean it by "City"?)"#;
    assert_eq!(failures(&address, &slip)[0], expected);
}

#[test]
fn a_long_list_of_values_is_cut() {
    let names: Vec<_> = (0..1_000).map(|number| format!("name-{number}")).collect();
    let sentence = &failures(&json!({"enum": names}), &json!("x"))[0];
    assert!(
        sentence.starts_with(r#""x" is not one of "name-0", "name-1""#),
        "{sentence}"
    );
    assert!(sentence.ends_with("and 976 more"), "{sentence}");
    let long = json!({"enum": ["a".repeat(1_000), "b"]});
    let sentence = &failures(&long, &json!("x"))[0];
    assert!(sentence.len() <= 2 * LONGEST, "{sentence}");
}

#[test]
fn a_long_value_is_not_said_whole() {
    let schema = compile(json!({"properties": {"a": {"maxLength": 2}}})).unwrap();
    for letter in ["x", "é", "世"] {
        let failures = schema.failures(&json!({"a": letter.repeat(100_000)}).to_string());
        let [failure] = &failures[..] else {
            panic!("{failures:?}")
        };
        let failure = failure.to_string();
        assert!(failure.len() <= LONGEST + 10, "{}", failure.len());
        assert!(failure.starts_with(&format!("/a: \"{letter}")), "{failure}");
        assert!(
            failure.ends_with(&format!("{letter}\" is longer than 2 characters")),
            "{failure}"
        );
    }
}

#[test]
fn nothing_is_referred_to_beyond_the_schema() {
    let within = json!({"type": "string"});
    for (reference, is_good) in cases::<(&str, bool)>("references") {
        let named = json!({"$anchor": "named", "type": "string"});
        let schema = json!({"$id": "https://here.example/s", "properties": {"a": {"$ref": reference}},
            "$defs": {"a": within, "b c/d": within, "n": named}});
        let compiled = compile(schema);
        // A property may refer to the root of its schema.
        let is_good = is_good || reference == "#";
        assert_eq!(compiled.is_ok(), is_good, "{reference}: {compiled:?}");
        if let Err(why) = compiled {
            assert!(
                why.contains(&format!("{reference:?}, which is not in it")),
                "{why}"
            );
        }
    }
}

#[test]
fn each_draft_is_read_as_what_it_is() {
    for (draft, schema, good, bad) in cases::<(&str, Value, Value, Value)>("drafts") {
        let mut schema = schema;
        schema["$schema"] = json!(draft);
        assert!(failures(&schema, &good).is_empty(), "{draft}");
        assert_eq!(failures(&schema, &bad).len(), 1, "{draft}");
    }
    let unknown = compile(json!({"$schema": "https://example.com/dialect"}));
    assert!(unknown.is_err(), "{unknown:?}");
}

#[test]
fn what_a_type_checks_itself_is_not_strict() {
    let plain = json!({"type": "object", "properties": {"a": {"type": "integer", "format": "int64"},
        "b": {"enum": ["x"]}}, "required": ["a"]});
    assert!(!compile(plain).unwrap().is_strict());
    let nested = json!({"type": "object", "$defs": {"n": {"minimum": 1}}, "properties": {"a": {"$ref": "#/$defs/n"}}});
    assert!(compile(nested).unwrap().is_strict());
}

#[cfg(feature = "patterns")]
#[test]
fn a_pattern_that_would_backtrack_without_end_is_linear_or_refused() {
    let text = json!(format!("{}b", "a".repeat(50_000)));
    for pattern in ["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*a){30}$"] {
        let schema = json!({"type": "string", "pattern": pattern});
        let failures = soon(pattern, || failures(&schema, &text));
        assert_eq!(failures.len(), 1);
    }
    for pattern in ["(?=a)a", "(a)\\1", "(?<!a)b", "("] {
        assert!(compile(json!({"type": "string", "pattern": pattern})).is_err());
    }
    soon("repetitions", || {
        assert!(compile(json!({"pattern": "((a{1000}){1000}){1000}"})).is_err());
    });
}

#[cfg(not(feature = "patterns"))]
#[test]
fn without_the_feature_a_pattern_is_refused() {
    for schema in [
        json!({"pattern": "a"}),
        json!({"patternProperties": {"a": {}}}),
    ] {
        let why = compile(schema).unwrap_err();
        assert!(why.contains("without its feature `patterns`"), "{why}");
    }
}

/// Returns a chain of schemas that each apply the next one twice, by `apply`.
fn doubling(apply: impl Fn(&Value) -> Value) -> Value {
    let definition = |number: usize| {
        let next = json!({"$ref": format!("#/$defs/d{}", number + 1)});
        (format!("d{number}"), apply(&next))
    };
    let mut definitions: serde_json::Map<_, _> = (0..40).map(definition).collect();
    definitions.insert("d40".to_owned(), json!({"type": "string"}));
    json!({"$ref": "#/$defs/d0", "$defs": definitions})
}

#[test]
fn what_doubles_with_each_level_is_refused() {
    let recursive = |inner: Value| json!({"$ref": "#/$defs/t", "$defs": {"t": inner}});
    let child = json!({"properties": {"x": {"$ref": "#/$defs/t"}}});
    let items = json!({"items": {"$ref": "#/$defs/t"}});
    for (what, schema) in [
        ("all of", doubling(|next| json!({"allOf": [next, next]}))),
        ("any of", doubling(|next| json!({"anyOf": [next, next]}))),
        (
            "one of",
            doubling(|next| json!({"oneOf": [next, {"allOf": [next]}]})),
        ),
        (
            "if",
            doubling(|next| json!({"if": next, "then": next, "else": next})),
        ),
        (
            "not",
            doubling(|next| json!({"not": next, "allOf": [next]})),
        ),
        (
            "late",
            doubling(|next| json!({"allOf": [next], "unevaluatedProperties": false})),
        ),
        ("recursive", recursive(json!({"allOf": [child, child]}))),
        (
            "recursive items",
            recursive(json!({"anyOf": [items, items]})),
        ),
        (
            "recursive and late",
            recursive(json!({"allOf": [child], "unevaluatedProperties": false})),
        ),
        #[cfg(feature = "patterns")]
        (
            "recursive patterns",
            recursive(json!({"properties": {"x": {"$ref": "#/$defs/t"}},
            "patternProperties": {"x": {"$ref": "#/$defs/t"}}})),
        ),
    ] {
        let why = soon(what, || compile(schema).unwrap_err());
        assert_eq!(
            why, "it takes exponential time, or is nested without bounds",
            "{what}"
        );
    }
}

#[test]
fn what_applies_itself_to_one_value_is_refused() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}),
        json!({"$dynamicAnchor": "n", "not": {"$dynamicRef": "#n"}}),
    ] {
        let why = soon("itself", || compile(schema).unwrap_err());
        assert_eq!(why, "it applies a part of itself to one value endlessly");
    }
}

/// Wraps `inner` `depth` times.
fn nested(depth: usize, inner: Value, wrap: impl Fn(Value) -> Value) -> Value {
    (0..depth).fold(inner, |inside, _| wrap(inside))
}

/// Returns a recursive schema with seven subschemas between each level and the next.
fn long() -> Value {
    let mut long: serde_json::Map<_, _> = (0..6)
        .map(|it| {
            (
                format!("d{it}"),
                json!({"allOf": [{"$ref": format!("#/$defs/d{}", it + 1)}]}),
            )
        })
        .collect();
    long.insert(
        "d6".to_owned(),
        json!({"properties": {"x": {"$ref": "#/$defs/d0"}}}),
    );
    json!({"$ref": "#/$defs/d0", "$defs": long})
}

#[test]
fn what_doubles_only_in_the_schema_or_is_recursive_by_nature_is_served_soon() {
    let tree = json!({"$ref": "#/$defs/t", "$defs": {"t": {"type": "object", "additionalProperties": false,
        "properties": {"left": {"$ref": "#/$defs/t"}, "right": {"anyOf": [{"$ref": "#/$defs/t"}, {"type": "null"}]}}}}});
    let deep = |name: &'static str| nested(60, json!({}), move |inside| json!({name: inside}));
    for (what, schema, value, is_valid) in [
        (
            "branching",
            doubling(|next| json!({"properties": {"x": next, "y": next}})),
            deep("x"),
            false,
        ),
        ("long", long(), deep("x"), true),
        (
            "items",
            doubling(|next| json!({"prefixItems": [next, next]})),
            json!([[[[["x"]]]]]),
            true,
        ),
        ("left", tree.clone(), deep("left"), true),
        ("right", tree.clone(), deep("right"), true),
        (
            "wrong",
            tree,
            nested(60, json!(1), |inside| json!({"right": inside})),
            false,
        ),
        (
            "chain",
            json!({"allOf": [nested(22, json!({"type": "object"}), |it| json!({"allOf": [it]}))]}),
            json!({}),
            true,
        ),
        (
            "unique",
            json!({"uniqueItems": true}),
            json!((0..190_000).collect::<Vec<_>>()),
            true,
        ),
        (
            "unique objects",
            json!({"uniqueItems": true}),
            json!((0..50_000).map(|it| json!({"a": it})).collect::<Vec<_>>()),
            true,
        ),
        (
            "many kinds",
            json!({"items": {"oneOf": (0..50).map(|it| json!({"const": it})).collect::<Vec<_>>()}}),
            json!((0..20_000).map(|it| it % 50).collect::<Vec<_>>()),
            true,
        ),
    ] {
        let failures = soon(what, || failures(&schema, &value));
        assert_eq!(failures.is_empty(), is_valid, "{what}: {failures:?}");
    }
}

#[test]
fn too_much_for_a_costly_schema_is_said_so() {
    let kinds: Vec<_> = (0..500).map(|it| json!({"const": it})).collect();
    let schema = compile(json!({"items": {"oneOf": kinds}})).unwrap();
    assert!(
        schema
            .failures(&json!(vec![1; 1_000]).to_string())
            .is_empty()
    );
    let too_many = json!(vec![1; 100_000]).to_string();
    let failures = soon("too much", || schema.failures(&too_many));
    let why = "it is too large to be checked against the schema";
    assert_eq!(failures, [Mistake::new("", why)]);
}

#[test]
fn null_is_absent_where_a_type_says_what_need_not_be_there() {
    let schema = json!({
        "type": "object",
        "properties": {
            "must": {"type": "string"},
            "may": {"type": "integer"},
            "inside": {"$ref": "#/$defs/inside"},
        },
        "required": ["must"],
        "$defs": {"inside": {"type": "object", "properties": {"may": {"enum": ["a"]}}}},
    });
    let derived = Schema::derived(schema.clone(), "", &Limits::default()).unwrap();
    let written = compile(schema).unwrap();
    for (value, if_derived, if_written) in cases::<(Value, usize, usize)>("null") {
        assert_eq!(derived.failures_of(&value).len(), if_derived, "{value}");
        assert_eq!(written.failures_of(&value).len(), if_written, "{value}");
    }
}

#[test]
fn a_schema_may_refuse_an_array_in_the_place_of_an_object() {
    let flat = json!({"type": "object", "properties": {"a": {"type": "array"}}});
    let deep = json!({"type": "object", "properties": {"a": {"type": "object"}}});
    for (schema, value, may_refuse) in [
        (&flat, r#"{"a":[1]}"#, false),
        (&deep, r#"{"a":[1]}"#, true),
        (&deep, r#"{"a":{"b":1}}"#, false),
    ] {
        let schema = Schema::derived(schema.clone(), "", &Limits::default()).unwrap();
        assert_eq!(schema.may_refuse(value), may_refuse, "{value}");
    }
}

#[test]
fn a_schema_has_bounds() {
    let limits = Limits::default();
    let deep = |depth: usize| nested(depth - 1, json!({}), |inside| json!({"a": inside}));
    let many = |count: usize| json!({"allOf": vec![json!({}); count - 1]});
    for (schema, why) in [
        (deep(limits.depth), None),
        (
            deep(limits.depth + 1),
            Some("it is nested more than 48 levels deep"),
        ),
        (many(limits.subschemas), None),
        (
            many(limits.subschemas + 1),
            Some("it has more than 2000 subschemas"),
        ),
    ] {
        assert_eq!(compile(schema).err().as_deref(), why);
    }
    let text = |bytes: usize| format!("{{\"a\":\"{}\"}}", "x".repeat(bytes - 8));
    assert!(Schema::parse(&text(limits.bytes), &limits).is_ok());
    let why = Schema::parse(&text(limits.bytes + 1), &limits).unwrap_err();
    assert_eq!(why.to_string(), "it has more than 262144 bytes");
    let derived = |bytes| Schema::derived(Value::Bool(true), &text(bytes), &limits);
    assert!(derived(limits.bytes).is_ok());
    assert_eq!(derived(limits.bytes + 1).unwrap_err(), why);
    assert!(Schema::parse(&"[".repeat(100_000), &limits).is_err());
    assert!(Schema::parse("[]", &limits).is_err());
}

/// The cases of a table in cases.txt.
fn cases<R: table::Row>(table: &str) -> Vec<R> {
    table::cases(include_str!("cases.txt"), table)
}
