//! The look of a file from outside, which shows whether it has changed since it was read.

use std::fs::{self, Metadata};
use std::path::Path;
use std::time::SystemTime;

/// The look of a file from outside: if it is unchanged, so is the content. A link looks as its target does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLook {
    bytes: u64,
    modified: Option<SystemTime>,
    /// Another file of the same name has another number, and a file that was changed another time of its change (Unix).
    #[cfg(unix)]
    file: (u64, i64, i64),
}

impl FileLook {
    /// The look of the file at this path; `None` if it can't be seen.
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

    /// The time at which the content was last changed, where the system knows it.
    pub fn modified(&self) -> Option<SystemTime> {
        self.modified
    }
}
