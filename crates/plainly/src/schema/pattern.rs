//! Regular expressions as ECMA-262 has them, without what would take exponential time: a text is looked at once.

use jsonschema_regex::to_rust_regex;
use regex::Regex;

/// A regular expression that a text is to match somewhere.
#[derive(Debug)]
pub(super) struct Pattern {
    regex: Regex,
    /// As it was written.
    text: String,
}

impl Pattern {
    /// Reads `text`; the error says what is wrong with it.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let invalid = |()| format!("{text:?} is no regular expression");
        let translated = to_rust_regex(text).map_err(invalid)?;
        let regex = Regex::new(&translated).map_err(|error| {
            format!("{text:?} is no regular expression that is served: {error}")
        })?;
        let text = text.to_owned();
        Ok(Self { regex, text })
    }

    pub(super) fn is_in(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }
}
