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

/// Creates each missing directory on the path of a URI.
pub(super) fn create(request: &Request<'_>, uri: &str) -> Result<(), WriteError> {
    go(request, uri, |slot| inner(slot).map(Some))
}

/// Fails if the first missing directory can't be created.
pub(super) fn check(request: &Request<'_>, uri: &str) -> Result<(), WriteError> {
    go(request, uri, |slot| check_absent(slot).map(|_| None))
}

/// Walks the path of a URI, and calls `absent` for a missing directory. Stops if that returns
/// `None`.
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

/// Whether the directory is missing. Fails if it is and can't be created.
fn check_absent(slot: &Slot<'_>) -> Result<bool, WriteError> {
    let is_absent = slot.resource()?.is_none();
    if is_absent {
        slot.check_new(FileType::dir(), None)?;
    }
    Ok(is_absent)
}

/// Creates one directory, and opens it.
fn inner(slot: &Slot<'_>) -> Result<Rc<Place>, WriteError> {
    if check_absent(slot)? {
        slot.place.check()?;
        let created = ChangeStep::Create
            .begin()
            .and_then(|()| slot.dir().create_dir(&slot.name));
        match created {
            Ok(()) => slot.sync()?,
            // Another caller created it at the same time.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(failed(error)),
        }
    }
    match slot.place.open(std::slice::from_ref(&slot.name))? {
        OpenEntry::Directory(place) => Ok(place),
        OpenEntry::File(_) => Err(WriteError::Exists),
    }
}
