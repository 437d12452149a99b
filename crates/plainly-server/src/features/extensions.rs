//! The program's own extensions (SEP-2133), and the check of their names.

use plainly_protocol::types::{JsonObject, SKILLS_EXTENSION, TASKS_EXTENSION};
use serde_json::Value;

use super::error::BuildError;

/// The prefix of the extensions that only this implementation has.
const OWN_PREFIX: &str = "dev.plainly";
/// The extensions that the server itself declares, if it serves their features.
const OWN: [&str; 2] = [TASKS_EXTENSION, SKILLS_EXTENSION];
/// The prefix of official extensions.
const OFFICIAL_PREFIX: &str = "io.modelcontextprotocol";
/// The second labels of prefixes that are reserved for official extensions.
const RESERVED: [&str; 2] = ["modelcontextprotocol", "mcp"];

/// The extensions by name, each with its settings. Mistakes in their names are added to `errors`.
pub(super) fn check_extensions(
    extensions: Vec<(String, JsonObject)>,
    errors: &mut Vec<BuildError>,
) -> JsonObject {
    let mut checked = JsonObject::new();
    for (name, settings) in extensions {
        let subject = format!("extension {name:?}");
        errors.extend(wrong(&name).map(|why| BuildError::new(&subject, why)));
        if checked
            .insert(name, Value::Object(settings.into()))
            .is_some()
        {
            errors.push(BuildError::twice(&subject));
        }
    }
    checked
}

/// The fault of a name, if it has one.
fn wrong(identifier: &str) -> Option<String> {
    let Some((prefix, name)) = identifier.split_once('/') else {
        let why = "has no prefix: begin it with a domain of yours, as in com.example/name";
        return Some(why.to_owned());
    };
    if !prefix.split('.').all(is_label) {
        return Some(format!(
            "has the malformed prefix {prefix:?}: use labels of letters, digits and hyphens, each \
             beginning with a letter, with dots between them, as in com.example/name"
        ));
    }
    if !is_name(name) {
        return Some(format!(
            "has the malformed name {name:?}: use letters, digits, hyphens, underscores and dots, \
             beginning and ending with a letter or digit"
        ));
    }
    if prefix == OWN_PREFIX || OWN.contains(&identifier) {
        let why = "is declared by the server itself where it serves it: don't declare it";
        return Some(why.to_owned());
    }
    let second = prefix.split('.').nth(1);
    if second.is_some_and(|label| RESERVED.contains(&label)) && prefix != OFFICIAL_PREFIX {
        return Some(format!(
            "has a prefix that is reserved for MCP: use {OFFICIAL_PREFIX:?} for an official \
             extension, or a domain of yours"
        ));
    }
    None
}

/// Whether the text consists of letters, digits and hyphens, begins with a letter, and ends with a
/// letter or digit.
fn is_label(label: &str) -> bool {
    label.starts_with(|first: char| first.is_ascii_alphabetic())
        && label.ends_with(|last: char| last.is_ascii_alphanumeric())
        && label
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
}

/// Whether the text consists of letters, digits, hyphens, underscores and dots, and begins and ends
/// with a letter or digit.
fn is_name(name: &str) -> bool {
    let is_end = |end: char| end.is_ascii_alphanumeric();
    let is_inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.');
    name.starts_with(is_end) && name.ends_with(is_end) && name.bytes().all(is_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_rules_of_meta_and_have_a_prefix() {
        for (name, fault) in [
            ("com.example/name", None),
            ("example/a", None),
            ("com.example.mcp/a_b-c.D9", None),
            ("io.modelcontextprotocol/ui", None),
            ("name", Some("has no prefix")),
            ("/name", Some("has the malformed prefix")),
            ("com..example/name", Some("has the malformed prefix")),
            ("1com.example/name", Some("has the malformed prefix")),
            ("com.example-/name", Some("has the malformed prefix")),
            ("com.exämple/name", Some("has the malformed prefix")),
            ("com.example/", Some("has the malformed name")),
            ("com.example/-name", Some("has the malformed name")),
            ("com.example/a/b", Some("has the malformed name")),
            ("com.example/a b", Some("has the malformed name")),
            (
                "dev.plainly/resources",
                Some("is declared by the server itself"),
            ),
            (
                "dev.plainly/other",
                Some("is declared by the server itself"),
            ),
            (TASKS_EXTENSION, Some("is declared by the server itself")),
            (SKILLS_EXTENSION, Some("is declared by the server itself")),
            ("com.mcp.tools/name", Some("has a prefix that is reserved")),
            (
                "org.modelcontextprotocol.api/name",
                Some("has a prefix that is reserved"),
            ),
            (
                "io.modelcontextprotocol.x/name",
                Some("has a prefix that is reserved"),
            ),
        ] {
            let found = wrong(name);
            let is_expected = match (&found, fault) {
                (Some(found), Some(fault)) => found.starts_with(fault),
                (found, fault) => found.is_none() && fault.is_none(),
            };
            assert!(is_expected, "{name}: {found:?}");
        }
    }

    #[test]
    fn an_extension_is_declared_once() {
        let mut errors = Vec::new();
        let twice =
            ["com.example/a", "com.example/a"].map(|name| (name.to_owned(), JsonObject::new()));
        check_extensions(twice.into(), &mut errors);
        let errors: Vec<_> = errors.iter().map(ToString::to_string).collect();
        assert_eq!(errors, ["extension \"com.example/a\" is defined twice"]);
    }
}
