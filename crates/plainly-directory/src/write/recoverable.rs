//! Reserves a place in the trash for an entry that a change replaces or removes.

use std::io;

use cap_std::fs::Metadata;
use plainly::store::WriteError;

use super::contents::Contents;
use super::failure::failed;
use super::slot::Slot;
use crate::trash::{Item, NoPlace, OTHER_DISK, TrashPlace};

/// Runs a change with a place in the trash for the entry in the slot and its contents. If there is
/// no place and `permanent` is set, runs the change without one.
pub(super) fn run<T>(
    slot: &Slot<'_>,
    present: &Metadata,
    contents: Contents,
    permanent: bool,
    change: impl Fn(Option<&TrashPlace<'_>>) -> Result<T, WriteError>,
) -> Result<T, WriteError> {
    let trash = place(slot, present, contents, permanent)?;
    match change(trash.as_ref()) {
        // Only the move to the trash shows that the entry is below another mount point of the same
        // disk.
        Err(WriteError::Permanent { .. }) if permanent => change(None),
        done => done,
    }
}

fn place<'a>(
    slot: &Slot<'a>,
    present: &Metadata,
    contents: Contents,
    permanent: bool,
) -> Result<Option<TrashPlace<'a>>, WriteError> {
    let root = slot.root;
    let path = slot.path();
    let item = Item::new(contents.bytes, contents.entries + path.len() as u64);
    match TrashPlace::prepare(&root.dir(), &root.trash, &path, present, item) {
        Ok(place) => Ok(Some(place)),
        Err(_) if permanent => Ok(None),
        Err(NoPlace::Unfit(why)) => Err(WriteError::Permanent { why }),
        Err(NoPlace::Failed(error)) if error.kind() == io::ErrorKind::ReadOnlyFilesystem => {
            Err(failed(error))
        }
        Err(NoPlace::Failed(error)) => {
            tracing::warn!(uri = root.uri, %error, "the trash can't be used");
            let why = "the trash can't be used".into();
            Err(WriteError::Permanent { why })
        }
    }
}

/// The error of a move to the trash.
pub(super) fn not_moved(error: io::Error) -> WriteError {
    match error.kind() == io::ErrorKind::CrossesDevices {
        true => WriteError::Permanent {
            why: OTHER_DISK.into(),
        },
        false => failed(error),
    }
}
