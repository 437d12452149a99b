//! The metadata of a file, which shows whether the file has changed since it was read.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

/// The metadata of a file that shows changes: if it is unchanged, so is the content. For a link it
/// is that of the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLook {
    bytes: u64,
    modified: Option<SystemTime>,
    /// The inode and the change time (Unix): another file with the same name has another inode, and
    /// a changed file another change time.
    #[cfg(unix)]
    file: (u64, i64, i64),
}

impl FileLook {
    /// The look of the file at this path; `None` if its metadata can't be read.
    pub fn at(path: &Path) -> Option<Self> {
        fs::metadata(path).ok().map(|file| Self::of(&file))
    }

    /// The look of the file with this metadata.
    pub fn of(file: &Metadata) -> Self {
        #[cfg(unix)]
        use std::os::unix::fs::MetadataExt as _;
        Self {
            bytes: file.len(),
            modified: file.modified().ok(),
            #[cfg(unix)]
            file: (file.ino(), file.ctime(), file.ctime_nsec()),
        }
    }

    /// The time of the last change of the content, if the system knows it.
    pub fn modified(&self) -> Option<SystemTime> {
        self.modified
    }
}
