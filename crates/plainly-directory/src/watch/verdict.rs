//! What a name that was noticed comes to, given what the store's own walk finds there now. Tells nothing itself.

use std::ffi::OsStr;

use cap_std::fs::FileType;
use plainly::store::StoreError;

use super::At;
use super::noticed::What;
use crate::place::Opened;

/// The change of a name that may be told.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    Nothing,
    /// It stands for what it stood for, and that is another.
    Edited,
    /// A file came, went or took the place of another.
    File,
    /// The same of what is or may have been a directory.
    Tree,
}

pub(super) fn verdict(
    at: &At,
    name: &OsStr,
    what: What,
    found: Option<&Opened>,
) -> Result<Verdict, StoreError> {
    let gone = |kind: Option<FileType>| {
        Ok(match at.place.shows(name, kind)? {
            true if kind.is_some_and(|kind| kind.is_file()) => Verdict::File,
            true => Verdict::Tree,
            false => Verdict::Nothing,
        })
    };
    match (found, what, at.place.kind(name)) {
        (Some(_), What::Changed, _) => Ok(Verdict::Edited),
        (Some(Opened::File(_)), What::Moved(_), _) => Ok(Verdict::File),
        (Some(Opened::Directory(_)), What::Moved(_), _) => Ok(Verdict::Tree),
        // It may be read no longer.
        (None, What::Changed, Some(kind)) if kind.is_file() || kind.is_dir() => gone(Some(kind)),
        (None, What::Moved(kind), None) => gone(kind),
        // What was never shown: a link that leads out, a pipe. Or its end will be noticed for itself.
        (None, What::Moved(_), Some(_)) | (None, What::Changed, _) => Ok(Verdict::Nothing),
    }
}
