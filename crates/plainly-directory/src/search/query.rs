//! A compiled search, ready to be matched against names and lines.

use std::path::Path;

use grep_regex::{ErrorKind, RegexMatcher, RegexMatcherBuilder};
use plainly::errors::Problem;
use plainly::store::tools::Globs;

use super::rank::Question;
use crate::uri;

/// The maximum length of a pattern, in bytes.
const PATTERN_BYTES: usize = 4 << 10;

/// The maximum memory of a compiled pattern, in bytes, because a few letters can stand for any
/// number of states.
pub(super) const COMPILED_BYTES: usize = 4 << 20;

/// The maximum memory of a pattern's states that a thread caches, in each of the two directions.
pub(super) const REMEMBERED_BYTES: usize = 1 << 20;

/// A search request.
#[derive(Debug)]
pub(super) struct Query {
    /// The URIs to search, with everything below them.
    pub(super) tops: Vec<String>,
    /// The pattern for the lines of files; `None` if only names are searched.
    pub(super) pattern: Option<RegexMatcher>,
    /// The words to rank sections of files by.
    pub(super) words: Option<Question>,
    pub(super) glob: Option<Globs>,
    pub(super) exclude: Option<Globs>,
    /// Whether globs may begin with the name of a mount, as the paths in results do.
    pub(super) has_mount_names: bool,
    /// The number of lines to show before and after each match.
    pub(super) context: usize,
    /// The maximum number of matches.
    pub(super) limit: usize,
    pub(super) is_case_ignored: bool,
}

impl Query {
    /// Whether paths must be matched against globs.
    pub(super) fn looks_at_names(&self) -> bool {
        self.glob.is_some() || self.exclude.is_some()
    }

    /// Whether the query only lists the direct contents of its tops.
    pub(super) fn is_listing(&self) -> bool {
        self.pattern.is_none() && self.words.is_none() && self.glob.is_none()
    }

    /// Whether the query finds the file at a URI if it exists.
    pub(super) fn covers(&self, uri: &str) -> bool {
        self.tops.iter().any(|top| {
            let path = uri::below(top, uri);
            uri == top
                || path.is_some_and(|path| {
                    let mut above = path.ancestors();
                    self.wants(top, &path) && !above.any(|path| self.excludes(top, path))
                })
        })
    }

    /// Whether the entry at this path below a top is left out, with everything below it.
    pub(super) fn excludes(&self, top: &str, path: &Path) -> bool {
        let globs = self.exclude.as_ref();
        globs.is_some_and(|globs| self.matches(globs, top, path))
    }

    /// Whether the entry at this path below a top may be found.
    pub(super) fn wants(&self, top: &str, path: &Path) -> bool {
        let globs = self.glob.as_ref();
        globs.is_none_or(|globs| self.matches(globs, top, path))
    }

    fn matches(&self, globs: &Globs, top: &str, path: &Path) -> bool {
        let with_mount = || Some(Path::new(&uri::mount_of(top).ok()?).join(path));
        globs.matches(path)
            || self.has_mount_names && with_mount().is_some_and(|path| globs.matches(&path))
    }
}

/// Whether one of these globs begins with the name of a mount.
pub(super) fn have_mount_names(globs: &[String], mounts: &[String]) -> bool {
    let mut firsts = globs.iter().filter_map(|glob| {
        let (first, _) = glob.trim_start_matches('/').split_once('/')?;
        Some(first)
    });
    firsts.any(|first| {
        let mut mounts = mounts.iter().filter_map(|uri| uri::mount_of(uri).ok());
        mounts.any(|mount| mount == first)
    })
}

/// Compiles a pattern for single lines, for an engine that takes linear time.
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
        .multi_line(true)
        .crlf(true)
        // Lines end with `
        // `, with or without a carriage return before it.
        .line_terminator(Some(b'\n'))
        .size_limit(COMPILED_BYTES)
        .dfa_size_limit(REMEMBERED_BYTES)
        .build(pattern)
        .map_err(|error| invalid(pattern, is_literal, &error))
}

/// Describes what is wrong with the pattern, and how to fix it.
fn invalid(pattern: &str, is_literal: bool, error: &grep_regex::Error) -> Problem {
    if matches!(error.kind(), ErrorKind::NotAllowed(_)) {
        return Problem::validation("pattern", "it can't match the end of a line.")
            .suggest("Lines are searched one by one: leave out anything on the next line.");
    }
    // The matcher wraps the pattern in a larger one, and reports positions in that one.
    let own = match regex_syntax::Parser::new().parse(pattern) {
        Err(regex_syntax::Error::Parse(error)) if !is_literal => {
            Some((error.kind().to_string(), error.span().start))
        }
        Err(regex_syntax::Error::Translate(error)) if !is_literal => {
            Some((error.kind().to_string(), error.span().start))
        }
        Ok(_) | Err(_) => None,
    };
    let Some((why, at)) = own else {
        return Problem::validation("pattern", format!("{error}."))
            .suggest("Simplify it: use shorter repetitions and fewer alternatives.");
    };
    let from = pattern.get(at.offset..).unwrap_or_default();
    Problem::validation("pattern", format!("{why}, at character {}: `{from}`.", at.column)).suggest(
        "Put \\ before a character that is meant literally, or set literal to take the whole pattern literally.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_with_a_pattern_is_said_with_its_place() {
        for (pattern, expected) in [
            ("a(bc", "unclosed group, at character 2: `(bc`."),
            ("x[a", "unclosed character class, at character 2: `[a`."),
            (
                "a(?=b)",
                "look-around, including look-ahead and look-behind, is not supported, at character 2: `(?=b)`.",
            ),
            (
                "*",
                "repetition operator missing expression, at character 1: `*`.",
            ),
            (
                "é\\k",
                "unrecognized escape sequence, at character 2: `\\k`.",
            ),
            (
                "\\p{Nope}",
                "Unicode property not found, at character 1: `\\p{Nope}`.",
            ),
            ("a\\nb", "it can't match the end of a line."),
            ("a\nb", "it can't match the end of a line."),
            (
                "(a{1000}){1000}",
                "compiled regex exceeds size limit of 4194304.",
            ),
        ] {
            let problem = super::pattern(pattern, false, false).unwrap_err();
            let expected = format!("Invalid value for 'pattern': {expected}");
            assert_eq!(problem.message(), expected, "{pattern}");
        }
        assert!(pattern("a(b", true, false).is_ok());
        assert!(pattern(&"x".repeat(PATTERN_BYTES + 1), false, false).is_err());
    }
}
