//! For whom results and errors are written: people, or programs.

use std::ffi::OsString;

/// How results and errors are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

impl Format {
    /// What a command line asks for, whatever is wrong with the rest of it. Words after `--` are those of another command.
    pub(crate) fn of_words(words: impl IntoIterator<Item = OsString>) -> Self {
        let mut own = words.into_iter().take_while(|word| word != "--");
        if own.any(|word| word == "--json") {
            Self::Json
        } else {
            Self::Text
        }
    }
}
