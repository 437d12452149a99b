//! For whom results and errors are written: people, or programs.

use std::ffi::OsString;

/// How results and errors are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
}

impl Format {
    /// JSON if that was asked for.
    pub(crate) fn json_if(is_asked_for: bool) -> Self {
        match is_asked_for {
            true => Self::Json,
            false => Self::Text,
        }
    }

    /// The format that a command line asks for, whatever is wrong with the rest of it.
    pub(crate) fn of_words(words: impl IntoIterator<Item = OsString>) -> Self {
        // Words after `--` are those of another command.
        let mut own = words.into_iter().take_while(|word| word != "--");
        Self::json_if(own.any(|word| word == "--json"))
    }
}
