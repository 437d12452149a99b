//! The words that no error may contain: those of Rust, and of the JSON library. Every message that
//! a test or a fuzz target receives is checked.

use std::error::Error;

use serde_json::Value;

/// Words in those libraries' error messages.
pub(crate) const WORDS: [&str; 22] = [
    " at line 1 column ",
    ", expected ",
    "`Option",
    "EOF while parsing",
    "any variant of untagged enum",
    "boolean `",
    "control character (",
    "duplicate field `",
    "expected a borrowed string",
    "expected enum ",
    "expected struct ",
    "expected value",
    "floating point `",
    "integer `",
    "internally tagged enum",
    "invalid length ",
    "invalid type: ",
    "invalid value: ",
    "missing field `",
    "recursion limit exceeded",
    "unknown field `",
    "unknown variant `",
];

/// Checks the errors in a message: those of the protocol, and of tools.
///
/// # Panics
///
/// Panics if an error contains such a word.
pub fn check_words(message: &Value) {
    if let Value::Array(batch) = message {
        return batch.iter().for_each(check_words);
    }
    let result = &message["result"];
    let told = match result["isError"] == true {
        true => &result["content"],
        false => &message["error"]["message"],
    };
    for text in [told, &message["error"]["data"]["problems"]] {
        check_text(&text.to_string());
    }
}

/// The text of a client's error with its causes, checked.
///
/// # Panics
///
/// Panics if the error contains such a word.
pub fn told(error: &dyn Error) -> String {
    let mut told = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        told.push_str(&format!(": {error}"));
        cause = error.source();
    }
    check_text(&told);
    told
}

fn check_text(text: &str) {
    let word = WORDS.iter().find(|word| text.contains(**word));
    assert!(word.is_none(), "{word:?} in {text}");
}
