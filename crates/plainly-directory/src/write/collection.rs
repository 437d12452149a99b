//! Creating directories.

use std::io;
use std::rc::Rc;

use cap_std::fs::FileType;
use plainly::store::{StoreError, WriteError};

use super::failure::failed;
use super::slot::{Slot, writable};
use crate::place::{OpenEntry, Place};
use crate::request::{Request, Target};
use crate::step::ChangeStep;

/// Creates each directory on the way to a URI that doesn't exist.
pub(super) fn create(request: &Request<'_>, uri: &str) -> Result<(), WriteError> {
    let Target {
        root, path, uri, ..
    } = writable(request, uri)?;
    let mut at = request.place(root);
    for name in path {
        at = match at.open(std::slice::from_ref(&name)) {
            Ok(OpenEntry::Directory(place)) => place,
            Ok(OpenEntry::File(_)) => return Err(WriteError::Exists),
            Err(StoreError::NotFound) => inner(&Slot {
                root,
                place: at,
                name,
                uri: uri.clone(),
                is_directory: true,
            })?,
            Err(error) => return Err(error.into()),
        };
    }
    Ok(())
}

/// Creates one directory, and enters it.
fn inner(slot: &Slot<'_>) -> Result<Rc<Place>, WriteError> {
    if slot.resource()?.is_none() {
        slot.check_new(FileType::dir(), None)?;
        slot.place.check()?;
        let created = ChangeStep::Create
            .begin()
            .and_then(|()| slot.dir().create_dir(&slot.name));
        match created {
            Ok(()) => slot.sync()?,
            // By another caller, at the same time.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
    match slot.place.open(std::slice::from_ref(&slot.name))? {
        OpenEntry::Directory(place) => Ok(place),
        OpenEntry::File(_) => Err(WriteError::Exists),
    }
}
