//! The server's texts in a question, for display: of bounded length, without control characters,
//! and distinct from this program's own texts.

use plainly::errors::mistake::shortened;
use serde_json::Value;

use crate::visible::visible;

/// The most bytes of a name, a title or a value.
const SHORT: usize = 200;
/// The most bytes and lines of a text.
const LONG: usize = 4_000;
const LINES: usize = 40;

/// A name, a title or a value, in one line.
pub(crate) fn short(text: &str) -> String {
    visible(&shortened(text.trim(), SHORT))
}

/// A text in separate lines, each marked as the server's.
pub(super) fn told(text: &str) -> String {
    let text = shortened(text.trim(), LONG);
    let lines = text.lines().take(LINES);
    let mut lines: Vec<_> = lines.map(|line| format!("  | {}", visible(line))).collect();
    let left = text.lines().count().saturating_sub(LINES);
    if left > 0 {
        lines.push(format!("  | … ({left} lines more)"));
    }
    lines.join("\n")
}

/// A value that was filled in, in the form that users write.
pub(super) fn value(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "(empty)".to_owned(),
        Value::String(text) => short(text),
        Value::Bool(true) => "yes".to_owned(),
        Value::Bool(false) => "no".to_owned(),
        Value::Array(values) if values.is_empty() => "(none)".to_owned(),
        Value::Array(values) => {
            let values: Vec<_> = values.iter().map(self::value).collect();
            short(&values.join(", "))
        }
        Value::Null | Value::Number(_) | Value::Object(_) => short(&value.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn nothing_of_a_server_is_endless_or_a_command() {
        assert_eq!(told("Delete it?\nNow?"), "  | Delete it?\n  | Now?");
        assert_eq!(told("a\u{1b}[2J\rb"), "  | a\\u{1b}[2J\\rb");
        assert!(told(&"long ".repeat(2_000_000)).len() < 2 * LONG);
        assert_eq!(told(&"line\n".repeat(700)).lines().count(), LINES + 1);
        assert!(short(&"\u{1b}".repeat(1_000_000)).len() < 10 * SHORT);
        assert!(value(&json!(vec!["x"; 1_000_000])).len() < 2 * SHORT);
    }
}
