//! The trash of a mount: removed and overwritten files, each under its old path in a directory of its own, so that an operator
//! finds it without a tool too. Only for the user of the server, and never served.

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

/// The reason why something can't be moved to the trash.
pub(super) const OTHER_DISK: &str = "it is on another disk than the trash";

/// A place in the trash. Dropped, it is removed if nothing is in it.
#[derive(Debug)]
pub(super) struct TrashPlace<'a> {
    ledger: &'a Ledger,
    trash: Dir,
    item: Item,
    /// The directory in which the thing will be.
    dir: Dir,
    name: OsString,
    /// The way from the trash to it.
    way: PathBuf,
}

/// The reason why there is no place.
#[derive(Debug)]
pub(super) enum NoPlace {
    /// The thing has no place in this trash.
    Unfit(Cow<'static, str>),
    /// The operating system makes none.
    Failed(io::Error),
}

impl From<io::Error> for NoPlace {
    fn from(error: io::Error) -> Self {
        Self::Failed(error)
    }
}

impl<'a> TrashPlace<'a> {
    /// Makes a place for the thing at `path` in a mount, which takes the room of `item`.
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

    /// Creates a directory like another one, whose place it takes if that is gone when the thing is restored.
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

    /// The directory in which the thing will be.
    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The name of the thing in that directory.
    pub(super) fn file_name(&self) -> &OsStr {
        &self.name
    }

    /// Moves the thing there.
    pub(super) fn take(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        ChangeStep::Trash.begin()?;
        system::rename_new(dir, name, &self.dir, &self.name)
    }

    /// Gives the thing another name there.
    pub(super) fn link(&self, dir: &Dir, name: &OsStr) -> io::Result<()> {
        ChangeStep::Trash.begin()?;
        dir.hard_link(name, &self.dir, &self.name)
    }

    /// Takes that name away again.
    pub(super) fn unlink(&self) -> io::Result<()> {
        self.dir.remove_file(&self.name)
    }

    /// The name under which the thing is restored.
    pub(super) fn restorable(&self) -> String {
        self.item.to_string()
    }
}

impl Drop for TrashPlace<'_> {
    fn drop(&mut self) {
        // As long as they are empty: only the disk knows whether something came to stay, after an error too.
        let mut dirs = self.way.ancestors().filter(|dir| *dir != Path::new(""));
        if dirs.all(|dir| self.trash.remove_dir(dir).is_ok()) {
            self.ledger.give_back(self.item.room());
        }
    }
}

/// The trash in the root of a mount.
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
        // By another change, at the same time.
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    let trash = open(root)?;
    trash.write(".gitignore", "*\n")?;
    Ok(trash)
}

/// Removes what is too old.
pub(super) fn sweep(root: &Dir, ledger: &Ledger) -> io::Result<()> {
    match open(root) {
        Ok(trash) => ledger.take(&trash, 0),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
