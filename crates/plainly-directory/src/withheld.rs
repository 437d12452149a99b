//! Files that are never served, whatever leads to them: those that hold the secrets of the server itself.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;

/// The paths of such files on the host. They are looked up each time, because a renewed file is
/// another one.
#[derive(Clone, Default)]
pub(super) struct WithheldFiles(Arc<[PathBuf]>);

impl WithheldFiles {
    pub(super) fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(paths.into_iter().collect())
    }

    /// Whether an open file is one of them, by whichever name or link it was found.
    pub(super) fn contains(&self, file: &Metadata) -> bool {
        let own = (file.dev(), file.ino());
        self.0.iter().any(|path| identity(path).ok() == Some(own))
    }
}

impl fmt::Debug for WithheldFiles {
    // Not the paths: they are those of the host.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Withheld").finish_non_exhaustive()
    }
}

/// The file that a path leads to. It is not opened: it may be a pipe.
#[cfg(unix)]
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let metadata = std::fs::metadata(path)?;
    Ok((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> io::Result<(u64, u64)> {
    let file = cap_std::fs::File::from_std(std::fs::File::open(path)?);
    let metadata = file.metadata()?;
    Ok((metadata.dev(), metadata.ino()))
}
