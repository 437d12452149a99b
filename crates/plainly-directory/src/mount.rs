//! Which directories are served and under which names. The only file that opens a path of the host, once, when the store is
//! built; from then on there are handles.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use plainly_protocol::types::CacheHint;

use super::job::Jobs;
use super::place::Shown;
use super::{DirectoryStore, uri};
use crate::store::convert::{Converter, Converters};

/// The most bytes of a file that are read unless set otherwise: 16 MiB.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The most bytes of files that are held at once unless set otherwise: 512 MiB.
const BYTES_AT_ONCE: u64 = 512 << 20;

/// The longest name of a mount, in bytes.
const MAX_NAME_BYTES: usize = 255;

/// A directory that is served.
#[derive(Clone)]
pub(super) struct Root {
    pub(super) name: String,
    pub(super) uri: String,
    pub(super) dir: Arc<Dir>,
    /// Where it was, for systems that watch by paths.
    #[cfg(any(test, not(any(target_os = "linux", target_os = "android"))))]
    pub(super) path: PathBuf,
}

impl fmt::Debug for Root {
    // Not the handle: it would show the host's path.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.uri)
    }
}

/// Collects what a [`DirectoryStore`] serves.
#[derive(Clone, Debug)]
#[must_use]
pub struct DirectoryStoreBuilder {
    mounts: Vec<(Option<String>, PathBuf)>,
    shown: Shown,
    cache_hint: CacheHint,
    max_file_bytes: u64,
    bytes_at_once: u64,
    converters: Converters,
}

impl DirectoryStoreBuilder {
    pub(super) fn new() -> Self {
        Self {
            mounts: Vec::new(),
            shown: Shown::default(),
            cache_hint: CacheHint::default(),
            max_file_bytes: MAX_FILE_BYTES,
            bytes_at_once: BYTES_AT_ONCE,
            converters: Converters::default(),
        }
    }

    /// Serves the directory at `path` under its own name, links resolved.
    pub fn mount(mut self, path: impl Into<PathBuf>) -> Self {
        self.mounts.push((None, path.into()));
        self
    }

    /// Serves the directory at `path` under the name `name`.
    pub fn mount_as(mut self, name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.mounts.push((Some(name.into()), path.into()));
        self
    }

    /// How long clients may keep what they got of it, and whether they may share it. By default not at all: a file can change
    /// at any time, and who may see it is not for the store to say. A directory that needs another hint than the others is
    /// best a store of its own.
    pub fn cache_hint(mut self, hint: CacheHint) -> Self {
        self.cache_hint = hint;
        self
    }

    /// Whether names that begin with a dot are served too. By default not.
    pub fn hidden(mut self, hidden: bool) -> Self {
        self.shown.hidden = hidden;
        self
    }

    /// Whether what `.ignore` and `.gitignore` files leave out is served too. By default not.
    pub fn ignored(mut self, ignored: bool) -> Self {
        self.shown.ignored = ignored;
        self
    }

    /// The size in bytes up to which files are read. 16 MiB by default. Larger ones are listed, and reading them is
    /// [`StoreError::TooLarge`](crate::store::StoreError::TooLarge).
    pub fn max_file_bytes(mut self, bytes: u64) -> Self {
        self.max_file_bytes = bytes;
        self
    }

    /// The bytes of files that are held at once: that are being read, or were for somebody who has not taken them yet. 512 MiB
    /// by default. Beyond it reading is [`StoreError::Overloaded`](crate::store::StoreError::Overloaded); but one file alone is
    /// always read.
    pub fn bytes_at_once(mut self, bytes: u64) -> Self {
        self.bytes_at_once = bytes;
        self
    }

    /// Reads files that it can convert in another representation too, after what they are. Can be called several times: of
    /// several converters to one MIME type the first counts. By default there are none.
    ///
    /// The representations of a file have a quarter of [`max_file_bytes`](Self::max_file_bytes) together, and each has ten
    /// seconds; what takes more is logged and left out. They are listed in the `_meta` of the resource, as
    /// [`REPRESENTATIONS`](plainly_protocol::types::REPRESENTATIONS): before it is read those that it may have.
    pub fn converter(mut self, converter: impl Converter) -> Self {
        self.converters.add(converter);
        self
    }

