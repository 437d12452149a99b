//! Regular expressions of ECMA-262, without features that would take exponential time: each text is
//! scanned once.

pub(super) use self::engine::Pattern;

#[cfg(feature = "patterns")]
mod engine {
    use jsonschema_regex::to_rust_regex;
    use regex::Regex;

    /// A regular expression that must match somewhere in a text.
    #[derive(Debug)]
    pub(crate) struct Pattern {
        regex: Regex,
        /// The expression as it was written.
        text: String,
    }

    impl Pattern {
        /// Parses `text`; the error describes the fault.
        pub(crate) fn parse(text: &str) -> Result<Self, String> {
            let translated = to_rust_regex(text)
                .map_err(|()| format!("{text:?} is not a regular expression"))?;
            // Look-around and back-references are rejected here, because they can't be matched in
            // linear time.
            let regex = Regex::new(&translated).map_err(|error| {
                format!("{text:?} is not a supported regular expression: {error}")
            })?;
            let text = text.to_owned();
            Ok(Self { regex, text })
        }

        pub(crate) fn is_in(&self, text: &str) -> bool {
            self.regex.is_match(text)
        }

        pub(crate) fn text(&self) -> &str {
            &self.text
        }
    }
}

/// The Unicode tables and their code are a third of a small server, and are in memory from its
/// start.
#[cfg(not(feature = "patterns"))]
mod engine {
    /// There are no patterns without the feature.
    #[derive(Debug)]
    pub(crate) enum Pattern {}

    impl Pattern {
        pub(crate) fn parse(text: &str) -> Result<Self, String> {
            Err(format!(
                "{text:?} is a regular expression, but plainly-schema was built without its feature `patterns`"
            ))
        }

        pub(crate) fn is_in(&self, _text: &str) -> bool {
            match *self {}
        }

        pub(crate) fn text(&self) -> &str {
            match *self {}
        }
    }
}
