//! The arguments of a prompt, from the schema of its handler's parameter.

use plainly_protocol::types::PromptArgument;
use serde_json::Value;

use crate::extract::Needs;

/// The arguments of a handler, in the order in which its type declares them.
pub(super) fn of(needs: &Needs) -> Vec<PromptArgument> {
    let Some(schema) = &needs.args else {
        return Vec::new();
    };
    let required = schema.get("required").and_then(Value::as_array);
    let properties = schema.get("properties").and_then(Value::as_object);
    let mut arguments = Vec::new();
    for (name, property) in properties.into_iter().flatten() {
        let is_required = required.is_some_and(|names| names.iter().any(|it| it == name));
        let mut argument = PromptArgument::new(name).required(is_required);
        argument.title = text(property, "title");
        argument.description = text(property, "description");
        arguments.push(argument);
    }
    // A schema has its properties sorted by name, but users should fill in the fields in the order
    // of the type.
    arguments.sort_by_key(|argument| {
        let declared = needs
            .fields
            .iter()
            .position(|field| *field == argument.name);
        declared.unwrap_or(usize::MAX)
    });
    arguments
}

fn text(schema: &Value, key: &str) -> Option<String> {
    schema.get(key)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    #![expect(dead_code, reason = "only the schema of these types is looked at")]

    use schemars::JsonSchema;

    use super::*;
    use crate::derived::input_schema_of;

    #[derive(JsonSchema)]
    struct Form {
        /// Z comes first.
        zero: u8,
        #[schemars(title = "Some")]
        some: Option<u8>,
        explained: bool,
        #[schemars(default)]
        open: String,
    }

    fn needs() -> Needs {
        Needs {
            args: Some(input_schema_of::<Form>()),
            fields: &["zero", "some", "explained", "open"],
            ..Needs::default()
        }
    }

    #[test]
    fn arguments_are_those_of_the_type_in_its_order() {
        let arguments = of(&needs());
        let names: Vec<_> = arguments.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, needs().fields);
        let required = arguments.iter().filter(|it| it.is_required());
        let required: Vec<_> = required.map(|it| it.name.as_str()).collect();
        assert_eq!(required, ["zero", "explained"]);
        assert_eq!(arguments[0].description.as_deref(), Some("Z comes first."));
        assert_eq!(arguments[1].title.as_deref(), Some("Some"));
        assert!(of(&Needs::default()).is_empty());
    }
}
