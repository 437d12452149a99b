//! Schemas of any keywords, and values. `plainly-schema` must agree with the crate `jsonschema`,
//! and must report a failure exactly if there is one.

#![no_main]

use jsonschema::PatternOptions;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use plainly_schema::{Limits, Schema};
use serde_json::{Map, Value, json};

/// The argument of a keyword.
#[derive(Clone, Copy)]
enum Argument {
    Subschema,
    Subschemas,
    SubschemasByName,
    SubschemasByPattern,
    Count,
    Number,
    Flag,
    Type,
    Names,
    NamesByName,
    Any,
    Options,
    Pattern,
    Reference,
}

use Argument::*;

const KEYWORDS: [(&str, Argument); 44] = [
    ("$anchor", Pattern),
    ("$defs", SubschemasByName),
    ("$ref", Reference),
    ("additionalItems", Subschema),
    ("additionalProperties", Subschema),
    ("allOf", Subschemas),
    ("anyOf", Subschemas),
    ("const", Any),
    ("contains", Subschema),
    ("default", Any),
    ("definitions", SubschemasByName),
    ("dependencies", NamesByName),
    ("dependentRequired", NamesByName),
    ("dependentSchemas", SubschemasByName),
    ("else", Subschema),
    ("enum", Options),
    ("exclusiveMaximum", Number),
    ("exclusiveMinimum", Number),
    ("if", Subschema),
    ("items", Subschema),
    ("maxContains", Count),
    ("maxItems", Count),
    ("maxLength", Count),
    ("maxProperties", Count),
    ("maximum", Number),
    ("minContains", Count),
    ("minItems", Count),
    ("minLength", Count),
    ("minProperties", Count),
    ("minimum", Number),
    ("multipleOf", Number),
    ("not", Subschema),
    ("oneOf", Subschemas),
    ("pattern", Pattern),
    ("patternProperties", SubschemasByPattern),
    ("prefixItems", Subschemas),
    ("properties", SubschemasByName),
    ("propertyNames", Subschema),
    ("required", Names),
    ("then", Subschema),
    ("type", Type),
    ("unevaluatedItems", Subschema),
    ("unevaluatedProperties", Subschema),
    ("uniqueItems", Flag),
];

const DRAFTS: [&str; 6] = [
    "",
    "https://json-schema.org/draft/2020-12/schema",
    "https://json-schema.org/draft/2019-09/schema",
    "http://json-schema.org/draft-07/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-04/schema#",
];
const TYPES: [&str; 7] = [
    "object", "array", "string", "integer", "number", "boolean", "null",
];
const NAMES: [&str; 4] = ["a", "b", "ab", "é"];
const PATTERNS: [&str; 5] = ["a", "^(a|b)*$", "^[^a]", "é{1,2}$", "\\d"];
const NUMBERS: [f64; 7] = [0.0, 1.0, 2.0, 3.0, -1.0, 0.5, 2.5];
const REFERENCES: [&str; 6] = [
    "#",
    "#/$defs/a",
    "#/$defs/b",
    "#/definitions/a",
    "#/properties/a",
    "#a",
];

fuzz_target!(|bytes: &[u8]| {
    // Too few bytes form no input.
    let _done = judge(&mut Unstructured::new(bytes));
});

fn judge(from: &mut Unstructured<'_>) -> Result<()> {
    let draft = *from.choose(&DRAFTS)?;
    let mut schema = schema(from, 4)?;
    if let Some(members) = schema.as_object_mut()
        && !draft.is_empty()
    {
        members.insert("$schema".to_owned(), draft.into());
    }
    let Ok(ours) = Schema::new(schema.clone(), &Limits::default()) else {
        return Ok(());
    };
    let text = schema.to_string();
    let derived = Schema::derived(schema.clone(), &text, &Limits::default()).unwrap();
    let options = jsonschema::options()
        .with_pattern_options(PatternOptions::regex())
        .should_validate_formats(false);
    let theirs = options.build(&schema);
    for _ in 0..3 {
        let value = value(from, 4)?;
        let told = ours.failures(&value.to_string());
        // For a derived schema, a property that is `null` counts as absent.
        if !value.to_string().contains("null") {
            assert_eq!(
                derived.failures(&value.to_string()),
                told,
                "{schema} {value}"
            );
        }
        assert!(
            told.len() <= 16 && told.iter().all(|told| told.to_string().len() < 2_048),
            "{told:?}"
        );
        assert!(
            !told.is_empty() || ours.failing_members(&value).is_empty(),
            "{schema} {value}"
        );
        let is_too_much = told
            .iter()
            .any(|sentence| sentence.message.contains("it is too large to be checked"));
        if let Ok(theirs) = &theirs
            && !is_too_much
            && !is_read_otherwise(draft, &text)
        {
            assert_eq!(
                told.is_empty(),
                theirs.is_valid(&value),
                "{schema} {value} {told:?}"
            );
        }
    }
    Ok(())
}

