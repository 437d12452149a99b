//! Data that a server keeps about a connection from one request to the next. The transport only says which requests
//! came on the same connection.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, MutexGuard};

use crate::lock::Lock;

/// The memory of one connection: one value at a time, of a type that the server chooses. Clones share the same memory.
/// By default there is none.
#[derive(Clone, Default)]
pub struct ConnectionMemory(Option<Arc<Lock<StoredValue>>>);

type StoredValue = Option<Box<dyn Any + Send>>;

impl ConnectionMemory {
    /// The memory of a new connection, still empty.
    #[must_use]
    pub fn new() -> Self {
        Self(Some(Arc::new(Lock::new(None))))
    }

    /// What `look` finds in the stored value, if it is a `T`.
    pub fn recall<T: 'static, U>(&self, look: impl FnOnce(&T) -> Option<U>) -> Option<U> {
        look(self.lock()?.as_ref()?.downcast_ref()?)
    }

    /// Stores `value`, replacing any other.
    pub fn keep<T: Send + 'static>(&self, value: T) {
        let before = self
            .lock()
            .and_then(|mut kept| kept.replace(Box::new(value)));
        // Outside the lock, because the destructor is the server's code and may come back here.
        drop(before);
    }

    fn lock(&self) -> Option<MutexGuard<'_, StoredValue>> {
        Some(self.0.as_ref()?.lock())
    }
}

impl fmt::Debug for ConnectionMemory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConnectionMemory").finish_non_exhaustive()
    }
}
