//! Writes a content to a temporary file, and then gives it the name in one step.

use cap_std::fs::Metadata;
use plainly::store::WriteError;

use super::contents::Contents;
use super::failure::{denied, failed, unknown};
use super::slot::Slot;
use super::temporary::Temporary;
use super::{file_lock, recoverable, room};
use crate::content;
use crate::handle;
use crate::place::OpenFile;
use crate::step::ChangeStep;
use crate::system;
use crate::trash::TrashPlace;

/// The maximum number of exchanges to move files of other programs back to their place.
const EXCHANGES: usize = 8;

/// Creates a file under a checked name; `None` if the slot isn't empty any more.
pub(super) fn create(slot: &Slot<'_>, bytes: &[u8]) -> Result<Option<Metadata>, WriteError> {
    room::check(slot.dir(), bytes.len())?;
    let mut new = Temporary::create(slot.dir(), None)?;
    new.fill(bytes, slot.place.waiter())?;
    slot.place.check()?;
    ChangeStep::Publish.begin().map_err(failed)?;
    match system::rename_new(slot.dir(), &new.name, slot.dir(), &slot.name) {
        Ok(()) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => return Ok(None),
        Err(error) => return Err(failed(error)),
    }
    finish(slot, &new).map(Some)
}

/// Replaces a locked file; `None` if it isn't in the slot any more, or was changed.
pub(super) fn replace(
    slot: &Slot<'_>,
    old: &OpenFile,
    bytes: &[u8],
    permanent: bool,
) -> Result<Option<Metadata>, WriteError> {
    room::check(slot.dir(), bytes.len())?;
    let contents = Contents::of_file(&old.metadata);
    recoverable::run(slot, &old.metadata, contents, permanent, |trash| {
        exchange(slot, old, bytes, trash)
    })
}

fn exchange(
    slot: &Slot<'_>,
    old: &OpenFile,
    bytes: &[u8],
    trash: Option<&TrashPlace<'_>>,
) -> Result<Option<Metadata>, WriteError> {
    let mut new = Temporary::create(slot.dir(), Some(old))?;
    new.fill(bytes, slot.place.waiter())?;
    // Another process that finds the new file waits until the change is complete or undone.
    file_lock::lock(&new.file, slot.place.waiter())?;
    if trash.is_none() {
        // Without the trash, the inode of the old file becomes free, and a new file of the same
        // size may get it. Waiting ensures that the new file has another time.
        content::settle(&old.metadata);
    }
    slot.place.check()?;
    new.before_exchange()?;
    ChangeStep::Publish.begin().map_err(failed)?;
    let is_exchanged = system::exchange(slot.dir(), &new.name, &slot.name).map_err(failed)?;
    let is_done = match is_exchanged {
        true => put_away(slot, &new, old, trash)?,
        false => rename_over(slot, &new, old, trash)?,
    };
    if !is_done {
        return Ok(None);
    }
    finish(slot, &new).map(Some)
}

/// Moves the old file to the trash after the exchange. If it is not the expected file, undoes the
/// exchange and returns `false`.
fn put_away(
    slot: &Slot<'_>,
    new: &Temporary<'_>,
    old: &OpenFile,
    trash: Option<&TrashPlace<'_>>,
) -> Result<bool, WriteError> {
    let checked = ChangeStep::Verify
        .begin()
        .and_then(|()| handle::look(slot.dir(), &new.name));
    match checked {
        Ok(found) if system::is_unchanged(&found, &old.metadata) => {}
        Ok(_) => {
            back(slot, new)?;
            return Ok(false);
        }
        Err(error) => {
            back(slot, new)?;
            return Err(failed(error));
        }
    }
    let is_away = match trash {
        Some(trash) => trash.take(slot.dir(), &new.name),
        None => ChangeStep::Trash
            .begin()
            .and_then(|()| slot.dir().remove_file(&new.name)),
    };
    if let Err(error) = is_away {
        back(slot, new)?;
        return Err(recoverable::not_moved(error));
    }
    Ok(true)
}

/// Undoes an exchange. A file that another program puts in the slot meanwhile stays there; after an
/// error, it stays next to the slot.
fn back(slot: &Slot<'_>, new: &Temporary<'_>) -> Result<(), WriteError> {
    let own = new.file.metadata().map_err(unknown)?;
    for _ in 0..EXCHANGES {
        if !system::exchange(slot.dir(), &new.name, &slot.name).map_err(unknown)? {
            break;
        }
        let out = handle::look(slot.dir(), &new.name).map_err(unknown)?;
        if system::is_same(&out, &own) {
            return Ok(());
        }
    }
    Err(denied("other programs change this name all the time"))
}

/// Replaces the file where names can't be exchanged; `false` if the slot has another file.
pub(super) fn rename_over(
    slot: &Slot<'_>,
    new: &Temporary<'_>,
    old: &OpenFile,
    trash: Option<&TrashPlace<'_>>,
) -> Result<bool, WriteError> {
    ChangeStep::Verify.begin().map_err(failed)?;
    let found = handle::look(slot.dir(), &slot.name).map_err(failed)?;
    if !system::is_unchanged(&found, &old.metadata) {
        return Ok(false);
    }
    if let Some(trash) = trash {
        let linked = trash.link(slot.dir(), &slot.name);
        linked.map_err(recoverable::not_moved)?;
    }
    let renamed = slot.dir().rename(&new.name, slot.dir(), &slot.name);
    if renamed.is_err()
        && let Some(trash) = trash
    {
        trash.unlink().map_err(failed)?;
    }
    renamed.map(|()| true).map_err(failed)
}

/// Syncs the names to disk.
fn finish(slot: &Slot<'_>, new: &Temporary<'_>) -> Result<Metadata, WriteError> {
    slot.sync()?;
    new.file.metadata().map_err(unknown)
}
