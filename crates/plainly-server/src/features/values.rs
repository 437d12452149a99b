//! The values of an argument, by the schema of its type. If the schema lists them, as for an enum
//! or a boolean, they need no completion handler. Lists and objects are no text.

use serde_json::Value;

/// The values of the argument `name`, if the schema lists all of them.
pub(super) fn of_member(root: &Value, name: &str) -> Option<Vec<String>> {
    let property = root.get("properties")?.get(name)?;
    listed(root, property, DEEPEST)
}

/// Whether the argument `name` is a list or an object, if it is not left out.
pub(super) fn is_composite_member(root: &Value, name: &str) -> bool {
    let property = root.get("properties").and_then(|all| all.get(name));
    property.is_some_and(|property| is_composite(root, property, DEEPEST))
}

/// The maximum depth of references and alternatives that are followed, because a type may contain
/// itself.
const DEEPEST: usize = 8;

/// All texts that are valid under `schema`, if there are few.
fn listed(root: &Value, schema: &Value, depth: usize) -> Option<Vec<String>> {
    let depth = depth.checked_sub(1)?;
    if let Some(reference) = text(schema, "$ref") {
        return listed(root, definition(root, reference)?, depth);
    }
    if let Some(values) = schema.get("enum").and_then(Value::as_array) {
        let texts = values.iter().filter_map(Value::as_str);
        return Some(texts.map(str::to_owned).collect());
    }
    if let Some(value) = text(schema, "const") {
        return Some(vec![value.to_owned()]);
    }
    match alternatives(schema) {
        Some(mut given) => given.try_fold(Vec::new(), |mut all, schema| {
            all.extend(listed(root, schema, depth)?);
            Some(all)
        }),
        None => is_of(schema, "boolean").then(|| ["true", "false"].map(str::to_owned).to_vec()),
    }
}

/// Whether all values that `schema` accepts are lists or objects.
fn is_composite(root: &Value, schema: &Value, depth: usize) -> bool {
    let Some(depth) = depth.checked_sub(1) else {
        return false;
    };
    if let Some(reference) = text(schema, "$ref") {
        let definition = definition(root, reference);
        return definition.is_some_and(|schema| is_composite(root, schema, depth));
    }
    match alternatives(schema) {
        Some(mut given) => given.all(|schema| is_composite(root, schema, depth)),
        None => is_of(schema, "array") || is_of(schema, "object"),
    }
}

/// The schema that a reference names.
fn definition<'a>(root: &'a Value, reference: &str) -> Option<&'a Value> {
    let name = reference.strip_prefix("#/$defs/")?;
    root.get("$defs")?.get(name)
}

/// The schemas of which a value matches one, except for that of values that are left out.
fn alternatives(schema: &Value) -> Option<impl Iterator<Item = &Value>> {
    let all = schema.get("anyOf").or_else(|| schema.get("oneOf"))?;
    let given = all.as_array().into_iter().flatten();
    Some(given.filter(|schema| !is_of(schema, "null")))
}

/// Whether values have the type `kind`, unless they are left out.
fn is_of(schema: &Value, kind: &str) -> bool {
    match schema.get("type") {
        Some(Value::Array(kinds)) => kinds.iter().all(|it| it == kind || it == "null"),
        Some(one) => one == kind,
        None => false,
    }
}

fn text<'a>(schema: &'a Value, key: &str) -> Option<&'a str> {
    schema.get(key)?.as_str()
}

#[cfg(test)]
mod tests {
    #![expect(dead_code, reason = "only the schema of these types is looked at")]

    use schemars::JsonSchema;

    use super::*;
    use crate::derived::input_schema_of;

    #[derive(JsonSchema)]
    #[schemars(rename_all = "lowercase")]
    enum Plain {
        One,
        Two,
    }

    /// The place of the explanation.
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
        zero: Plain,
        some: Option<Plain>,
        explained: Explained,
        yes: Option<bool>,
        open: String,
        count: Option<u8>,
    }

    #[derive(JsonSchema)]
    enum Mixed {
        Text,
        Form(Box<Form>),
    }

    #[derive(JsonSchema)]
    struct Parts {
        list: Vec<u8>,
        form: Option<Form>,
        pair: Option<(u8, u8)>,
        any: Value,
        mixed: Mixed,
        zero: Option<Plain>,
        count: Option<u8>,
    }

    #[test]
    fn lists_and_objects_are_told_from_what_can_be_text() {
        let schema = input_schema_of::<Parts>();
        let names = [
            "list", "form", "pair", "any", "mixed", "zero", "count", "no",
        ];
        let found = names.map(|name| is_composite_member(&schema, name));
        assert_eq!(found, [true, true, true, false, false, false, false, false]);
    }

    #[test]
    fn values_are_those_that_the_schema_lists() {
        let schema = input_schema_of::<Form>();
        for (name, expected) in [
            ("zero", Some(["one", "two"])),
            ("some", Some(["one", "two"])),
            ("explained", Some(["1", "2"])),
            ("yes", Some(["true", "false"])),
            ("open", None),
            ("count", None),
            ("nowhere", None),
        ] {
            let found = of_member(&schema, name);
            assert_eq!(
                found,
                expected.map(|all| all.map(str::to_owned).to_vec()),
                "{name}"
            );
        }
    }
}
