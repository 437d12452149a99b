//! Converts JSON without line breaks to indented text. Passes over the bytes without building a
//! tree, so numbers, keys and their order stay exactly as written.

use std::fmt::{self, Write};

use serde::de::IgnoredAny;

use super::{ConvertError, Converter, Draft, Original};

/// The file size in bytes from which JSON on one line is hard to read.
const LONG: usize = 200;

/// The number of bytes at the beginning of a file that contain a line break if the JSON is
/// formatted.
const BEGINNING: usize = 1 << 10;

/// Converts JSON without line breaks to `text/plain`: the same JSON, indented. JSON with a line
/// break in its first KiB is not converted.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Json;

impl Json {
    /// Creates the converter.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Converter for Json {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        (mime_type == "application/json" || mime_type.ends_with("+json")).then_some("text/plain")
    }

    /// False, because most JSON has line breaks already.
    fn is_announced(&self) -> bool {
        false
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let content = original.content.trim_ascii();
        let beginning = content.get(..BEGINNING).unwrap_or(content);
        if content.len() < LONG || memchr::memchr(b'\n', beginning).is_some() {
            return Ok(());
        }
        if original.content.len() > draft.room() {
            return Err("the text is too large".into());
        }
        let text = str::from_utf8(original.content)?;
        // Also rejects JSON that is nested deeper than 128 levels.
        serde_json::from_str::<IgnoredAny>(text)?;
        Ok(indent(text, draft)?)
    }
}

/// Writes JSON with one line for each member and element.
fn indent(json: &str, draft: &mut Draft<'_>) -> fmt::Result {
    let mut depth = 0;
    let mut rest = json.trim_start();
    while let Some(first) = rest.chars().next() {
        let (token, behind) = rest.split_at(token(first, rest));
        rest = behind.trim_start();
        match first {
            '{' | '[' if rest.starts_with(['}', ']']) => {
                let (end, behind) = rest.split_at(1);
                write!(draft, "{token}{end}")?;
                rest = behind.trim_start();
            }
            '{' | '[' => {
                depth += 1;
                write!(draft, "{token}\n{:1$}", "", 2 * depth)?;
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                write!(draft, "\n{:1$}{token}", "", 2 * depth)?;
            }
            ',' => write!(draft, ",\n{:1$}", "", 2 * depth)?,
            ':' => draft.write_str(": ")?,
            _ => draft.write_str(token)?,
        }
    }
    draft.write_char('\n')
}

/// The length of the token at the beginning of `rest`, whose first character is `first`.
fn token(first: char, rest: &str) -> usize {
    match first {
        '"' => string(rest),
        '{' | '}' | '[' | ']' | ',' | ':' => 1,
        _ => rest
            .find(|letter: char| ",]}".contains(letter) || letter.is_ascii_whitespace())
            .unwrap_or(rest.len()),
    }
}

/// The length of a string, including its quotes.
fn string(rest: &str) -> usize {
    let bytes = rest.as_bytes();
    let mut at = 1;
    while let Some(found) = bytes
        .get(at..)
        .and_then(|left| memchr::memchr2(b'"', b'\\', left))
    {
        at += found;
        if bytes.get(at) == Some(&b'"') {
            return at + 1;
        }
        // Skips the backslash and the first byte that it escapes. The bytes after that can't end
        // the string.
        at += 2;
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;
    use crate::tests::converted;

    #[test]
    fn long_lines_become_short_ones_and_nothing_else_changes() {
        let long = "x".repeat(LONG);
        let json = format!(
            r#" {{"a":[1,-2.50e+400,{{}},[ ]],"b\"\\":"{{ [,: \u00e9 é","c":{{"d":null}} , "e":"{long}"}} "#
        );
        let text = converted(&Json, "application/json", json.as_bytes()).unwrap();
        let expected = format!(
            r#"{{
  "a": [
    1,
    -2.50e+400,
    {{}},
    []
  ],
  "b\"\\": "{{ [,: \u00e9 é",
  "c": {{
    "d": null
  }},
  "e": "{long}"
}}
"#
        );
        assert_eq!(text, expected);
    }

    #[test]
    fn what_can_be_read_already_is_left() {
        let lines = "[\n".to_owned() + &"1,\n".repeat(1_000) + "1]";
        let long_lines = format!("[\n\"{}\"]\n", "x".repeat(10 * LONG));
        for json in [r#"{"short":1}"#, "", &lines, &long_lines] {
            assert_eq!(
                converted(&Json, "application/json", json.as_bytes()).unwrap(),
                ""
            );
        }
    }

    #[test]
    fn what_is_no_json_or_too_deep_fails() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        let broken = format!("[\"{}\"", "x".repeat(LONG));
        for json in [
            deep.as_bytes(),
            broken.as_bytes(),
            &[b'"'; 300],
            &[0xff; 300],
        ] {
            assert!(converted(&Json, "application/json", json).is_err());
        }
    }

    proptest::proptest! {
        #[test]
        fn the_value_stays_the_same(value in any_json()) {
            let long = serde_json::json!([value, "x".repeat(10 * LONG)]).to_string();
            let text = converted(&Json, "application/json", long.as_bytes()).unwrap();
            if !text.is_empty() {
                assert_eq!(serde_json::from_str::<Value>(&text).unwrap().to_string(), long);
            }
        }
    }

    fn any_json() -> impl proptest::strategy::Strategy<Value = Value> {
        use proptest::prelude::*;

        // Without control characters, because ASCII ones would be escaped, and the draft leaves out
        // the others.
        let text = "[ -~é\\\\\"\\n\\t]{0,8}";
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            text.prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 4, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::vec((text, inner), 0..4)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }
}
