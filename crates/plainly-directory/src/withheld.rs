//! Files that are never served, whatever leads to them: those that hold the secrets of the server itself.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;

use super::handle;

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
        self.0
            .iter()
            .any(|path| handle::identity(path).ok() == Some(own))
    }
}

impl fmt::Debug for WithheldFiles {
    // Not the paths: they are those of the host.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Withheld").finish_non_exhaustive()
    }
}
