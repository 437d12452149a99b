//! A file under a name that is never served, beside the place where it is to be.

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

/// A file that is being written. Dropped, it is removed if it still has the name.
#[derive(Debug)]
pub(super) struct Temporary<'a> {
    dir: &'a Dir,
    pub(super) name: OsString,
    pub(super) file: File,
}

impl<'a> Temporary<'a> {
    /// Creates an empty file; of the group, attributes and mode of `like`, if that is given.
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

    /// Writes the content, to the disk.
    pub(super) fn fill(&mut self, content: &[u8], waiter: &Waiter) -> Result<(), WriteError> {
        pieces::write(&mut self.file, content, waiter, &mut 0)?;
        ChangeStep::Sync.begin().map_err(failed)?;
        self.file.sync_all().map_err(failed)
    }

    /// Gives the file the name of something that is taken away, before the name is exchanged for another file's.
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
            // A later start removes a file that remains.
            return;
        };
        match system::is_same(&found, &own) {
            true => drop(self.dir.remove_file(&self.name)),
            false => set_aside(self.dir, &self.name),
        }
    }
}

/// Gives another program's file, which an exchange left under a name of our own, a name that stays.
pub(super) fn set_aside(dir: &Dir, name: &OsStr) {
    let conflict = own_names::conflict();
    match system::rename_new(dir, name, dir, &conflict) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => tracing::warn!(?name, %error, "a file of another program has this name now"),
        Ok(()) => tracing::warn!(?conflict, "a file of another program has this name now"),
    }
}
