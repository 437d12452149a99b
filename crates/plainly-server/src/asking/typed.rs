//! Creates the form for a type of the author: converts its JSON Schema to the few kinds of fields
//! that a form can have.

use plainly_protocol::types::{ElicitFormParams, Field};
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::derived::without_nulls;
use crate::strings::names;

/// The formats that a form allows.
const FORMATS: [&str; 4] = ["email", "uri", "date", "date-time"];

/// A form for `T`. The error names the field that a form can't have.
pub(crate) fn form_of<T: DeserializeOwned + JsonSchema>(
    message: impl Into<String>,
) -> Result<ElicitFormParams, String> {
    let settings =
        SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
    let settings = settings.with_transform(RecursiveTransform(without_nulls));
    let schema = Value::from(settings.into_generator().into_root_schema_for::<T>());
    let Some(Value::Object(mut properties)) = schema.get("properties").cloned() else {
        return Err("a form asks for the fields of a struct".to_owned());
    };
    let mut form = ElicitFormParams::new(message);
    // In the order of the type, because the schema sorts its properties.
    let declared = names::<T>().iter().copied().map(str::to_owned);
    let in_order: Vec<_> = declared.chain(properties.keys().cloned()).collect();
    for name in in_order {
        let Some(property) = properties.remove(&name) else {
            continue;
        };
        let field: Field = serde_json::from_value(plain(property)).map_err(|_| {
            format!("a form can't ask for the field {name}: it has text, numbers, yes or no, and choices")
        })?;
        form = match is_required(&schema, &name) {
            true => form.field(name, field),
            false => form.optional(name, field),
        };
    }
    Ok(form)
}

fn is_required(schema: &Value, name: &str) -> bool {
    let required = schema.get("required").and_then(Value::as_array);
    required.is_some_and(|required| required.iter().any(|one| one == name))
}

/// The schema of a field in the form that forms use.
fn plain(schema: Value) -> Value {
    let Value::Object(mut plain) = schema else {
        return schema;
    };
    if plain
        .get("format")
        .is_some_and(|format| FORMATS.iter().all(|known| format != known))
    {
        plain.remove("format");
    }
    if let Some(choices) = plain.remove("oneOf") {
        plain.insert("type".to_owned(), json!("string"));
        plain.insert("oneOf".to_owned(), titled(choices));
    }
    if let Some(items) = plain.remove("items") {
        let mut items = self::plain(items);
        if let Some(choices) = items
            .as_object_mut()
            .and_then(|items| items.remove("oneOf"))
        {
            items = json!({ "anyOf": choices });
        }
        plain.insert("items".to_owned(), items);
    }
    plain.into()
}

/// Converts choices, with the title or the description of each as its title.
fn titled(choices: Value) -> Value {
    let Value::Array(choices) = choices else {
        return choices;
    };
    let choices = choices.into_iter().flat_map(|choice| {
        let title = choice.get("title").or(choice.get("description")).cloned();
        let values = match (choice.get("const"), choice.get("enum")) {
            (Some(value), _) => vec![value.clone()],
            (None, Some(Value::Array(values))) => values.clone(),
            (None, _) => vec![choice],
        };
        values.into_iter().map(move |value| {
            let title = title.clone().unwrap_or_else(|| value.clone());
            json!({ "const": value, "title": title })
        })
    });
    choices.collect()
}

#[cfg(test)]
mod tests {
    use serde::Deserialize;

    use super::*;

    /// The speed.
    #[derive(Deserialize, JsonSchema)]
    enum Speed {
        /// By air
        Air,
        /// By sea
        Sea,
    }

    #[derive(Deserialize, JsonSchema)]
    #[serde(rename_all = "lowercase")]
    enum Extra {
        Gift,
        Insured,
    }

    fn two() -> u8 {
        2
    }

    #[derive(Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its schema is looked at")]
    struct Parcel {
        /// The recipient.
        to: String,
        #[schemars(email)]
        mail: Option<String>,
        #[serde(default = "two")]
        copies: u8,
        #[schemars(range(min = 0.5))]
        weight: f64,
        fragile: bool,
        speed: Speed,
        or: Option<Speed>,
        extra: Option<Extra>,
        #[schemars(length(min = 1))]
        extras: Vec<Extra>,
        speeds: Vec<Speed>,
    }

    #[test]
    fn a_form_asks_for_the_fields_of_a_type_in_their_order() {
        let form = form_of::<Parcel>("Where to?").unwrap();
        let names: Vec<_> = form
            .requested_schema
            .properties
            .iter()
            .map(|(name, _)| name)
            .collect();
        let expected = [
            "to", "mail", "copies", "weight", "fragile", "speed", "or", "extra", "extras", "speeds",
        ];
        assert_eq!(names, expected);
        let ways =
            json!([{"const": "Air", "title": "By air"}, {"const": "Sea", "title": "By sea"}]);
        let expected = json!({
            "mode": "form",
            "message": "Where to?",
            "requestedSchema": {
                "type": "object",
                "properties": {
                    "to": {"type": "string", "description": "The recipient."},
                    "mail": {"type": "string", "format": "email"},
                    "copies": {"type": "integer", "minimum": 0, "maximum": 255, "default": 2},
                    "weight": {"type": "number", "minimum": 0.5},
                    "fragile": {"type": "boolean"},
                    "speed": {"type": "string", "description": "The speed.", "oneOf": ways},
                    "or": {"type": "string", "description": "The speed.", "oneOf": ways},
                    "extra": {"type": "string", "enum": ["gift", "insured"]},
                    "extras": {"type": "array", "items": {"type": "string", "enum": ["gift", "insured"]}, "minItems": 1},
                    "speeds": {"type": "array", "items": {"anyOf": ways}},
                },
                "required": ["to", "weight", "fragile", "speed", "extras", "speeds"],
            },
        });
        assert_eq!(json!(form), expected);
    }

    #[test]
    fn what_no_form_can_ask_for_is_named() {
        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Deep {
            name: String,
            inner: Inner,
        }
        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Inner {
            x: u8,
        }
        #[derive(Deserialize, JsonSchema)]
        #[expect(dead_code, reason = "only its schema is looked at")]
        struct Free {
            words: Vec<String>,
        }
        let why = form_of::<Deep>("?").unwrap_err();
        assert!(
            why.starts_with("a form can't ask for the field inner: "),
            "{why}"
        );
        let why = form_of::<Free>("?").unwrap_err();
        assert!(
            why.starts_with("a form can't ask for the field words: "),
            "{why}"
        );
        assert_eq!(
            form_of::<String>("?").unwrap_err(),
            "a form asks for the fields of a struct"
        );
    }
}
