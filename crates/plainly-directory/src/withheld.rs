//! Files that are never served, whatever path leads to them, such as the server's own secrets.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;

use super::handle;

/// The host paths of these files. They are looked up each time, because a renewed file has another
/// inode.
#[derive(Clone, Default)]
pub(super) struct WithheldFiles(Arc<[PathBuf]>);

impl WithheldFiles {
    pub(super) fn new(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(paths.into_iter().collect())
    }

    /// Whether an open file is one of these, whatever name or link led to it.
    pub(super) fn contains(&self, file: &Metadata) -> bool {
        let own = (file.dev(), file.ino());
        self.0
            .iter()
            .any(|path| handle::identity(path).ok() == Some(own))
    }
}

impl fmt::Debug for WithheldFiles {
    // The paths are left out, because they are the host's.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Withheld").finish_non_exhaustive()
    }
}
