//! The trash of a mount. Each removed or overwritten file keeps its old path, in a directory of its
//! own, so that an operator finds it without tools. Only the server's user can access the trash,
//! and it is never served.

mod item;
mod ledger;

use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::{DirExt, MetadataExt};
use cap_std::fs::{Dir, Metadata};

use super::own_names::TRASH;
use super::step::ChangeStep;
use super::system;

pub(super) use self::item::Item;
pub(super) use self::ledger::Ledger;

/// The reason why an entry on another disk can't be moved to the trash.
pub(super) const OTHER_DISK: &str = "it is on another disk than the trash";

/// A place for an entry in the trash. If it is still empty when dropped, it is removed.
#[derive(Debug)]
pub(super) struct TrashPlace<'a> {
    ledger: &'a Ledger,
    trash: Dir,
    item: Item,
    /// The directory that will contain the entry.
    dir: Dir,
    name: OsString,
    /// The path from the trash to that directory.
    way: PathBuf,
}

/// The reason why there is no place in the trash.
#[derive(Debug)]
pub(super) enum NoPlace {
    /// The trash can't take this entry.
    Unfit(Cow<'static, str>),
    /// The operating system failed.
    Failed(io::Error),
}

impl From<io::Error> for NoPlace {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl<'a> TrashPlace<'a> {
    /// Prepares a place for the entry at `path` in a mount, and reserves the size of `item`.
    pub(super) fn prepare(
        root: &Dir,
        ledger: &'a Ledger,
        path: &[OsString],
        thing: &Metadata,
        item: Item,
    ) -> Result<Self, NoPlace> {
        ChangeStep::PrepareTrash.begin()?;
        if item.room() > ledger::MAX_BYTES {
            return Err(NoPlace::Unfit("it is larger than the trash".into()));
        }
        if root.dir_metadata()?.dev() != thing.dev() {
            return Err(NoPlace::Unfit(OTHER_DISK.into()));
        }
        let Some((name, parents)) = path.split_last() else {
            return Err(io::Error::from(io::ErrorKind::InvalidInput).into());
        };
        let trash = open_or_create(root)?;
        ledger.take(&trash, item.room())?;
        let mut place = Self {
            ledger,
            dir: trash.try_clone()?,
            trash,
            item,
            name: name.clone(),
            way: PathBuf::new(),
        };
        place.enter(OsStr::new(&place.item.to_string()), None)?;
        let mut way = PathBuf::new();
        for parent in parents {
            way.push(parent);
            place.enter(parent, root.symlink_metadata(&way).ok().as_ref())?;
        }
        Ok(place)
    }

    /// Creates a directory with the rights of `like`, which it replaces if that is gone when the
    /// entry is restored.
    fn enter(&mut self, name: &OsStr, like: Option<&Metadata>) -> io::Result<()> {
        self.dir
            .create_dir_with(name, &system::directory_builder())?;
        if let Some(like) = like {
            system::make_directory_like(&self.dir, name, like)?;
        }
        self.way.push(name);
        self.dir = self.dir.open_dir_nofollow(name)?;
        Ok(())
    }

    /// The directory that will contain the entry.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The entry's name in that directory.
    pub(super) fn file_name(&self) -> &OsStr {
        &self.name
    }

    /// Moves the entry to its place.
    pub(super) fn take(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        ChangeStep::Trash.begin()?;
        system::rename_new(dir, name, &self.dir, &self.name)
    }

    /// Adds a hard link to the entry at its place.
    pub(super) fn link(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        ChangeStep::Trash.begin()?;
        dir.hard_link(name, &self.dir, &self.name)
    }

    /// Removes that hard link again.
    pub(super) fn unlink(&self) -> io::Result<()> {
        self.dir.remove_file(&self.name)
    }

    /// The name with which the entry can be restored.
    pub(super) fn restorable(&self) -> String {
        self.item.to_string()
    }
}

impl Drop for TrashPlace<'_> {
    fn drop(&mut self) {
        // Removes only empty directories. Only the disk shows whether an entry arrived, even after
        // an error.
        let mut dirs = self.way.ancestors().filter(|dir| *dir != Path::new(""));
        if dirs.all(|dir| self.trash.remove_dir(dir).is_ok()) {
            self.ledger.give_back(self.item.room());
        }
    }
}

/// Opens the trash in the root of a mount.
pub(super) fn open(root: &Dir) -> io::Result<Dir> {
    let trash = root.open_dir_nofollow(TRASH)?;
    match system::is_own(&trash.dir_metadata()?) {
        true => Ok(trash),
        false => Err(io::ErrorKind::PermissionDenied.into()),
    }
}

fn open_or_create(root: &Dir) -> io::Result<Dir> {
    match open(root) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    match root.create_dir_with(TRASH, &system::directory_builder()) {
        // Another change may have created the trash at the same time.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let trash = open(root)?;
    trash.write(".gitignore", "*\n")?;
    Ok(trash)
}

/// Removes entries that are too old.
pub(super) fn sweep(root: &Dir, ledger: &Ledger) -> io::Result<()> {
    match open(root) {
        Ok(trash) => ledger.take(&trash, 0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
