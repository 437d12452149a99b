//! The served directories and single files, and their names. The builder opens them by their paths;
//! afterwards the store uses handles.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::above::RulesAbove;
use super::current::{self, Current};
use super::handle;
use super::lock::Lock;
use super::place::VisibleNames;
use super::trash::Ledger;
use super::uri;

/// The maximum length of a mount's name, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// A served directory, or a single served file in one.
pub(super) struct Root {
    pub(super) name: String,
    pub(super) uri: String,
    /// The name of the only file that is served, if the mount is a single file. Where its path is
    /// a link, this is the name of the target.
    pub(super) file: Option<Lock<Arc<OsStr>>>,
    /// The path at which the directory or the file is looked for again after it was replaced.
    pub(super) path: PathBuf,
    above: Arc<RulesAbove>,
    /// Whether the mount can be changed.
    pub(super) is_writable: bool,
    pub(super) trash: Ledger,
    current: Lock<Current>,
}

impl Root {
    /// The path from the directory to the served file; empty for a directory.
    pub(super) fn start(&self) -> Vec<OsString> {
        let names = self.file.iter();
        names.map(|name| name.lock().as_ref().to_owned()).collect()
    }

    /// The visibility rules of this mount, derived from those of all mounts.
    pub(super) fn shown(&self, all: &VisibleNames) -> VisibleNames {
        match &self.file {
            Some(name) => all.only(&name.lock()),
            None => VisibleNames {
                above: (!all.ignored).then(|| Arc::clone(&self.above)),
                ..all.clone()
            },
        }
    }

    /// The name of the served directory or file: a file's own name, which shows its type.
    pub(super) fn own_name(&self) -> &OsStr {
        let own = self.path.file_name().filter(|_| self.file.is_some());
        own.unwrap_or(OsStr::new(&self.name))
    }

    /// The open directory. If another directory is at its path, switches to that one.
    pub(super) fn dir(&self) -> Arc<Dir> {
        let mut current = self.current.lock();
        match &self.file {
            None => current.dir(&self.uri, |known| current::find(&self.path, known)),
            Some(name) => current.dir(&self.uri, |known| {
                current::find_file(&self.path, &mut name.lock(), known)
            }),
        }
    }
}

impl fmt::Debug for Root {
    // The handle is left out because it would show the host's path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.uri)
    }
}

/// Opens a directory, or the directory that contains a file, and determines the mount's name.
pub(super) fn open(
    name: Option<String>,
    path: &Path,
    is_writable: bool,
) -> Result<Root, MountProblem> {
    let found = std::fs::metadata(path).map_err(|error| unopened(path, error))?;
    let (dir, file) = match found.is_file() {
        true => open_file(path)?,
        false => (open_dir(path)?, None),
    };
    let name = match name {
        Some(name) => name,
        None => own_name(path).ok_or_else(|| MountProblem::NoName {
            path: path.to_owned(),
        })?,
    };
    if !is_valid(&name) {
        return Err(MountProblem::InvalidName {
            name,
            path: path.to_owned(),
        });
    }
    let path = place(path).unwrap_or_else(|_| path.to_owned());
    Ok(Root {
        uri: uri::mount(&name),
        file: file.map(Lock::from),
        above: Arc::new(RulesAbove::new(path.clone())),
        path,
        is_writable,
        trash: Ledger::default(),
        current: Lock::from(Current::new(dir)),
        name,
    })
}

/// The path of a directory without `..`, ending in a name if possible.
fn place(path: &Path) -> io::Result<PathBuf> {
    let place = std::path::absolute(path)?;
    let has_name = place.file_name().is_some();
    match has_name && place.components().all(|part| part != Component::ParentDir) {
        true => Ok(place),
        false => path.canonicalize(),
    }
}

