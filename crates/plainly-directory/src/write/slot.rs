//! The slot of a resource that is to be changed: a name in an open directory, and the entry there.

use std::ffi::{OsStr, OsString};
use std::rc::Rc;

use cap_fs_ext::MetadataExt;
use cap_std::fs::{Dir, FileType, Metadata};
use plainly::store::{StoreError, WriteError};

use super::failure::{NOT_SERVED, denied, invalid, unknown};
use super::file_lock;
use super::name;
use crate::handle;
use crate::mount::Root;
use crate::place::{OpenEntry, OpenFile, Place, Standing};
use crate::request::{Request, Target};
use crate::step::ChangeStep;
use crate::system;
use crate::uri::Location;

/// Whether this is the name of a git directory, where git stores its configuration and its hooks.
pub(super) fn is_git(name: &OsStr) -> bool {
    name.eq_ignore_ascii_case(".git")
}

/// A name in a directory of a mount.
pub(super) struct Slot<'a> {
    pub(super) root: &'a Root,
    pub(super) place: Rc<Place>,
    pub(super) name: OsString,
    /// The URI in the spelling of listings.
    pub(super) uri: String,
    /// Whether the URI ends with a slash, which only a directory's URI may do.
    pub(super) is_directory: bool,
}

impl<'a> Slot<'a> {
    /// The slot of a URI. Its directory must exist.
    pub(super) fn find(request: &Request<'a>, uri: &str) -> Result<Self, WriteError> {
        let Target {
            root,
            mut path,
            uri: listed,
            ..
        } = writable(request, uri)?;
        let name = path
            .pop()
            .ok_or_else(|| denied("a served directory itself can't be changed"))?;
        match request.place(root).open(&path)? {
            OpenEntry::Directory(place) => Ok(Self {
                root,
                place,
                name,
                uri: listed,
                is_directory: uri.ends_with('/'),
            }),
            OpenEntry::File(_) => Err(StoreError::NotFound.into()),
        }
    }

    pub(super) fn dir(&self) -> &Dir {
        self.place.dir()
    }

    /// The resource in the slot; `None` if there is none.
    pub(super) fn resource(&self) -> Result<Option<OpenEntry>, WriteError> {
        if self.place.has_rules(&self.name) {
            return Err(denied("this file decides which others are served"));
        }
        if is_git(&self.name) || self.place.is_in(is_git) {
            return Err(denied("git's own files decide which programs git runs"));
        }
        match self.place.standing(&self.name)? {
            Standing::Absent => Ok(None),
            Standing::Served(OpenEntry::File(_)) if self.is_directory => {
                Err(StoreError::NotFound.into())
            }
            Standing::Served(entry) => Ok(Some(entry)),
            Standing::Other => Err(denied(NOT_SERVED)),
        }
    }

    /// Fails if a resource of this kind can't be created in the empty slot. `leaving` is a name
    /// that will be gone from the directory by then.
    pub(super) fn check_new(
        &self,
        kind: FileType,
        leaving: Option<&OsStr>,
    ) -> Result<(), WriteError> {
        if self.is_directory && kind.is_file() {
            return Err(invalid(
                "it ends with a slash, as only those of directories do",
            ));
        }
        if kind.is_dir() && self.root.file.is_some() {
            return Err(denied("only a file is served here"));
        }
        if !self.place.shows(&self.name, Some(kind))? {
            return Err(denied(NOT_SERVED));
        }
        name::check(&self.place, &self.name, leaving)
    }

    /// Locks a file of this slot against other processes while it is open; `false` if it isn't in
    /// the slot any more.
    pub(super) fn lock(&self, file: &OpenFile) -> Result<bool, WriteError> {
        file_lock::lock(&file.file, &file.waiter)?;
        Ok(self.holds(&file.metadata))
    }

    /// Whether the slot contains this entry.
    pub(super) fn holds(&self, entry: &Metadata) -> bool {
        handle::look(self.dir(), &self.name).is_ok_and(|found| system::is_same(&found, entry))
    }

    /// Syncs the names in the directory to disk.
    pub(super) fn sync(&self) -> Result<(), WriteError> {
        ChangeStep::SyncDirectory
            .begin()
            .and_then(|()| system::sync(self.dir()))
            .map_err(unknown)
    }

    /// The path from the root of the mount to this slot, without links.
    pub(super) fn path(&self) -> Vec<OsString> {
        let mut path = self.place.path();
        path.push(self.name.clone());
        path
    }
}

/// The target of a URI in a writable mount.
pub(super) fn writable<'a>(request: &Request<'a>, uri: &str) -> Result<Target<'a>, WriteError> {
    let location = match Location::parse(uri) {
        // Reading reports such a name as missing.
        Err(StoreError::NotFound) => return Err(invalid("it has a name that no file can have")),
        location => location?,
    };
    let target = request.mounts.target(location);
    let target = target.ok_or(StoreError::NotFound)?;
    if !target.root.is_writable {
        return Err(denied("the directory is served read-only"));
    }
    Ok(target)
}

/// Fails if the file may not be changed.
pub(super) fn check_file(file: &Metadata) -> Result<(), WriteError> {
    if file.nlink() > 1 {
        return Err(denied("the file has more than one name (hard links)"));
    }
    if !system::is_own(file) {
        return Err(denied("the file belongs to another user than the server"));
    }
    Ok(())
}
