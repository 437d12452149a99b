//! The values of an argument, if the schema of its type lists them, so that an enum or a boolean
//! needs no completion handler.

use serde_json::Value;

/// The values of the argument `name`, if the schema lists all of them.
pub(super) fn of_member(root: &Value, name: &str) -> Option<Vec<String>> {
    let property = root.get("properties")?.get(name)?;
    listed(root, property, DEEPEST)
}

/// The maximum depth of references and alternatives that are followed, because a type may contain
/// itself.
const DEEPEST: usize = 8;

/// All texts that are valid under `schema`, if there are few.
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
        return Some(vec![value.to_owned()]);
    }
    match schema.get("anyOf").or_else(|| schema.get("oneOf")) {
        Some(Value::Array(alternatives)) => {
            let given = alternatives.iter().filter(|schema| !is_of(schema, "null"));
            let each = given.map(|schema| listed(root, schema, depth));
            Some(each.collect::<Option<Vec<_>>>()?.concat())
        }
        Some(_) => None,
        None => is_of(schema, "boolean").then(|| ["true", "false"].map(str::to_owned).to_vec()),
    }
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
