//! Giving a resource another name, at which nothing exists.

use std::io;

use cap_std::fs::{FileType, Metadata};
use plainly::store::{StoreError, WriteError};

use super::condition::Condition;
use super::contents::Contents;
use super::failure::{denied, failed, unknown};
use super::slot::{Slot, check_file};
use crate::handle;
use crate::place::OpenEntry;
use crate::step::ChangeStep;
use crate::system;

/// Renames what is in the slot `from`; `None` if that is something else meanwhile.
pub(super) fn rename(
    from: &Slot<'_>,
    to: &Slot<'_>,
    condition: &Condition,
) -> Result<Option<Metadata>, WriteError> {
    let Some(entry) = from.resource()? else {
        condition.check_absent()?;
        return Err(StoreError::NotFound.into());
    };
    let (present, kind) = match &entry {
        OpenEntry::File(file) => {
            check_file(&file.metadata)?;
            if !from.lock(file)? {
                return Ok(None);
            }
            let present = file.file.metadata().map_err(failed)?;
            condition.check_file(&present)?;
            (present, FileType::file())
        }
        OpenEntry::Directory(place) => {
            condition.check_directory()?;
            (place.metadata()?, FileType::dir())
        }
    };
    if to.resource()?.is_some() {
        return Err(WriteError::Exists);
    }
    let is_beside = system::is_same(&from.place.metadata()?, &to.place.metadata()?);
    to.check_new(kind, is_beside.then_some(&from.name))?;
    if let OpenEntry::Directory(place) = &entry {
        Contents::of(place)?;
    }
    from.place.check()?;
    ChangeStep::Publish
        .begin()
        .and_then(|()| system::rename_new(from.dir(), &from.name, to.dir(), &to.name))
        .map_err(refused)?;
    let found = ChangeStep::Verify
        .begin()
        .and_then(|()| handle::look(to.dir(), &to.name))
        .map_err(unknown)?;
    if !system::is_unchanged(&found, &present) {
        system::rename_new(to.dir(), &to.name, from.dir(), &from.name).map_err(unknown)?;
        return Ok(None);
    }
    to.sync()?;
    from.sync()?;
    Ok(Some(found))
}

fn refused(error: io::Error) -> WriteError {
    use io::ErrorKind as Kind;

    let kind = error.kind();
    if kind == Kind::AlreadyExists {
        WriteError::Exists
    } else if kind == Kind::CrossesDevices {
        WriteError::Unsupported {
            what: "rename from one disk to another".into(),
        }
    } else if kind == Kind::InvalidInput {
        denied("a directory can't be moved into itself")
    } else {
        failed(error)
    }
}
