//! Globs over the paths below a collection, with the rules of `.gitignore`: a glob without a slash
//! matches names at any depth; a glob with one matches the path from the top.

use std::path::Path;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use plainly_errors::Problem;

/// The maximum number of globs in one argument.
const MOST: usize = 64;

/// The maximum length of a glob, in bytes.
const LONGEST: usize = 1024;

/// Globs from an argument of a tool. Globs without a slash match names at any depth, globs with a
/// slash match paths from the top.
#[derive(Clone, Debug)]
pub struct Globs(GlobSet);

impl Globs {
    /// Compiles the argument `field`; `None` if it is empty.
    pub fn compile(field: &'static str, globs: &[String]) -> Result<Option<Self>, Problem> {
        if globs.is_empty() {
            return Ok(None);
        }
        if globs.len() > MOST {
            let why = format!("{} globs are more than the limit of {MOST}.", globs.len());
            return Err(Problem::validation(field, why));
        }
        let mut set = GlobSetBuilder::new();
        for glob in globs {
            let invalid = |why: String| {
                Problem::validation(field, why).suggest(
                    "In a glob, * stands for any characters except a slash, ? for one, ** for any directories, [ab] and {a,b} \
                     for alternatives, as in *.rs or src/**/*.{ts,tsx}; \\ before one of these makes it literal.",
                )
            };
            if glob.len() > LONGEST {
                return Err(invalid(format!("a glob has at most {LONGEST} bytes.")));
            }
            let compiled = GlobBuilder::new(&anchored(glob))
                .literal_separator(true)
                .backslash_escape(true)
                .build()
                .map_err(|error| invalid(format!("{glob:?}: {}.", error.kind())))?;
            set.add(compiled);
        }
        let set = set
            .build()
            .map_err(|error| Problem::validation(field, format!("{}.", error.kind())))?;
        Ok(Some(Self(set)))
    }

    /// Whether one of the globs matches this path from the top.
    pub fn matches(&self, path: &Path) -> bool {
        self.0.is_match(path)
    }
}

/// The equivalent glob for whole paths.
fn anchored(glob: &str) -> String {
    let glob = glob.strip_suffix('/').unwrap_or(glob);
    match glob.strip_prefix('/') {
        Some(rest) => rest.to_owned(),
        None if glob.contains('/') => glob.to_owned(),
        None => format!("**/{glob}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_glob_is_of_names_or_of_paths() {
        for (glob, path, expected) in [
            ("*.rs", "a.rs", true),
            ("*.rs", "src/deep/a.rs", true),
            ("/*.rs", "a.rs", true),
            ("/*.rs", "src/a.rs", false),
            ("src/*.rs", "src/a.rs", true),
            ("src/*.rs", "src/deep/a.rs", false),
            ("src/**/*.rs", "src/deep/a.rs", true),
            ("src/**/*.rs", "src/a.rs", true),
            ("**/deep", "src/deep", true),
            ("deep/", "src/deep", true),
            ("*.{a,b}", "x.b", true),
            ("*.RS", "a.rs", false),
            ("a?c", "abc", true),
            ("a\\*c", "a*c", true),
            ("a\\*c", "abc", false),
        ] {
            let globs = Globs::compile("glob", &[glob.to_owned()]).unwrap().unwrap();
            assert_eq!(globs.matches(Path::new(path)), expected, "{glob} {path}");
        }
    }

    #[test]
    fn what_is_no_glob_is_said() {
        let problem = Globs::compile("exclude", &["src/[a".to_owned()]).unwrap_err();
        assert_eq!(
            problem.message(),
            "Invalid value for 'exclude': \"src/[a\": unclosed character class; missing ']'."
        );
        assert!(Globs::compile("glob", &["x".repeat(LONGEST + 1)]).is_err());
        assert!(Globs::compile("glob", &vec!["x".to_owned(); MOST + 1]).is_err());
        assert!(Globs::compile("glob", &[]).unwrap().is_none());
    }
}
