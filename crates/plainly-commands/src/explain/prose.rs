//! Finds texts in JSON and pages of unknown form, for display.

use std::borrow::Cow;

use serde_json::Value;

/// The members that most likely contain text, best first.
const MEMBERS: [&str; 11] = [
    "message",
    "msg",
    "detail",
    "error",
    "errors",
    "reason",
    "description",
    "text",
    "content",
    "title",
    "data",
];

/// The text in `value`, if there is any.
pub(super) fn words(value: &Value) -> Option<Cow<'_, str>> {
    match value {
        Value::String(text) => {
            Some(text.trim().into()).filter(|text: &Cow<'_, str>| !text.is_empty())
        }
        Value::Array(items) => {
            let all: Vec<_> = items.iter().filter_map(words).collect();
            (!all.is_empty()).then(|| all.join(" ").into())
        }
        Value::Object(members) => MEMBERS.iter().find_map(|name| words(members.get(*name)?)),
        Value::Null | Value::Bool(_) | Value::Number(_) => None,
    }
}

/// The text of a body: the text in JSON, the title of a page or else its text, or otherwise the
/// first line.
pub(super) fn words_of_body(body: &str) -> Option<String> {
    let body = body.trim();
    let said = match body.as_bytes().first()? {
        b'<' => title(body).unwrap_or_else(|| text(body)),
        b'{' | b'[' => match serde_json::from_str(body) {
            Ok(json) => words(&json).map_or_else(|| body.to_owned(), Cow::into_owned),
            // The JSON may be truncated.
            Err(_) => body.to_owned(),
        },
        _ => body.to_owned(),
    };
    let line = said.lines().map(str::trim).find(|line| !line.is_empty());
    line.map(str::to_owned)
}

/// The title of a page.
fn title(page: &str) -> Option<String> {
    // The lower-case text has the same length, so positions are the same in both.
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title")?;
    let end = start + lower.get(start..)?.find("</title")?;
    let title = text(page.get(start..end)?);
    (!title.is_empty()).then_some(title)
}

/// The text of a page without its tags, on one line.
fn text(page: &str) -> String {
    let parts = page.split('<').enumerate();
    let parts = parts.map(|(at, part)| match part.split_once('>') {
        Some((_tag, text)) => text,
        None if at == 0 => part,
        None => "",
    });
    let words: Vec<&str> = parts.flat_map(str::split_whitespace).collect();
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn words_are_found_wherever_servers_put_them() {
        for (value, expected) in [
            (json!("boom"), Some("boom")),
            (json!(" \n"), None),
            (json!(7), None),
            (json!({"code": 1}), None),
            (
                json!({"message": null, "data": {"detail": "full"}}),
                Some("full"),
            ),
            (json!({"message": {"text": "full"}}), Some("full")),
            (json!([{"type": "text", "text": "a"}, "b", 7]), Some("a b")),
            (json!({"error": {"message": "inside"}}), Some("inside")),
            (
                json!({"detail": [{"msg": "it is missing"}]}),
                Some("it is missing"),
            ),
            (
                json!({"errors": [{"message": "a"}], "title": "t"}),
                Some("a"),
            ),
        ] {
            assert_eq!(words(&value).as_deref(), expected, "{value}");
        }
    }

    #[test]
    fn a_body_is_told_by_its_title_its_words_or_its_first_line() {
        for (body, expected) in [
            ("", None),
            ("\n<!DOCTYPE html>", None),
            ("Bad Gateway\nnginx", Some("Bad Gateway")),
            (
                "<html><head><TITLE lang=en>\n 404 Not\nFound </title>",
                Some("404 Not Found"),
            ),
            (
                "<html><title></title><h1>No such<br>page</h1><p",
                Some("No such page"),
            ),
            (
                "<?xml version=\"1.0\"?><Error><Code>NoSuchKey</Code></Error>",
                Some("NoSuchKey"),
            ),
            (
                r#"{"detail":"Not authenticated"}"#,
                Some("Not authenticated"),
            ),
            (r#"{"detail":"Not authen"#, Some(r#"{"detail":"Not authen"#)),
            (r#"{"ok":false}"#, Some(r#"{"ok":false}"#)),
        ] {
            assert_eq!(words_of_body(body).as_deref(), expected, "{body}");
        }
    }
}
