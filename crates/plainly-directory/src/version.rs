//! The version of a file at one moment, which shows whether the file has changed since.

use std::time::SystemTime;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;

#[cfg(feature = "tools")]
use super::content;
use super::handle;

/// The version of a file. While the version is the same, so is the content.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct FileVersion {
    device: u64,
    inode: u64,
    pub(super) bytes: u64,
    changed: Option<SystemTime>,
}

impl FileVersion {
    pub(super) fn of(metadata: &Metadata) -> Self {
        Self {
            device: metadata.dev(),
            inode: metadata.ino(),
            bytes: metadata.len(),
            changed: handle::changed(metadata),
        }
    }

    /// Whether any further change will make a different version, because the file system's clock
    /// has advanced.
    #[cfg(feature = "tools")]
    pub(super) fn is_settled(&self) -> bool {
        content::age(self.changed).is_some_and(|age| age >= content::SETTLED)
    }
}
