//! A file under a name that is never served, beside the place where it is to be.

use std::ffi::OsString;

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions};
use plainly::store::WriteError;

use super::failure::failed;
use super::pieces;
use crate::job::Waiter;
use crate::own_names;
use crate::step::ChangeStep;
use crate::system;

/// A file that is being written. Dropped, it is removed, unless it was kept.
#[derive(Debug)]
pub(super) struct Temporary<'a> {
    dir: &'a Dir,
    pub(super) name: OsString,
    pub(super) file: File,
    is_kept: bool,
}

impl<'a> Temporary<'a> {
    /// Creates an empty file; of the group and mode of `like`, if that is given.
    pub(super) fn create(dir: &'a Dir, like: Option<&Metadata>) -> Result<Self, WriteError> {
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
        let temporary = Self {
            dir,
            name,
            file,
            is_kept: false,
        };
        if let Some(like) = like {
            system::make_like(&temporary.file, like).map_err(failed)?;
        }
        Ok(temporary)
    }

    /// Writes the content, to the disk.
    pub(super) fn fill(&mut self, content: &[u8], waiter: &Waiter) -> Result<(), WriteError> {
        pieces::write(&mut self.file, content, waiter, &mut 0)?;
        ChangeStep::Sync.begin().map_err(failed)?;
        self.file.sync_all().map_err(failed)
    }

    /// Leaves what has the name now.
    pub(super) fn keep(&mut self) {
        self.is_kept = true;
    }
}

impl Drop for Temporary<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            // What remains is removed at the next start.
            let _removed = self.dir.remove_file(&self.name);
        }
    }
}
