//! The text that the user has typed for an argument.

use plainly_protocol::types::Arguments;

use super::{CompletionCall, CompletionChannel, Extract};
use crate::failure::Failure;

/// An argument that the user is filling in: its text so far, and the arguments that are already
/// filled in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartialArgument {
    text: String,
    others: Arguments,
}

impl PartialArgument {
    /// The text so far; empty at the beginning.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The value of another argument, if it is filled in and the client sent it.
    pub fn argument(&self, name: &str) -> Option<&str> {
        self.others.get(name).map(String::as_str)
    }

    /// The candidates that begin with the text so far, then those that contain it. Case is ignored.
    pub fn matching<S: Into<String>>(
        &self,
        candidates: impl IntoIterator<Item = S>,
    ) -> Vec<String> {
        let text = self.text.to_lowercase();
        let mut matching = Vec::new();
        let mut containing = Vec::new();
        for candidate in candidates {
            let candidate = candidate.into();
            match candidate.to_lowercase().find(&text) {
                Some(0) => matching.push(candidate),
                Some(_) => containing.push(candidate),
                None => {}
            }
        }
        matching.extend(containing);
        matching
    }
}

impl Extract<CompletionChannel> for PartialArgument {
    fn extract(call: &CompletionCall<'_>) -> Result<Self, Failure> {
        Ok(Self {
            text: call.text.to_owned(),
            others: call.others.clone(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_begins_so_goes_before_what_contains_it() {
        let cities = ["Bern", "Paris", "Arles", "Évreux", "Rome"];
        for (text, expected) in [
            ("", &cities[..]),
            ("AR", &["Arles", "Paris"]),
            ("é", &["Évreux"]),
            ("x", &["Évreux"]),
            ("parisian", &[]),
        ] {
            let completing = PartialArgument {
                text: text.to_owned(),
                others: Arguments::new(),
            };
            assert_eq!(completing.matching(cities), expected, "{text}");
        }
    }
}