    /// Opens the directories. Fails with everything that is wrong with them together.
    pub fn build(self) -> Result<DirectoryStore, MountError> {
        let mut problems = Vec::new();
        let mut roots: Vec<Root> = Vec::new();
        for (name, path) in self.mounts {
            match open(name, &path) {
                Ok(root) if roots.iter().any(|other| other.name == root.name) => {
                    problems.push(MountProblem::DuplicateName {
                        name: root.name,
                        path,
                    });
                }
                Ok(root) => roots.push(root),
                Err(problem) => problems.push(problem),
            }
        }
        if roots.is_empty() && problems.is_empty() {
            problems.push(MountProblem::NoMount);
        }
        if !problems.is_empty() {
            return Err(MountError { problems });
        }
        // The order of listings must not depend on how somebody wrote the command.
        roots.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(DirectoryStore::from_roots(
            roots,
            self.shown,
            self.cache_hint,
            self.max_file_bytes,
            Jobs::new(self.bytes_at_once),
            self.converters,
        ))
    }
}

/// Opens one directory and settles its name.
fn open(name: Option<String>, path: &Path) -> Result<Root, MountProblem> {
    let dir = open_dir(path)?;
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
        dir: Arc::new(dir),
        // FSEvents names what changed without links.
        #[cfg(any(test, not(any(target_os = "linux", target_os = "android"))))]
        path: path.canonicalize().unwrap_or_else(|_| path.to_owned()),
        name,
    })
}

fn open_dir(path: &Path) -> Result<Dir, MountProblem> {
    let cannot = |source: io::Error| {
        let (path, kind) = (path.to_owned(), source.kind());
        if kind == io::ErrorKind::NotFound {
            MountProblem::Missing { path }
        } else if kind == io::ErrorKind::NotADirectory {
            MountProblem::NotADirectory { path }
        } else {
            MountProblem::Unreadable { path, source }
        }
    };
    let dir = Dir::open_ambient_dir(path, ambient_authority()).map_err(cannot)?;
    // The handle alone doesn't show whether the directory may be read.
    dir.entries().map_err(cannot)?;
    Ok(dir)
}

/// What the directory itself is called, where `path` may be `.` or a link.
fn own_name(path: &Path) -> Option<String> {
    let path = path.canonicalize().ok()?;
    path.file_name()?.to_str().map(str::to_owned)
}

fn is_valid(name: &str) -> bool {
    !matches!(name, "" | "." | "..")
        && name.len() <= MAX_NAME_BYTES
        && !name.contains(|letter: char| letter == '/' || letter == '\\' || letter.is_control())
}

/// Why directories can't be served: all reasons together.
#[derive(Debug)]
pub struct MountError {
    /// Never empty.
    problems: Vec<MountProblem>,
}

impl MountError {
    /// What is wrong, in the order of the mounts. At least one.
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

/// What is wrong with one mount. Shown to whoever starts the server, so it names paths.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MountProblem {
    /// Nothing is to be served.
    #[error("no directory to serve")]
    NoMount,
    /// There is nothing at the path.
    #[error("no such directory: {}", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// There is something else than a directory at the path.
    #[error("not a directory: {}", path.display())]
    NotADirectory {
        /// Where it is.
        path: PathBuf,
    },
    /// The directory can't be opened.
    #[error("cannot read the directory {}", path.display())]
    Unreadable {
        /// Where it is.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// The directory has no name that could be used (`/`, or one that isn't UTF-8): give it one.
    #[error("{} needs a name: give it as NAME={}", path.display(), path.display())]
    NoName {
        /// Where it is.
        path: PathBuf,
    },
    /// The name can't stand in a URI as one segment: empty, `.`, `..`, longer than 255 bytes, or with a slash, a backslash
    /// or a control character in it.
    #[error("{name:?} can't be the name of a mount: {}", path.display())]
    InvalidName {
        /// The name.
        name: String,
        /// The directory that it is for.
        path: PathBuf,
    },
    /// Another directory has that name already: give one of them another.
    #[error("two directories are named {name:?}: give {} another name as NAME={}", path.display(), path.display())]
    DuplicateName {
        /// The name.
        name: String,
        /// The second directory with it.
        path: PathBuf,
    },
}
