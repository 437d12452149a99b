//! Restores entries from the trash, for the operator of a server.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::mount::{self, MountError};
use super::trash::{self, Item};
use super::{handle, system};

/// The trash of a writable directory: the entries removed or overwritten in the last 7 days, up to
/// 1 GiB, counting 4 KiB for each file and directory.
///
/// ```no_run
/// let trash = plainly_directory::Trash::open("notes")?;
/// for thing in trash.list()? {
///     println!("{} {}", thing.name, thing.path.display());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Trash {
    root: Dir,
}

impl fmt::Debug for Trash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Trash").finish_non_exhaustive()
    }
}

/// A file or directory in the trash.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrashedResource {
    /// The name under which it is restored.
    pub name: String,
    /// The original path below the directory. For a directory with a single entry, the path of that
    /// entry.
    pub path: PathBuf,
    /// The size in bytes, including all contents.
    pub bytes: u64,
    /// The time when the entry was removed or overwritten.
    pub removed: SystemTime,
}

/// The reason why the trash can't be used or an entry can't be restored.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum TrashError {
    /// The trash has no entry of this name.
    #[error("nothing in the trash is named {name:?}: list it")]
    Missing {
        /// The name.
        name: String,
    },
    /// The original path exists again.
    #[error("there is another {} now: rename it first", path.display())]
    Exists {
        /// The path.
        path: PathBuf,
    },
    /// The operating system failed.
    #[error("cannot use the trash")]
    Failed(#[from] io::Error),
}

plainly::errors::debug_with_causes!(TrashError);

impl Trash {
    /// Opens the trash of the directory at `path`.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, MountError> {
        let root = mount::open_dir(path.as_ref());
        let root = root.map_err(|problem| MountError::of(vec![problem]))?;
        Ok(Self { root })
    }

    /// Lists the entries of the trash, newest first.
    pub fn list(&self) -> Result<Vec<TrashedResource>, TrashError> {
        let Some(trash) = self.dir()? else {
            return Ok(Vec::new());
        };
        let items = Item::all(&trash)?.into_iter().rev();
        let things = items.filter_map(|item| {
            let name = item.to_string();
            Some(TrashedResource {
                path: path(&trash.open_dir_nofollow(&name).ok()?)?,
                name,
                bytes: item.bytes,
                removed: item.since.into(),
            })
        });
        Ok(things.collect())
    }

    /// Moves the entry of this name back to its original path, and returns the path. Never
    /// overwrites anything.
    pub fn restore(&self, name: &str) -> Result<PathBuf, TrashError> {
        let missing = || TrashError::Missing {
            name: name.to_owned(),
        };
        let item = Item::parse(name).ok_or_else(missing)?;
        let trash = self.dir()?.ok_or_else(missing)?;
        let mut from = match trash.open_dir_nofollow(item.to_string()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(missing()),
            opened => opened?,
        };
        let (mut to, mut path) = (self.root.try_clone()?, PathBuf::new());
        loop {
            let Some(name) = only_entry(&from)? else {
                return Err(TrashError::Exists { path });
            };
            path.push(&name);
            match system::rename_new(&from, &name, &to, &name) {
                Ok(()) => break,
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error.into()),
            }
            // The path exists: either a directory that contained the entry, or something else.
            match (from.open_dir_nofollow(&name), to.open_dir_nofollow(&name)) {
                (Ok(inner_from), Ok(inner_to)) => (from, to) = (inner_from, inner_to),
                (Err(_), _) | (_, Err(_)) => return Err(TrashError::Exists { path }),
            }
        }
        system::sync(&to)?;
        trash.remove_dir_all(item.to_string())?;
        Ok(path)
    }

    fn dir(&self) -> io::Result<Option<Dir>> {
        match trash::open(&self.root) {
            Ok(trash) => Ok(Some(trash)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }
}

/// The path down to the first entry that is not alone in its directory.
fn path(item: &Dir) -> Option<PathBuf> {
    let (mut at, mut path) = (item.try_clone().ok()?, PathBuf::new());
    while let Some(name) = only_entry(&at).ok()? {
        path.push(&name);
        match handle::look(&at, &name) {
            Ok(found) if found.is_dir() => at = at.open_dir_nofollow(&name).ok()?,
            Ok(_) | Err(_) => break,
        }
    }
    (path != Path::new("")).then_some(path)
}

/// The name of the only entry of a directory; `None` if it has none or several.
fn only_entry(dir: &Dir) -> io::Result<Option<OsString>> {
    let mut entries = dir.entries()?;
    let first = entries.next().transpose()?;
    let is_only = entries.next().is_none();
    Ok(first.filter(|_| is_only).map(|entry| entry.file_name()))
}