/// Whether the crate differs: it lets `contains` evaluate items in 2019-09 already; and of two
/// anchors with the same name, which no draft allows, it uses the other one.
fn is_read_otherwise(draft: &str, text: &str) -> bool {
    let evaluates = text.contains("\"contains\"") && text.contains("\"unevaluated");
    draft.contains("/2019-09/") && evaluates || text.matches("\"$anchor\"").count() > 1
}

fn schema(from: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    if depth == 0 || from.ratio(1, 8)? {
        return Ok(match from.arbitrary()? {
            true => json!({}),
            false => Value::Bool(from.arbitrary()?),
        });
    }
    let mut members = Map::new();
    for _ in 0..from.int_in_range(1..=4)? {
        let (keyword, argument) = *from.choose(&KEYWORDS)?;
        members.insert(keyword.to_owned(), any(argument, from, depth - 1)?);
    }
    Ok(Value::Object(members))
}

fn any(argument: Argument, from: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    Ok(match argument {
        Subschema => schema(from, depth)?,
        Subschemas => several(from, |from| schema(from, depth))?.into(),
        SubschemasByName => named(from, &NAMES, |from| schema(from, depth))?,
        SubschemasByPattern => named(from, &PATTERNS, |from| schema(from, depth))?,
        Count => json!(from.int_in_range(0..=3)?),
        Number => number(from)?,
        Flag => Value::Bool(from.arbitrary()?),
        Type => one(from, &TYPES)?,
        Names => several(from, |from| one(from, &NAMES))?.into(),
        NamesByName => named(from, &NAMES, |from| {
            Ok(several(from, |from| one(from, &NAMES))?.into())
        })?,
        Any => value(from, 2)?,
        Options => several(from, |from| value(from, 2))?.into(),
        Pattern => one(from, &PATTERNS)?,
        Reference => one(from, &REFERENCES)?,
    })
}

fn value(from: &mut Unstructured<'_>, depth: usize) -> Result<Value> {
    let most = if depth == 0 { 4 } else { 6 };
    Ok(match from.int_in_range(0..=most)? {
        0 => Value::Null,
        1 => Value::Bool(from.arbitrary()?),
        2 => number(from)?,
        3 => one(from, &NAMES)?,
        4 => json!(""),
        5 => several(from, |from| value(from, depth - 1))?.into(),
        _ => named(from, &NAMES, |from| value(from, depth - 1))?,
    })
}

/// A number, with or without a decimal point.
fn number(from: &mut Unstructured<'_>) -> Result<Value> {
    let number = *from.choose(&NUMBERS)?;
    Ok(match from.arbitrary()? {
        true if number.fract() == 0.0 => json!(number as i64),
        _ => json!(number),
    })
}

fn one(from: &mut Unstructured<'_>, all: &[&str]) -> Result<Value> {
    Ok(json!(from.choose(all)?))
}

fn several(
    from: &mut Unstructured<'_>,
    mut one: impl FnMut(&mut Unstructured<'_>) -> Result<Value>,
) -> Result<Vec<Value>> {
    let count = from.int_in_range(1..=3)?;
    (0..count).map(|_| one(from)).collect()
}

fn named(
    from: &mut Unstructured<'_>,
    names: &[&str],
    mut one: impl FnMut(&mut Unstructured<'_>) -> Result<Value>,
) -> Result<Value> {
    let mut members = Map::new();
    for _ in 0..from.int_in_range(1..=3)? {
        let name = (*from.choose(names)?).to_owned();
        members.insert(name, one(from)?);
    }
    Ok(Value::Object(members))
}
