//! The only kind of mutex in plainly.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex that stays usable after a panic.
///
/// The guarded value must be consistent after every single step: each change under the lock is one push, insertion,
/// removal or assignment, so a panic in between leaves nothing half done.
#[derive(Debug, Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// A mutex of `value`.
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
