//! The only kind of mutex in this crate.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex that stays usable after a panic.
///
/// The guarded value must be consistent after every single step: each change under the lock is one push, insertion,
/// removal or assignment, so a panic in between leaves nothing half done.
#[derive(Debug, Default)]
pub(crate) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub(crate) const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    pub(crate) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
