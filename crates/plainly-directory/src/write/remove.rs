//! Removes resources, to the trash if possible.

use std::ffi::OsStr;
use std::io;
use std::rc::Rc;

use cap_std::fs::{Dir, Metadata};
use plainly::store::{Removed, WriteError};

use super::check;
use super::condition::Condition;
use super::contents::Contents;
use super::failure::{failed, unknown};
use super::slot::Slot;
use super::{recoverable, temporary};
use crate::place::{OpenEntry, OpenFile, Place};
use crate::step::ChangeStep;
use crate::system;
use crate::{content, handle, own_names};

/// The options of a removal.
#[derive(Debug)]
pub(super) struct Removal {
    pub(super) recursive: bool,
    pub(super) permanent: bool,
    pub(super) condition: Condition,
}

impl Removal {
    /// Removes the entry in the slot; `None` if another program replaced it meanwhile.
    pub(super) fn of(&self, slot: &Slot<'_>) -> Result<Option<Removed>, WriteError> {
        match check::present(slot, &self.condition)? {
            OpenEntry::File(file) => self.file(slot, &file),
            OpenEntry::Directory(place) => self.directory(slot, &place),
        }
    }

    fn file(&self, slot: &Slot<'_>, file: &OpenFile) -> Result<Option<Removed>, WriteError> {
        if !slot.lock(file)? {
            return Ok(None);
        }
        let present = file.file.metadata().map_err(failed)?;
        self.condition.check_file(&present)?;
        self.entry(slot, &present, Contents::of_file(&present), |name| {
            content::settle(&present);
            slot.dir().remove_file(name)
        })
    }

    fn directory(&self, slot: &Slot<'_>, place: &Rc<Place>) -> Result<Option<Removed>, WriteError> {
        let contents = match self.recursive {
            true => Contents::of(place)?,
            false => Contents::default(),
        };
        if contents.entries == 0 {
            return remove_empty(slot).map(Some);
        }
        let present = place.metadata()?;
        self.entry(slot, &present, contents, |name| {
            slot.dir().remove_dir_all(name)
        })
    }

    /// Moves an entry to the trash. Without a trash, gives it another name and calls `remove`.
    fn entry(
        &self,
        slot: &Slot<'_>,
        present: &Metadata,
        contents: Contents,
        remove: impl Fn(&OsStr) -> io::Result<()>,
    ) -> Result<Option<Removed>, WriteError> {
        recoverable::run(slot, present, contents, self.permanent, |trash| {
            slot.place.check()?;
            let Some(trash) = trash else {
                return for_good(slot, present, &remove);
            };
            let moved = rename(slot, trash.dir(), trash.file_name());
            moved.map_err(recoverable::not_moved)?;
            if !is_taken(slot, present, trash.dir(), trash.file_name())? {
                return Ok(None);
            }
            slot.sync()?;
            Ok(Some(Removed::new().restorable(trash.restorable())))
        })
    }
}

/// Gives an entry another name, and calls `remove`.
fn for_good(
    slot: &Slot<'_>,
    present: &Metadata,
    remove: impl Fn(&OsStr) -> io::Result<()>,
) -> Result<Option<Removed>, WriteError> {
    let name = own_names::taken();
    let moved = rename(slot, slot.dir(), &name).map_err(failed);
    let taken = moved.and_then(|()| is_taken(slot, present, slot.dir(), &name));
    if !taken.inspect_err(|_| temporary::set_aside(slot.dir(), &name))? {
        return Ok(None);
    }
    if let Err(error) = ChangeStep::Trash.begin().and_then(|()| remove(&name)) {
        // Moves the remaining part back to its name.
        system::rename_new(slot.dir(), &name, slot.dir(), &slot.name).map_err(unknown)?;
        return Err(match present.is_dir() {
            true => unknown(error),
            false => failed(error),
        });
    }
    slot.sync()?;
    Ok(Some(Removed::new()))
}

/// Renames the entry in the slot.
fn rename(slot: &Slot<'_>, to: &Dir, name: &OsStr) -> io::Result<()> {
    let begun = ChangeStep::Publish.begin();
    begun.and_then(|()| system::rename_new(slot.dir(), &slot.name, to, name))
}

/// Whether the renamed entry is the expected one. If not, it is renamed back; after an error it may
/// keep the new name.
fn is_taken(
    slot: &Slot<'_>,
    present: &Metadata,
    to: &Dir,
    name: &OsStr,
) -> Result<bool, WriteError> {
    let found = ChangeStep::Verify
        .begin()
        .and_then(|()| handle::look(to, name));
    if found
        .as_ref()
        .is_ok_and(|found| system::is_unchanged(found, present))
    {
        return Ok(true);
    }
    system::rename_new(to, name, slot.dir(), &slot.name).map_err(unknown)?;
    found.map_err(failed)?;
    Ok(false)
}

fn remove_empty(slot: &Slot<'_>) -> Result<Removed, WriteError> {
    slot.place.check()?;
    let removed = ChangeStep::Publish
        .begin()
        .and_then(|()| slot.dir().remove_dir(&slot.name));
    match removed {
        Ok(()) => slot.sync().map(|()| Removed::new()),
        Err(error) if error.kind() == io::ErrorKind::DirectoryNotEmpty => Err(WriteError::NotEmpty),
        Err(error) => Err(failed(error)),
    }
}
