//! A file as it was at one moment, which shows whether it has changed since.

use std::time::SystemTime;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;

#[cfg(feature = "tools")]
use super::content;
use super::handle;

/// A file as it was: while this is the same, so is its content.
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

    /// Whether any further change makes another version: the clock of the file system has gone on.
    #[cfg(feature = "tools")]
    pub(super) fn is_settled(&self) -> bool {
        content::age(self.changed).is_some_and(|age| age >= content::SETTLED)
    }
}
