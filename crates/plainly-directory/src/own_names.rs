//! Names of the store's own files in a mount. They are never served, no matter which program made them.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher};

/// The directory for what was removed or overwritten, in the root of a mount.
pub(super) const TRASH: &str = ".plainly-trash";

/// The beginning of the name of a file that is being written, or of what is being taken away.
const START: &str = ".plainly-";

/// The end of the name of a file that is being written.
const TEMPORARY: &str = ".tmp";

/// The end of the name of what is being taken away.
const TAKEN: &str = ".old";

/// The digits between them.
const DIGITS: usize = 16;

/// A name for a file that is being written.
pub(super) fn temporary() -> OsString {
    format!("{START}{:0DIGITS$x}{TEMPORARY}", random()).into()
}

/// A name for what is being taken away: until it was looked at, it may be of another program.
pub(super) fn taken() -> OsString {
    format!("{START}{:0DIGITS$x}{TAKEN}", random()).into()
}

/// A name for another program's file that can't go back to its place. It is served as any other, and stays.
pub(super) fn conflict() -> OsString {
    format!("plainly-conflict-{:0DIGITS$x}", random()).into()
}

/// A number that can't be guessed.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Whether it is the name of a file that was being written.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    ends_with(name, TEMPORARY)
}

/// Whether it is the name of something that was being taken away.
pub(super) fn is_taken(name: &OsStr) -> bool {
    ends_with(name, TAKEN)
}

fn ends_with(name: &OsStr, end: &str) -> bool {
    name.to_str()
        .and_then(|name| name.strip_prefix(START)?.strip_suffix(end))
        .is_some_and(|digits| {
            digits.len() == DIGITS && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
        })
}

/// Whether a change that was killed may have left something under this name.
pub(super) fn is_leftover(name: &OsStr) -> bool {
    is_temporary(name) || is_taken(name)
}

/// Whether a file of this name is never served.
pub(super) fn is_own(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(TRASH) || is_leftover(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_names_are_recognised() {
        assert!(is_own(&temporary()));
        assert!(is_own(&taken()) && is_taken(&taken()) && !is_temporary(&taken()));
        assert_ne!(temporary(), temporary());
        assert!(!is_own(&conflict()));
        for (name, expected) in [
            (".plainly-trash", true),
            (".Plainly-Trash", true),
            (".plainly-0123456789abcdef.tmp", true),
            (".plainly-0123456789abcdef.old", true),
            (".plainly-0123456789abcdeg.tmp", false),
            (".plainly-0123456789abcde.tmp", false),
            (".plainly-notes.tmp", false),
            (".plainly", false),
            ("plainly-trash", false),
        ] {
            assert_eq!(is_own(OsStr::new(name)), expected, "{name}");
        }
    }
}
