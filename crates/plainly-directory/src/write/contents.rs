//! Counts the entries of a directory to remove or rename. Each entry must be served: a caller can't
//! remove an entry that it can't see, and under another name the entry might become visible.

use std::rc::Rc;

use cap_std::fs::Metadata;
use plainly::store::WriteError;

use super::failure::denied;
use super::slot::{check_file, is_git};
use crate::own_names;
use crate::place::{OpenEntry, Place, Standing};

/// The contents of a directory or file.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Contents {
    pub(super) entries: u64,
    pub(super) bytes: u64,
}

impl Contents {
    /// The size of one file.
    pub(super) fn of_file(file: &Metadata) -> Self {
        Self {
            entries: 0,
            bytes: file.len(),
        }
    }

    /// Counts everything below a directory.
    pub(super) fn of(place: &Rc<Place>) -> Result<Self, WriteError> {
        let mut contents = Self::default();
        contents.add(place)?;
        Ok(contents)
    }

    fn add(&mut self, place: &Rc<Place>) -> Result<(), WriteError> {
        for entry in place.entries()? {
            let name = entry?.file_name();
            self.entries += 1;
            if own_names::is_leftover(&name) {
                // A leftover is removed with the directory.
                continue;
            }
            match place.standing(&name)? {
                Standing::Served(_) if is_git(&name) || place.has_rules(&name) => {
                    return Err(denied(
                        "something in it is never changed: git's own files, or one that decides \
                         which others are served",
                    ));
                }
                Standing::Served(OpenEntry::File(file)) => {
                    check_file(&file.metadata)?;
                    self.bytes += file.metadata.len();
                }
                Standing::Served(OpenEntry::Directory(inner)) => self.add(&inner)?,
                Standing::Absent => {}
                Standing::Other => {
                    return Err(denied(
                        "something in it is not served: a hidden or ignored name, a link or a \
                         device",
                    ));
                }
            }
        }
        Ok(())
    }
}
