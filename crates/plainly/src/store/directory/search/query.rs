//! What is searched for, ready to be held against names and lines.

use std::path::Path;

use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use plainly_errors::Problem;

use crate::store::tools::Globs;

/// The longest pattern, in bytes.
const PATTERN_BYTES: usize = 4 << 10;

/// The most memory of a compiled pattern, in bytes: a few letters can stand for as much as one likes.
const COMPILED_BYTES: usize = 10 << 20;

/// What is searched for.
#[derive(Debug)]
pub(super) struct Query {
    /// In the lines of files; `None`: the names say all.
    pub(super) pattern: Option<RegexMatcher>,
    pub(super) glob: Option<Globs>,
    pub(super) exclude: Option<Globs>,
    /// Lines before and after each match.
    pub(super) context: usize,
    /// The most matches.
    pub(super) limit: usize,
    pub(super) is_case_ignored: bool,
}

impl Query {
    /// Whether paths have to be held against globs at all.
    pub(super) fn looks_at_names(&self) -> bool {
        self.glob.is_some() || self.exclude.is_some()
    }

    /// Whether what has this path is left out, with all below it.
    pub(super) fn excludes(&self, path: &Path) -> bool {
        self.exclude
            .as_ref()
            .is_some_and(|globs| globs.matches(path))
    }

    /// Whether what has this path could be found.
    pub(super) fn wants(&self, path: &Path) -> bool {
        self.glob.as_ref().is_none_or(|globs| globs.matches(path))
    }
}

/// Compiles a pattern over single lines, for an engine that takes linear time.
pub(super) fn pattern(
    pattern: &str,
    is_literal: bool,
    is_case_ignored: bool,
) -> Result<RegexMatcher, Problem> {
    if pattern.len() > PATTERN_BYTES {
        let why = format!("it has more than {PATTERN_BYTES} bytes.");
        return Err(Problem::validation("pattern", why));
    }
    RegexMatcherBuilder::new()
        .fixed_strings(is_literal)
        .case_insensitive(is_case_ignored)
        .line_terminator(Some(b'\n'))
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(COMPILED_BYTES)
        .build(pattern)
        .map_err(|error| {
            let advice = if error.to_string().contains("\\n") {
                "Lines are searched one by one: leave out what is on the next line."
            } else {
                "Put \\ before a letter that is meant as it is, or set literal to take the whole pattern as it is."
            };
            Problem::validation("pattern", error.to_string()).suggest(advice)
        })
}
