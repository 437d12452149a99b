//! Names of the store's own files in a mount. They are never served, whichever program created
//! them.

use std::collections::hash_map::RandomState;
use std::ffi::{OsStr, OsString};
use std::hash::{BuildHasher, Hasher};

/// The directory for removed and overwritten files, in the root of a mount.
pub(super) const TRASH: &str = ".plainly-trash";

/// The prefix of the names of temporary files and of entries that are being removed.
const START: &str = ".plainly-";

/// The suffix of the name of a file that is being written.
const TEMPORARY: &str = ".tmp";

/// The suffix of the name of an entry that is being removed.
const TAKEN: &str = ".old";

/// The number of hexadecimal digits between prefix and suffix.
const DIGITS: usize = 16;

/// A new name for a file that is being written.
pub(super) fn temporary() -> OsString {
    format!("{START}{:0DIGITS$x}{TEMPORARY}", random()).into()
}

/// A new name for an entry that is being removed. Until it was checked, it may belong to another
/// program.
pub(super) fn taken() -> OsString {
    format!("{START}{:0DIGITS$x}{TAKEN}", random()).into()
}

/// A new name for another program's file that can't be moved back. It is served like any other and
/// stays.
pub(super) fn conflict() -> OsString {
    format!("plainly-conflict-{:0DIGITS$x}", random()).into()
}

/// A number that can't be guessed.
pub(super) fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// Whether this is the name of a file that was being written.
pub(super) fn is_temporary(name: &OsStr) -> bool {
    ends_with(name, TEMPORARY)
}

/// Whether this is the name of an entry that was being removed.
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

/// Whether a killed change may have left a file of this name.
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
