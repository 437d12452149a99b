//! The directories and single files that are served, and their names. They are opened by their
//! paths when the store is built. Afterwards there are handles.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::above::RulesAbove;
use super::current::Current;
use super::handle;
use super::lock::Lock;
use super::place::VisibleNames;
use super::trash::Ledger;
use super::uri;

/// The longest name of a mount, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// A directory that is served, or a single file of one.
pub(super) struct Root {
    pub(super) name: String,
    pub(super) uri: String,
    /// The name of the only file that is shown of the directory, if it isn't all.
    pub(super) file: Option<Arc<OsStr>>,
    /// The place from which the directory is opened again once it has been removed.
    pub(super) path: PathBuf,
    above: Arc<RulesAbove>,
    /// Whether what is in it may be changed.
    pub(super) is_writable: bool,
    pub(super) trash: Ledger,
    current: Lock<Current>,
}

impl Root {
    /// The path in the directory to what is served.
    pub(super) fn start(&self) -> Vec<OsString> {
        self.file
            .iter()
            .map(|name| name.as_ref().to_owned())
            .collect()
    }

    /// The rules for visible names in this mount, out of those for all mounts.
    pub(super) fn shown(&self, all: &VisibleNames) -> VisibleNames {
        match &self.file {
            Some(name) => all.only(name),
            None => VisibleNames {
                above: (!all.ignored).then(|| Arc::clone(&self.above)),
                ..all.clone()
            },
        }
    }

    /// The name of what is served: of a file its own, which has its type.
    pub(super) fn own_name(&self) -> &OsStr {
        self.file.as_deref().unwrap_or(OsStr::new(&self.name))
    }

    /// The open directory. If there is another one at its path, that one from now on.
    pub(super) fn dir(&self) -> Arc<Dir> {
        self.current.lock().dir(&self.path, &self.uri)
    }
}

impl fmt::Debug for Root {
    // Not the handle: it would show the host's path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.uri)
    }
}

/// Opens one directory, or the one that a file is in, and settles its name.
pub(super) fn open(
    name: Option<String>,
    path: &Path,
    is_writable: bool,
) -> Result<Root, MountProblem> {
    let found = std::fs::metadata(path).map_err(|error| unopened(path, error))?;
    let (dir, path_of_dir, file) = match found.is_file() {
        true => open_file(path)?,
        false => {
            let dir = open_dir(path)?;
            (dir, place(path).unwrap_or_else(|_| path.to_owned()), None)
        }
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
    Ok(Root {
        uri: uri::mount(&name),
        file,
        above: Arc::new(RulesAbove::new(path_of_dir.clone())),
        path: path_of_dir,
        is_writable,
        trash: Ledger::default(),
        current: Lock::from(Current::new(dir)),
        name,
    })
}

/// The path of a directory, without `..` and with a name at its end if it can have one.
fn place(path: &Path) -> io::Result<PathBuf> {
    let place = std::path::absolute(path)?;
    let has_name = place.file_name().is_some();
    match has_name && place.components().all(|part| part != Component::ParentDir) {
        true => Ok(place),
        false => path.canonicalize(),
    }
}

/// The directory that a file is in, its path, and the name of the file there, links resolved.
fn open_file(path: &Path) -> Result<(Dir, PathBuf, Option<Arc<OsStr>>), MountProblem> {
    let failed = |error| unopened(path, error);
    let real = path.canonicalize().map_err(failed)?;
    let (Some(place), Some(name)) = (real.parent(), real.file_name()) else {
        return Err(failed(io::ErrorKind::NotADirectory.into()));
    };
    // It may be forbidden to list that directory.
    let dir = Dir::open_ambient_dir(place, ambient_authority()).map_err(failed)?;
    handle::open(&dir, name).map_err(failed)?;
    Ok((dir, place.to_owned(), Some(name.into())))
}

/// Opens a directory that can be listed.
pub(super) fn open_dir(path: &Path) -> Result<Dir, MountProblem> {
    let dir = Dir::open_ambient_dir(path, ambient_authority());
    let dir = dir.map_err(|error| unopened(path, error))?;
    // The handle alone doesn't show whether the directory may be read.
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

/// The name that the directory itself has, where `path` may be `.` or a link.
fn own_name(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    path.file_name()?.to_str().map(str::to_owned)
}

fn is_valid(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
        && name.len() <= MAX_NAME_BYTES
        && !name.contains(|letter: char| letter == '/' || letter == '\\' || letter.is_control())
}

/// All reasons why directories can't be served.
pub struct MountError {
    /// Never empty.
    problems: Vec<MountProblem>,
}

plainly::errors::debug_with_causes!(MountError);

impl MountError {
    /// All that is wrong, which is something.
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

/// A reason why a mount can't be served. Shown to the operator, so it contains paths.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum MountProblem {
    /// There is nothing to serve.
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
    /// The directory has no usable name (`/`, or one that isn't UTF-8): give it one.
    #[error("{} needs a name: use NAME={}", path.display(), path.display())]
    NoName {
        /// The path.
        path: PathBuf,
    },
    /// The name is not allowed as one segment of a URI: empty, `.`, `..`, longer than 255 bytes, or with a slash, a
    /// backslash or a control character in it.
    #[error("{name:?} is not a valid mount name: {}", path.display())]
    InvalidName {
        /// The name.
        name: String,
        /// The directory or file that it is for.
        path: PathBuf,
    },
    /// Another directory or file already has this name: rename one of them.
    #[error("two mounts are named {name:?}: give {} another name with NAME={}", path.display(), path.display())]
    DuplicateName {
        /// The name.
        name: String,
        /// The second one with it.
        path: PathBuf,
    },
}

plainly::errors::debug_with_causes!(MountProblem);