/// Opens the directory that contains a file. Returns it with the file's name, links resolved.
fn open_file(path: &Path) -> Result<(Dir, Option<Arc<OsStr>>), MountProblem> {
    let failed = |error| unopened(path, error);
    let (place, name) = current::real(path).map_err(failed)?;
    // The directory itself may not be readable.
    let dir = Dir::open_ambient_dir(place, ambient_authority()).map_err(failed)?;
    handle::open(&dir, &name).map_err(failed)?;
    Ok((dir, Some(name)))
}

/// Opens a directory that can be listed.
pub(super) fn open_dir(path: &Path) -> Result<Dir, MountProblem> {
    let dir = Dir::open_ambient_dir(path, ambient_authority());
    let dir = dir.map_err(|error| unopened(path, error))?;
    // Opening the handle doesn't check whether the directory may be read.
    dir.entries().map_err(|error| unopened(path, error))?;
    Ok(dir)
}

fn unopened(path: &Path, source: io::Error) -> MountProblem {
    let (path, kind) = (path.to_owned(), source.kind());
    if kind == io::ErrorKind::NotFound {
        MountProblem::Missing { path }
    } else if kind == io::ErrorKind::NotADirectory {
        MountProblem::NotADirectory { path }
    } else {
        MountProblem::Unreadable { path, source }
    }
}

/// The name at the end of `path`, or of what it leads to if it ends in `.` or `..`.
fn own_name(path: &Path) -> Option<String> {
    let path = place(path).ok()?;
    path.file_name()?.to_str().map(str::to_owned)
}

fn is_valid(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
        && name.len() <= MAX_NAME_BYTES
        && !name.contains(|letter: char| letter == '/' || letter == '\\' || letter.is_control())
}

/// All reasons why mounts can't be served.
pub struct MountError {
    /// Never empty.
    problems: Vec<MountProblem>,
}

plainly::errors::debug_with_causes!(MountError);

impl MountError {
    /// Creates an error of at least one problem.
    pub(super) fn of(problems: Vec<MountProblem>) -> Self {
        Self { problems }
    }

    /// All reasons, in the order of the mounts. At least one.
    pub fn problems(&self) -> &[MountProblem] {
        &self.problems
    }
}

impl fmt::Display for MountError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, problem) in self.problems.iter().enumerate() {
            let separator = if index == 0 { "" } else { "; " };
            write!(f, "{separator}{problem}")?;
        }
        Ok(())
    }
}

impl std::error::Error for MountError {
    /// The cause of the first problem that has one.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.problems.iter().find_map(std::error::Error::source)
    }
}

/// A reason why a mount can't be served. Contains paths, because it is shown to the operator.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum MountProblem {
    /// There is no mount.
    #[error("no directory to serve")]
    NoMount,
    /// There is nothing at the path.
    #[error("no such file or directory: {}", path.display())]
    Missing {
        /// The path that does not exist.
        path: PathBuf,
    },
    /// The path leads to something other than a directory or, where files can be served, a file.
    #[error("not a directory: {}", path.display())]
    NotADirectory {
        /// The path.
        path: PathBuf,
    },
    /// The directory or file can't be opened.
    #[error("cannot read {}", path.display())]
    Unreadable {
        /// The path.
        path: PathBuf,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The directory has no usable name (`/`, or a name that isn't UTF-8) and needs an explicit
    /// one.
    #[error("{} needs a name: use NAME={}", path.display(), path.display())]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The name is not valid as one segment of a URI: empty, `.`, `..`, longer than 255 bytes, or
    /// with a slash, a backslash or a control character.
    #[error("{name:?} is not a valid mount name: {}", path.display())]
    InvalidName {
        /// The name.
        name: String,
        /// The directory or file that should have the name.
        path: PathBuf,
    },
    /// Another directory or file already has this name. Rename one of them.
    #[error("two mounts are named {name:?}: give {} another name with NAME={}", path.display(), path.display())]
    DuplicateName {
        /// The name.
        name: String,
        /// The second path with this name.
        path: PathBuf,
    },
}

plainly::errors::debug_with_causes!(MountProblem);
