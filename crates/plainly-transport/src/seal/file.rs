//! Keys in a file. The file is read again when it changes, so that keys can be replaced without a
//! restart.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::ring::{InvalidKeys, Key, KeyLines};
use crate::file_look::FileLook;
use crate::lock::Lock;

/// The interval between checks of the file.
const LOOK: Duration = Duration::from_secs(1);
/// The age at which the first key of a file begins to seal, because until then replicas may not
/// have it.
const SPREAD: Duration = Duration::from_secs(5 * 60);

/// The reason why a file has no usable keys.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// The file can't be read.
    #[error("cannot read the keys in {}", path.display())]
    Unreadable {
        /// The path of the file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// The file is not a list of keys.
    #[error("cannot use the keys in {}", path.display())]
    Invalid {
        /// The path of the file.
        path: PathBuf,
        /// The fault of the list.
        #[source]
        source: InvalidKeys,
    },
}

plainly_errors::debug_with_causes!(KeyFileError);

/// A file of keys, and its content when it was last read.
pub(super) struct KeyFile {
    path: PathBuf,
    current: Lock<Current>,
}

struct Current {
    keys: FileKeys,
    /// The look of the file when it was last read, whether it was usable or not.
    look: Option<FileLook>,
    looked: SystemTime,
}

/// The keys of a file.
#[derive(Clone)]
pub(super) struct FileKeys {
    /// The keys, at least one.
    keys: Arc<[Key]>,
    modified: Option<SystemTime>,
}

impl FileKeys {
    pub(super) fn all(&self) -> &[Key] {
        &self.keys
    }

    /// The sealing key: the first, once the file is old enough for all replicas to have it; until
    /// then the second.
    pub(super) fn sealing(&self, now: SystemTime) -> &Key {
        let age = |since| now.duration_since(since).unwrap_or(Duration::ZERO);
        let has_spread = self.modified.is_none_or(|since| age(since) >= SPREAD);
        match &*self.keys {
            [_, before, ..] if !has_spread => before,
            keys => keys.first().expect("there is always a key"),
        }
    }
}

impl KeyFile {
    pub(super) fn read(path: PathBuf) -> Result<Self, KeyFileError> {
        // Before the file is read, so that a change in between is noticed later.
        let look = FileLook::at(&path);
        let current = Current {
            keys: read(&path, look.as_ref())?,
            look,
            looked: SystemTime::UNIX_EPOCH,
        };
        Ok(Self {
            path,
            current: Lock::new(current),
        })
    }

    /// The current keys of the file.
    pub(super) fn current(&self, now: SystemTime) -> FileKeys {
        let mut current = self.current.lock();
        // Also after the clock was set back; otherwise the file would not be read for a long time.
        let is_recent = now.duration_since(current.looked);
        if !is_recent.is_ok_and(|since| since < LOOK) {
            current.looked = now;
            current.look(&self.path);
        }
        current.keys.clone()
    }

    /// The number of keys when the file was last read.
    pub(super) fn count(&self) -> usize {
        self.current.lock().keys.keys.len()
    }
}

impl Current {
    /// Reads the file again if it has changed.
    fn look(&mut self, path: &Path) {
        let look = FileLook::at(path);
        if look == self.look {
            return;
        }
        match read(path, look.as_ref()) {
            Ok(keys) => {
                self.keys = keys;
                tracing::info!(file = %path.display(), "the keys have changed");
            }
            Err(error) => {
                tracing::warn!(?error, "the new keys can't be used: the previous ones stay");
            }
        }
        self.look = look;
    }
}

fn read(path: &Path, look: Option<&FileLook>) -> Result<FileKeys, KeyFileError> {
    let text = fs::read_to_string(path).map_err(|source| KeyFileError::Unreadable {
        path: path.to_owned(),
        source,
    })?;
    let KeyLines(keys) = text.parse().map_err(|source| KeyFileError::Invalid {
        path: path.to_owned(),
        source,
    })?;
    Ok(FileKeys {
        keys: keys.into(),
        modified: look.and_then(FileLook::modified),
    })
}

#[cfg(test)]
mod tests;
