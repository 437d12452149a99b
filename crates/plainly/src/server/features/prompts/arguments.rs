//! From the schema of a handler's arguments to the arguments of its prompt, and to the values of those that have few.

use plainly_protocol::types::PromptArgument;
use serde_json::Value;

use crate::server::extract::Needs;

/// The arguments that a handler takes, in the order in which its type declares them.
pub(super) fn of(needs: &Needs) -> Vec<PromptArgument> {
    let Some(schema) = &needs.args else {
        return Vec::new();
    };
    let required = schema.get("required").and_then(Value::as_array);
    let is_required = |name: &str| required.is_some_and(|names| names.iter().any(|it| it == name));
    let properties = schema.get("properties").and_then(Value::as_object);
    let argument = |(name, property): (&String, &Value)| {
        let mut argument = PromptArgument::new(name).required(is_required(name));
        argument.title = text(property, "title");
        argument.description = text(property, "description");
        argument
    };
    let mut arguments: Vec<_> = properties.into_iter().flatten().map(argument).collect();
    let declared = |name: &str| needs.fields.iter().position(|field| *field == name);
    arguments.sort_by_key(|argument| declared(&argument.name).unwrap_or(usize::MAX));
    arguments
}

/// The values that the argument `name` can have, if the schema of all lists them.
pub(in crate::server) fn values(root: &Value, name: &str) -> Option<Vec<String>> {
    let property = root.get("properties")?.get(name)?;
    listed(root, property, DEEPEST)
}

/// How far references and alternatives are followed: a type may contain itself.
const DEEPEST: usize = 8;

/// All texts that are a value by `schema`, if those are few.
fn listed(root: &Value, schema: &Value, depth: usize) -> Option<Vec<String>> {
    let depth = depth.checked_sub(1)?;
    if let Some(reference) = text(schema, "$ref") {
        let name = reference.strip_prefix("#/$defs/")?;
        return listed(root, root.get("$defs")?.get(name)?, depth);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let texts = values.iter().filter_map(Value::as_str);
        return Some(texts.map(str::to_owned).collect());
    }
    if let Some(value) = text(schema, "const") {
        return Some(vec![value]);
    }
    match schema.get("anyOf").or_else(|| schema.get("oneOf")) {
        Some(Value::Array(alternatives)) => {
            let given = alternatives.iter().filter(|schema| !is_of(schema, "null"));
            let each = given.map(|schema| listed(root, schema, depth));
            each.collect::<Option<Vec<_>>>().map(|all| all.concat())
        }
        Some(_) => None,
        None => is_of(schema, "boolean").then(|| ["true", "false"].map(str::to_owned).to_vec()),
    }
}

/// Whether values are of the type `kind`, where they are not left out.
fn is_of(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().all(|it| it == kind || it == "null"),
        Some(one) => one == kind,
        None => false,
    }
}

fn text(schema: &Value, key: &str) -> Option<String> {
    schema.get(key)?.as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    #![expect(dead_code, reason = "only the schema of these types is looked at")]

    use schemars::JsonSchema;

    use super::*;
    use crate::server::extract::schema_of;

    #[derive(JsonSchema)]
    #[schemars(rename_all = "lowercase")]
    enum Plain {
        One,
        Two,
    }

    /// Where it is explained.
    #[derive(JsonSchema)]
    enum Explained {
        /// The first.
        #[schemars(rename = "1")]
        One,
        /// The second.
        #[schemars(rename = "2")]
        Two,
    }

    #[derive(JsonSchema)]
    struct Form {
        /// Z comes first.
        zero: Plain,
        #[schemars(title = "Some")]
        some: Option<Plain>,
        explained: Explained,
        yes: Option<bool>,
        #[schemars(default)]
        open: String,
        count: Option<u8>,
    }

    fn needs() -> Needs {
        Needs {
            args: Some(schema_of::<Form>()),
            fields: &["zero", "some", "explained", "yes", "open", "count"],
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

    #[test]
    fn values_are_those_that_the_schema_lists() {
        let needs = needs();
        for (name, expected) in [
            ("zero", Some(["one", "two"])),
            ("some", Some(["one", "two"])),
            ("explained", Some(["1", "2"])),
            ("yes", Some(["true", "false"])),
            ("open", None),
            ("count", None),
            ("nowhere", None),
        ] {
            let found = values(needs.args.as_ref().unwrap(), name);
            assert_eq!(
                found,
                expected.map(|all| all.map(str::to_owned).to_vec()),
                "{name}"
            );
        }
    }
}
