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
    go(request, uri, |slot| inner(slot).map(Some))
}

/// Fails if the first directory that doesn't exist can't be created.
pub(super) fn check(request: &Request<'_>, uri: &str) -> Result<(), WriteError> {
    go(request, uri, |slot| check_absent(slot).map(|_| None))
}

/// Goes the way to a URI, by `absent` where there is no directory; `None` ends it.
fn go(
    request: &Request<'_>,
    uri: &str,
    absent: impl Fn(&Slot<'_>) -> Result<Option<Rc<Place>>, WriteError>,
) -> Result<(), WriteError> {
    let Target {
        root, path, uri, ..
    } = writable(request, uri)?;
    let mut at = request.place(root);
    for name in path {
        at = match at.open(std::slice::from_ref(&name)) {
            Ok(OpenEntry::Directory(place)) => place,
            Ok(OpenEntry::File(_)) => return Err(WriteError::Exists),
            Err(StoreError::NotFound) => {
                let slot = Slot {
                    root,
                    place: at,
                    name,
                    uri: uri.clone(),
                    is_directory: true,
                };
                match absent(&slot)? {
                    Some(place) => place,
                    None => return Ok(()),
                }
            }
            Err(error) => return Err(error.into()),
        };
    }
    Ok(())
}

/// Whether there is nothing, and a directory can be created.
fn check_absent(slot: &Slot<'_>) -> Result<bool, WriteError> {
    let is_absent = slot.resource()?.is_none();
    if is_absent {
        slot.check_new(FileType::dir(), None)?;
    }
    Ok(is_absent)
}

/// Creates one directory, and enters it.
fn inner(slot: &Slot<'_>) -> Result<Rc<Place>, WriteError> {
    if check_absent(slot)? {
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
