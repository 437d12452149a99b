//! Words of command lines that are printed for users to run.

use std::borrow::Cow;

/// A word in the form that a shell reads.
pub(crate) fn shell_word(word: &str) -> Cow<'_, str> {
    let is_plain = |it: char| it.is_alphanumeric() || "_./:=@%+,-".contains(it);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")).into(),
    }
}
