//! Parses JSON that a user typed. The error names the mistake, its place and the correct form,
//! because the parser's own messages are for experts.

use serde_json::{Error, Value};

use crate::visible::visible;

/// The most characters of the misplaced word that are shown.
const SHOWN: usize = 16;

/// The parser's messages, with the texts that replace them.
#[rustfmt::skip]
const FAULTS: &[(&str, &str)] = &[
    ("EOF while parsing a list", "it ends within a list: expected ]"),
    ("EOF while parsing an object", "it ends within an object: expected }"),
    ("EOF while parsing a string", "it ends within text: expected \""),
    ("EOF while parsing a value", "it ends too early: expected a value"),
    ("expected value", VALUE),
    ("expected ident", VALUE),
    ("expected `:`", "expected a colon between a name and its value"),
    ("expected `,` or `]`", "expected a comma, or ] to end the list"),
    ("expected `,` or `}`", "expected a comma, or } to end the object"),
    ("key must be a string", "expected a name in double quotes, as in {\"limit\": 10}"),
    ("trailing comma", "expected no comma before the end"),
    ("trailing characters", "expected nothing after the value"),
    ("number out of range", "expected a smaller number"),
    ("invalid number", "expected a number such as 10, -1.5 or 2e3"),
    ("control character", "expected \\n for a line break, or \\t for a tab, within text"),
    ("invalid escape", ESCAPE),
    ("unexpected end of hex escape", ESCAPE),
    ("lone leading surrogate", ESCAPE),
    ("invalid unicode code point", ESCAPE),
    ("recursion limit", "expected lists and objects that are less deep"),
];
const VALUE: &str =
    "expected a value: a number, \"text\", true, false, null, [a list] or {an object}";
const ESCAPE: &str =
    "expected \\\\ for a backslash within text, or a character by its number like \\u00e9";

/// Parses a value, or returns the mistake.
pub(crate) fn parse(text: &str) -> Result<Value, String> {
    read(text, |place, word| format!("{place} ({word})"))
}

/// Like `parse`, for a text that may be secret. The error repeats no part of it.
pub(crate) fn parse_unseen(text: &str) -> Result<Value, String> {
    read(text, |place, _| place)
}

fn read(text: &str, shown: fn(String, String) -> String) -> Result<Value, String> {
    if text.trim().is_empty() {
        return Err("it is not JSON: it is empty".to_owned());
    }
    serde_json::from_str(text).map_err(|error| {
        let said = error.to_string();
        let known = FAULTS.iter().find(|(theirs, _)| said.starts_with(theirs));
        let ours = known.map_or("expected JSON", |(_, ours)| *ours);
        match error.is_eof() {
            true => format!("it is not JSON: {ours}"),
            false => {
                let (place, word) = place(text, &error);
                format!("it is not JSON at {}: {ours}", shown(place, word))
            }
        }
    })
}

/// The kind of a value, in a word.
pub(crate) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a truth value",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// The place of the error, and the word there.
fn place(text: &str, error: &Error) -> (String, String) {
    let lines = text
        .split_inclusive('\n')
        .take(error.line().saturating_sub(1));
    let start: usize = lines.map(str::len).sum();
    // The parser counts bytes, starting with 1.
    let mut at = text.floor_char_boundary((start + error.column()).saturating_sub(1));
    if error.to_string().starts_with("expected ident") {
        // The letters before it belong to true, false or null.
        at = text[..at].trim_end_matches(char::is_alphabetic).len();
    }
    let (before, rest) = text.split_at(at);
    let (_, line) = before.rsplit_once('\n').unwrap_or(("", before));
    let character = line.chars().count() + 1;
    // The first character is included, even if it would end a word.
    let mut rest = rest.chars();
    let first = rest.next().into_iter();
    let more = rest.take_while(|it| !it.is_whitespace() && !",:]}".contains(*it));
    let word: String = first.chain(more).take(SHOWN).collect();
    let line = match text.trim_end().contains('\n') {
        true => format!("line {}, ", before.matches('\n').count() + 1),
        false => String::new(),
    };
    (format!("{line}character {character}"), visible(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAULTY: &[(&str, &str)] = &[
        ("", ": it is empty"),
        (" \n", ": it is empty"),
        ("NaN", " at character 1 (NaN): expected a value"),
        ("{\"a\":}", " at character 6 (}): expected a value"),
        ("[tru e]", " at character 2 (tru): expected a value"),
        ("ten", " at character 1 (ten): expected a value"),
        ("[[1", ": it ends within a list: expected ]"),
        ("{\"a\"", ": it ends within an object: expected }"),
        ("{\"a\":", ": it ends too early: expected a value"),
        ("\"a", ": it ends within text: expected \""),
        ("{\"a\" 1}", " at character 6 (1): expected a colon"),
        ("[1 2]", " at character 4 (2): expected a comma, or ]"),
        (
            "{\"a\":1 \"b\":2}",
            " at character 8 (\"b\"): expected a comma, or }",
        ),
        (
            "{'a':1}",
            " at character 2 ('a'): expected a name in double quotes",
        ),
        (
            "[1,]",
            " at character 4 (]): expected no comma before the end",
        ),
        ("{} {}", " at character 4 ({): expected nothing after"),
        ("1e999", " at character 5 (9): expected a smaller number"),
        ("-x", " at character 2 (x): expected a number such as"),
        (
            "\"a\tb\"",
            " at character 3 (\\tb\"): expected \\n for a line break",
        ),
        (
            "\"a\nb\"",
            " at line 1, character 3 (\\nb\"): expected \\n for a line break",
        ),
        (
            "\"\\x\"",
            " at character 3 (x\"): expected \\\\ for a backslash",
        ),
        (
            "\"\\ud800\"",
            " at character 8 (\"): expected \\\\ for a backslash",
        ),
        (
            "\"\\ud800\\u0041\"",
            " at character 13 (1\"): expected \\\\ for a backslash",
        ),
        ("{\"ü\":x}", " at character 6 (x): expected a value"),
        ("{\n\n}x", " at line 3, character 2 (x): expected nothing"),
        (
            "[1,\n 2,\n x]",
            " at line 3, character 2 (x): expected a value",
        ),
    ];

    #[test]
    fn each_fault_is_told_with_its_place_and_in_no_words_of_a_parser() {
        let deep = "[".repeat(200);
        let too_deep =
            " at character 128 ([[[[[[[[[[[[[[[[): expected lists and objects that are less deep";
        for (text, told) in FAULTY.iter().chain(&[(&*deep, too_deep)]) {
            let said = parse(text).unwrap_err();
            let expected = format!("it is not JSON{told}");
            assert!(said.starts_with(&expected), "{said}\n{expected}");
        }
        assert_eq!(parse("[1]"), Ok(vec![1].into()));
    }
}
