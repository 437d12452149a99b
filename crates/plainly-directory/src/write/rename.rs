//! Renames a resource to a name that doesn't exist.

use std::io;

use cap_std::fs::Metadata;
use plainly::store::WriteError;

use super::check;
use super::condition::Condition;
use super::failure::{denied, failed, unknown};
use super::slot::Slot;
use crate::handle;
use crate::place::OpenEntry;
use crate::step::ChangeStep;
use crate::system;

/// Renames the entry in the slot `from`; `None` if another program replaced it meanwhile.
pub(super) fn rename(
    from: &Slot<'_>,
    to: &Slot<'_>,
    condition: &Condition,
) -> Result<Option<Metadata>, WriteError> {
    let present = match check::to_rename(from, to, condition)? {
        OpenEntry::File(file) => {
            if !from.lock(&file)? {
                return Ok(None);
            }
            let present = file.file.metadata().map_err(failed)?;
            condition.check_file(&present)?;
            present
        }
        OpenEntry::Directory(place) => place.metadata()?,
    };
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
