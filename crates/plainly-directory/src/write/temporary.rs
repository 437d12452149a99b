//! A file under a name that is never served, next to its future place.

use std::ffi::{OsStr, OsString};
use std::io;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, File, OpenOptions};
use plainly::store::WriteError;

use super::failure::failed;
use super::pieces;
use crate::job::Waiter;
use crate::place::OpenFile;
use crate::step::ChangeStep;
use crate::{handle, own_names, system};

/// A file that is being written. If it still has its name when dropped, it is removed.
#[derive(Debug)]
pub(super) struct Temporary<'a> {
    dir: &'a Dir,
    pub(super) name: OsString,
    pub(super) file: File,
}

impl<'a> Temporary<'a> {
    /// Creates an empty file, with the group, attributes and mode of `like` if given.
    pub(super) fn create(dir: &'a Dir, like: Option<&OpenFile>) -> Result<Self, WriteError> {
        ChangeStep::Create.begin().map_err(failed)?;
        let mut options = OpenOptions::new();
        options
            .write(true)
            .create_new(true)
            .follow(FollowSymlinks::No);
        if like.is_some() {
            system::make_private(&mut options);
        }
        let name = own_names::temporary();
        let file = dir.open_with(&name, &options).map_err(failed)?;
        let temporary = Self { dir, name, file };
        if let Some(like) = like {
            system::make_like(&temporary.file, &like.file, &like.metadata).map_err(failed)?;
        }
        Ok(temporary)
    }

    /// Writes the content, and syncs it to disk.
    pub(super) fn fill(&mut self, content: &[u8], waiter: &Waiter) -> Result<(), WriteError> {
        pieces::write(&mut self.file, content, waiter, &mut 0)?;
        ChangeStep::Sync.begin().map_err(failed)?;
        self.file.sync_all().map_err(failed)
    }

    /// Gives the file the name of an entry that is being removed, because the exchange moves
    /// another file there.
    pub(super) fn before_exchange(&mut self) -> Result<(), WriteError> {
        let name = own_names::taken();
        system::rename_new(self.dir, &self.name, self.dir, &name).map_err(failed)?;
        self.name = name;
        Ok(())
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        let (Ok(found), Ok(own)) = (handle::look(self.dir, &self.name), self.file.metadata())
        else {
            // If the file remains, a later start removes it.
            return;
        };
        match system::is_same(&found, &own) {
            true => drop(self.dir.remove_file(&self.name)),
            false => set_aside(self.dir, &self.name),
        }
    }
}

/// Renames another program's file, which an exchange left under a temporary name, to a name that
/// stays.
pub(super) fn set_aside(dir: &Dir, name: &OsStr) {
    let conflict = own_names::conflict();
    match system::rename_new(dir, name, dir, &conflict) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(?name, %error, "a file of another program has this name now"),
        Ok(()) => tracing::warn!(?conflict, "a file of another program has this name now"),
    }
}
