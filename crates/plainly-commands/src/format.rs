//! The format of results and errors, for users or for programs.

use std::ffi::OsString;

/// The format of results and errors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Text,
    Json,
    /// JSON over several lines.
    Indented,
}

impl Format {
    /// JSON if it was requested, otherwise text.
    pub(crate) fn json_if(is_asked_for: bool) -> Self {
        match is_asked_for {
            true => Self::Json,
            false => Self::Text,
        }
    }

    /// Whether programs can parse it.
    pub(crate) fn is_json(self) -> bool {
        match self {
            Self::Text => false,
            Self::Json | Self::Indented => true,
        }
    }

    /// The format that a command line requests, even if the rest of the line is invalid.
    pub(crate) fn of_words(words: impl IntoIterator<Item = OsString>) -> Self {
        // Words after `--` belong to another command.
        let mut own = words.into_iter().take_while(|word| word != "--");
        Self::json_if(own.any(|word| word == "--json" || word == "--pretty"))
    }
}
