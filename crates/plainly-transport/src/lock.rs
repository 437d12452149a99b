//! The only type of mutex in plainly.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex that stays usable after a panic.
///
/// The guarded value must be consistent after every step: each change under the lock is a single
/// push, insertion, removal or assignment, so that a panic between steps leaves nothing half done.
#[derive(Debug, Default)]
pub struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    /// A mutex that guards `value`.
    pub const fn new(value: T) -> Self {
        Self(Mutex::new(value))
    }

    /// Waits for the lock.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
