//! Keys in a file, which is read again when it changes, so that keys are replaced without a restart.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use super::ring::{InvalidKeys, Key, KeyLines};
use crate::file_look::FileLook;
use crate::lock::Lock;

/// The time until the file is looked at again.
const LOOK: Duration = Duration::from_secs(1);
/// The age of a file whose first key seals: until then, replicas may lack it.
const SPREAD: Duration = Duration::from_secs(5 * 60);

/// The reason why a file has no usable keys.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum KeyFileError {
    /// It can't be read.
    #[error("cannot read the keys in {}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// The cause.
        #[source]
        source: io::Error,
    },
    /// It is no list of keys.
    #[error("cannot use the keys in {}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// The fault.
        #[source]
        source: InvalidKeys,
    },
}

plainly_errors::debug_with_causes!(KeyFileError);

/// A file of keys, and what it had when it was last read.
pub(super) struct KeyFile {
    path: PathBuf,
    current: Lock<Current>,
}

struct Current {
    keys: FileKeys,
    /// The look of the file when it was last read, usable or not.
    look: Option<FileLook>,
    looked: SystemTime,
}

/// The keys of a file.
#[derive(Clone)]
pub(super) struct FileKeys {
    /// Never empty.
    keys: Arc<[Key]>,
    modified: Option<SystemTime>,
}

impl FileKeys {
    pub(super) fn all(&self) -> &[Key] {
        &self.keys
    }

    /// The key that seals: the first, once the file is so old that all replicas have it; until then the one before it.
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
        // Before it is read: what changes meanwhile is read again.
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

    /// The keys of the file as it is now.
    pub(super) fn current(&self, now: SystemTime) -> FileKeys {
        let mut current = self.current.lock();
        // A clock that was set back must not keep the file from being read.
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
