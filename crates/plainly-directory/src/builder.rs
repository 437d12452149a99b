//! The builder of a store: collects mounts and settings, then opens all directories at once.

use std::path::PathBuf;
use std::sync::Arc;

use plainly::protocol::types::CacheHint;
use plainly::store::Budget;

use super::job::Jobs;
use super::mount::{self, MountError, MountProblem, Root};
use super::name_locks::NameLocks;
use super::place::VisibleNames;
use super::request::Mounts;
use super::store::DirectoryStore;
use super::withheld::WithheldFiles;
use super::write;

/// The default maximum size of a file that is read: 16 MiB.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// The default maximum size of one write: 16 MiB.
const MAX_WRITE_BYTES: u64 = 16 << 20;

impl DirectoryStore {
    /// Serves one directory under its own name. Use [`DirectoryStore::builder`] for more.
    pub fn new(path: impl Into<PathBuf>) -> Result<Self, MountError> {
        Self::builder().mount(path).build()
    }

    /// Starts without any directory.
    pub fn builder() -> DirectoryStoreBuilder {
        DirectoryStoreBuilder::new()
    }
}

/// A builder of [`DirectoryStore`].
#[derive(Clone, Debug)]
#[must_use]
pub struct DirectoryStoreBuilder {
    mounts: Vec<MountRequest>,
    is_writable: bool,
    shown: VisibleNames,
    cache_hint: CacheHint,
    max_file_bytes: u64,
    budget: Budget,
    max_write_bytes: u64,
    is_as_is: bool,
}

/// A directory to serve.
#[derive(Clone, Debug)]
struct MountRequest {
    name: Option<String>,
    path: PathBuf,
    is_writable: bool,
}

impl DirectoryStoreBuilder {
    fn new() -> Self {
        Self {
            mounts: Vec::new(),
            is_writable: false,
            shown: VisibleNames::default(),
            cache_hint: CacheHint::default(),
            max_file_bytes: MAX_FILE_BYTES,
            budget: Budget::default(),
            max_write_bytes: MAX_WRITE_BYTES,
            is_as_is: false,
        }
    }

    /// Serves the directory at `path` under the name at the end of `path`, even if that is a link.
    pub fn mount(self, path: impl Into<PathBuf>) -> Self {
        self.add(None, path.into(), false)
    }

    /// Serves the directory at `path` under the name `name`.
    pub fn mount_as(self, name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.add(Some(name.into()), path.into(), false)
    }

    /// Serves the directory at `path` under its own name, for [writing](plainly::store::Writable) too.
    pub fn mount_writable(self, path: impl Into<PathBuf>) -> Self {
        self.add(None, path.into(), true)
    }

    /// Serves the directory at `path` under the name `name`, for [writing](plainly::store::Writable) too.
    pub fn mount_writable_as(self, name: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        self.add(Some(name.into()), path.into(), true)
    }

    fn add(mut self, name: Option<String>, path: PathBuf, is_writable: bool) -> Self {
        self.mounts.push(MountRequest {
            name,
            path,
            is_writable,
        });
        self
    }

    /// Sets whether all mounts can be [written](plainly::store::Writable) too. By default, only
    /// those added with `mount_writable` or `mount_writable_as` can.
    ///
    /// Building the store removes temporary files that a killed server left more than an hour ago.
    pub fn writable(mut self, writable: bool) -> Self {
        self.is_writable = writable;
        self
    }

    /// The maximum number of bytes of one write. 16 MiB by default. More is
    /// [`WriteError::Full`](plainly::store::WriteError::Full).
    pub fn max_write_bytes(mut self, bytes: u64) -> Self {
        self.max_write_bytes = bytes;
        self
    }

    /// Sets how long clients may cache results, and whether they may share them. By default clients
    /// may not cache at all, because a file can change at any time and the store doesn't know who
    /// may see it. A directory that needs a different hint belongs in a separate store.
    pub fn cache_hint(mut self, hint: CacheHint) -> Self {
        self.cache_hint = hint;
        self
    }

    /// Sets whether names that start with a dot are served too. By default they are not.
    pub fn hidden(mut self, hidden: bool) -> Self {
        self.shown.hidden = hidden;
        self
    }

    /// Sets whether files excluded by `.ignore` and `.gitignore` are served too. By default they
    /// are not.
    pub fn ignored(mut self, ignored: bool) -> Self {
        self.shown.ignored = ignored;
        self
    }

    /// Never serves these files, such as the keys of the server itself. The store treats them as
    /// missing, also under another name, through a link, or after they were replaced. They need not
    /// exist.
    pub fn withhold<P: Into<PathBuf>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.shown.withheld = WithheldFiles::new(paths.into_iter().map(Into::into));
        self
    }

    /// The maximum size of a file that can be read, in bytes. 16 MiB by default. Larger files are
    /// listed, but reading one fails with
    /// [`StoreError::TooLarge`](plainly::store::StoreError::TooLarge).
    pub fn max_file_bytes(mut self, bytes: u64) -> Self {
        self.max_file_bytes = bytes;
        self
    }

    /// The memory budget for files that are being read, searched or changed, or wait to be sent. By
    /// default, all stores of the process share one budget.
    pub fn budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// Sets whether text in encodings other than UTF-8 is served as its original bytes. By default,
    /// such text is decoded, and the `_meta` of its content names the encoding as
    /// `dev.plainly/encoding`.
    pub fn as_is(mut self, as_is: bool) -> Self {
        self.is_as_is = as_is;
        self
    }

    /// Opens the directories. The error reports every problem of every mount.
    pub fn build(self) -> Result<DirectoryStore, MountError> {
        let mut problems = Vec::new();
        let mut roots: Vec<Root> = Vec::new();
        for MountRequest {
            name,
            path,
            is_writable,
        } in self.mounts
        {
            match mount::open(name, &path, is_writable || self.is_writable) {
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
            return Err(MountError::of(problems));
        }
        // The order of listings must not depend on the order of the mounts on the command line.
        roots.sort_by(|one, other| one.name.cmp(&other.name));
        let store = DirectoryStore::over(Mounts {
            roots,
            shown: self.shown,
            cache_hint: self.cache_hint,
            max_file_bytes: self.max_file_bytes,
            max_write_bytes: self.max_write_bytes,
            locks: NameLocks::default(),
            lists: Arc::default(),
            is_as_is: self.is_as_is,
            jobs: Jobs::new(self.budget),
        });
        write::clean(&store.mounts);
        Ok(store)
    }
}
