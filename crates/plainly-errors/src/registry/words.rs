//! Parts of messages that repeat a peer's value or name missing values, each with a limited length.

use std::borrow::Cow;

use serde_json::{Map, Value};

use crate::mistake::{Mistake, in_quotes, printable};

pub(super) fn with_name(words: &'static str, name: Option<&str>) -> Cow<'static, str> {
    name.map_or(Cow::Borrowed(words), |name| {
        format!("{words}: {}", named(name)).into()
    })
}

/// A name from a peer, in quotation marks if its beginning or end would not be visible.
pub(super) fn named(name: &str) -> Cow<'_, str> {
    match name.is_empty() || name.trim() != name {
        true => in_quotes(name).into(),
        false => printable(name),
    }
}

pub(super) fn too_large(limit: Option<u64>) -> Cow<'static, str> {
    limit.map_or(Cow::Borrowed("Payload too large"), |limit| {
        format!("Payload too large: a message may have at most {limit} bytes").into()
    })
}

pub(super) fn with_mistakes(
    words: impl Into<Cow<'static, str>>,
    mistakes: &[Mistake],
) -> Cow<'static, str> {
    let words = words.into();
    match mistakes {
        [] => words,
        mistakes => format!("{words}: {}", Mistake::list(mistakes)).into(),
    }
}

pub(super) fn missing_meta(keys: &[String], mistakes: &[Mistake]) -> Cow<'static, str> {
    match mistakes {
        [] => format!("Invalid params: _meta must contain {}", keys.join(" and ")).into(),
        mistakes => with_mistakes("Invalid params", mistakes),
    }
}

/// The message for a resource whose size exceeds the limit, with a part that can be read instead.
pub(super) fn resource_too_large(uri: &str, (size, limit): (u64, u64), parts: &[String]) -> String {
    let uri = printable(uri);
    let instead = parts.first().map_or(String::new(), |part| {
        format!(": read a part, such as {}", printable(part))
    });
    format!("Resource too large: {uri} has {size} bytes, the limit is {limit}{instead}")
}

pub(super) fn must_declare(required: &Map<String, Value>) -> String {
    let capabilities = capability_names(required);
    let noun = match capabilities.len() {
        1 => "capability",
        _ => "capabilities",
    };
    let capabilities = capabilities.join(", ");
    format!("The client must declare the {noun} {capabilities} for this request")
}

/// The names of client capabilities in the form of `ClientCapabilities`. Each capability without
/// nested ones is named by its path.
///
/// ```
/// use plainly_errors::registry::capability_names;
/// use serde_json::json;
///
/// let required = json!({ "elicitation": { "url": {} }, "sampling": {} });
/// let required = required.as_object().unwrap();
/// assert_eq!(capability_names(required), ["elicitation.url", "sampling"]);
/// ```
pub fn capability_names(required: &Map<String, Value>) -> Vec<String> {
    let mut names = Vec::new();
    deepest(required, "", &mut names);
    names
}

/// The capabilities without nested ones, each as its path: `elicitation.url`.
fn deepest(members: &Map<String, Value>, path: &str, found: &mut Vec<String>) {
    for (name, value) in members {
        let is_word = name.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let path = match (path, is_word) {
            ("", true) => name.clone(),
            (path, true) => format!("{path}.{name}"),
            (path, false) => format!("{path}[{name:?}]"),
        };
        match value.as_object().filter(|inside| !inside.is_empty()) {
            Some(inside) => deepest(inside, &path, found),
            None => found.push(path),
        }
    }
}

pub(super) fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::named;

    #[test]
    fn a_name_whose_ends_can_not_be_seen_is_in_quotes() {
        for (name, told) in [
            ("a b", "a b"),
            ("", r#""""#),
            (" ", r#"" ""#),
            (" a", r#"" a""#),
            ("a\n", r#""a\n""#),
        ] {
            assert_eq!(named(name), told);
        }
    }
}
