//! The only kind of mutex in this crate.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// A mutex that stays usable after a panic, because its value is consistent after every step.
#[derive(Debug, Default)]
pub(super) struct Lock<T>(Mutex<T>);

impl<T> Lock<T> {
    pub(super) fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> From<T> for Lock<T> {
    fn from(value: T) -> Self {
        Self(Mutex::new(value))
    }
}
