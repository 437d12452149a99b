//! Turns of the changes of one resource.

use std::hash::{BuildHasher as _, RandomState};

use tokio::sync::{Mutex, MutexGuard};

/// The number of locks. Resources share them, so that none has to be remembered.
const LOCKS: usize = 64;

/// Locks of resources by their URIs.
pub(super) struct Turns {
    locks: [Mutex<()>; LOCKS],
    hasher: RandomState,
}

impl Default for Turns {
    fn default() -> Self {
        Self {
            locks: [const { Mutex::const_new(()) }; LOCKS],
            hasher: RandomState::new(),
        }
    }
}

impl Turns {
    /// Waits until no other change of the resource is made.
    pub(super) async fn wait(&self, uri: &str) -> Option<MutexGuard<'_, ()>> {
        let hash = self.hasher.hash_one(uri);
        let lock = self.locks.get(usize::try_from(hash % LOCKS as u64).ok()?)?;
        Some(lock.lock().await)
    }
}
