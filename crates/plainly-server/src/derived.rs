//! The JSON Schemas of types: of a handler's arguments and of its result.

use schemars::generate::SchemaSettings;
use schemars::transform::{RecursiveTransform, RestrictFormats};
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value};

/// The JSON Schema for a client that fills in a `T`. Optional properties don't allow `null` in the
/// schema, but `null` is accepted.
pub(super) fn input_schema_of<T: JsonSchema>() -> Value {
    schema_of::<T>(settings().for_deserialize())
}

/// The JSON Schema of a serialized `T`. It allows `null` only for properties that are never
/// omitted.
pub(super) fn output_schema_of<T: JsonSchema>() -> Value {
    schema_of::<T>(settings().for_serialize())
}

fn schema_of<T: JsonSchema>(settings: SchemaSettings) -> Value {
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    // The name of a Rust type means nothing to a model and uses space in its context.
    let title = schema.get("title").and_then(Value::as_str);
    if title == Some(&T::schema_name()) {
        schema.remove("title");
    }
    // The draft is the default of the protocol, and validators of older clients reject the name of
    // an unknown draft.
    schema.remove("$schema");
    schema.into()
}

/// Draft 2020-12 with only the formats of that draft, because clients warn about others.
fn settings() -> SchemaSettings {
    SchemaSettings::draft2020_12()
        .with_transform(RecursiveTransform(bounded))
        .with_transform(RecursiveTransform(without_nulls))
        .with_transform(RestrictFormats::default())
}

/// Adds the bounds of integers for which schemars has a format instead. 64-bit integers get none,
/// because their bounds exceed the numbers that many clients can hold and that any model would use.
fn bounded(schema: &mut Schema) {
    let (least, most) = match schema.get("format").and_then(Value::as_str) {
        Some("int32") => (i64::from(i32::MIN), i64::from(i32::MAX)),
        Some("uint32") => (0, i64::from(u32::MAX)),
        _ => return,
    };
    for (keyword, bound) in [("minimum", least), ("maximum", most)] {
        if schema.get(keyword).is_none() {
            schema.insert(keyword.to_owned(), bound.into());
        }
    }
}

/// Removes `null` from optional properties, because many clients and models can't handle a choice
/// of types.
pub(super) fn without_nulls(schema: &mut Schema) {
    let required: Vec<String> = match schema.get("required").and_then(Value::as_array) {
        Some(names) => names
            .iter()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        None => Vec::new(),
    };
    let Some(Value::Object(properties)) = schema.get_mut("properties") else {
        return;
    };
    let optional = properties.iter_mut();
    for (_, property) in optional.filter(|(name, _)| !required.contains(name)) {
        if let Value::Object(property) = property {
            remove_null(property);
        }
    }
}

fn remove_null(schema: &mut Map<String, Value>) {
    if let Some(Value::Array(mut either)) = schema.remove("anyOf") {
        either.retain(|one| one.get("type").is_none_or(|kind| kind != "null"));
        match (either.pop(), either.is_empty()) {
            (Some(Value::Object(only)), true) => {
                let outer = std::mem::replace(schema, only);
                schema.extend(outer);
            }
            (last, _) => {
                either.extend(last);
                schema.insert("anyOf".to_owned(), either.into());
            }
        }
    }
    if let Some(Value::Array(kinds)) = schema.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [only] = &kinds[..] {
            let only = only.clone();
            schema.insert("type".to_owned(), only);
        }
    }
    if let Some(Value::Array(values)) = schema.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    schema.retain(|keyword, value| !(keyword == "default" && value.is_null()));
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::net::Ipv4Addr;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_schema_has_bounds_and_no_formats_but_the_standard_ones() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Everything {
            byte: u8,
            short: Vec<i16>,
            int: i32,
            word: Option<u32>,
            #[schemars(range(min = 1, max = 10))]
            few: u32,
            long: i64,
            size: usize,
            ratio: f64,
            address: Ipv4Addr,
            nested: Nested,
        }

        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Nested {
            float: f32,
        }

        let schema = input_schema_of::<Everything>();
        assert_eq!(
            schema["properties"],
            json!({
                "byte": { "type": "integer", "minimum": 0, "maximum": 255 },
                "short": {
                    "type": "array",
                    "items": { "type": "integer", "minimum": -32768, "maximum": 32767 },
                },
                "int": { "type": "integer", "minimum": -2_147_483_648_i64, "maximum": 2_147_483_647 },
                "word": { "type": "integer", "minimum": 0, "maximum": 4_294_967_295_i64 },
                "few": { "type": "integer", "minimum": 1, "maximum": 10 },
                "long": { "type": "integer" },
                "size": { "type": "integer", "minimum": 0 },
                "ratio": { "type": "number" },
                "address": { "type": "string", "format": "ipv4" },
                "nested": { "$ref": "#/$defs/Nested" },
            })
        );
        assert_eq!(
            schema["$defs"]["Nested"]["properties"]["float"],
            json!({ "type": "number" })
        );
    }
    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Leaving {
        text: Option<String>,
        #[schemars(default)]
        kind: Option<Kind>,
        /// Which.
        kinds: Option<Vec<Kind>>,
        either: Option<Either>,
        inner: Option<Inner>,
        by_name: Option<BTreeMap<String, Option<u8>>>,
        must: bool,
    }

    #[derive(JsonSchema)]
    #[schemars(inline)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Kind {
        A,
        B,
    }

    #[derive(JsonSchema)]
    #[schemars(untagged)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    enum Either {
        Text(String),
        Number(i64),
    }

    #[derive(JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Inner {
        deep: Option<f64>,
    }

    #[test]
    fn what_may_be_left_out_is_not_null() {
        let schema = input_schema_of::<Leaving>();
        let kinds = json!(["A", "B"]);
        assert_eq!(
            schema["properties"],
            json!({
                "text": { "type": "string" },
                "kind": { "type": "string", "enum": kinds },
                "kinds": {
                    "description": "Which.",
                    "type": "array",
                    "items": { "type": "string", "enum": kinds },
                },
                "either": { "$ref": "#/$defs/Either" },
                "inner": { "$ref": "#/$defs/Inner" },
                // A `null` has a meaning in here.
                "by_name": {
                    "type": "object",
                    "additionalProperties": { "type": ["integer", "null"], "minimum": 0, "maximum": 255 },
                },
                "must": { "type": "boolean" },
            })
        );
        assert_eq!(schema["required"], json!(["must"]));
        let inner = &schema["$defs"]["Inner"];
        assert_eq!(inner["properties"], json!({ "deep": { "type": "number" } }));
    }

    #[test]
    fn what_is_written_is_null_unless_it_is_left_out() {
        #[derive(JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Written {
            always: Option<String>,
            #[schemars(skip_serializing_if = "Option::is_none")]
            sometimes: Option<String>,
        }

        let schema = output_schema_of::<Written>();
        assert_eq!(schema["required"], json!(["always"]));
        assert_eq!(
            schema["properties"],
            json!({ "always": { "type": ["string", "null"] }, "sometimes": { "type": "string" } })
        );
    }
}
