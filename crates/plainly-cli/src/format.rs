//! The readers of results and errors: humans, or programs.

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
    /// JSON if that was asked for.
    pub(crate) fn json_if(is_asked_for: bool) -> Self {
        match is_asked_for {
            true => Self::Json,
            false => Self::Text,
        }
    }

    /// Whether programs can read it.
    pub(crate) fn is_json(self) -> bool {
        match self {
            Self::Text => false,
            Self::Json | Self::Indented => true,
        }
    }

    /// The format that a command line asks for, whatever is wrong with the rest of it.
    pub(crate) fn of_words(words: impl IntoIterator<Item = OsString>) -> Self {
        // Words after `--` are those of another command.
        let mut own = words.into_iter().take_while(|word| word != "--");
        Self::json_if(own.any(|word| word == "--json" || word == "--pretty"))
    }
}
