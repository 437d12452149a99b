//! The revision that a connection speaks. Transports ask for it where eras differ in how a message travels.

use std::sync::{Mutex, PoisonError};

use plainly_errors::Revision;

/// The revision that is spoken; the client may have to change it.
#[derive(Debug)]
pub(super) struct Spoken(Mutex<Revision>);

impl Default for Spoken {
    /// Before it is settled only the legacy era differs from another: there the server may ask already.
    fn default() -> Self {
        Self(Mutex::new(Revision::LATEST_LEGACY))
    }
}

impl Spoken {
    pub(super) fn get(&self) -> Revision {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn set(&self, revision: Revision) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = revision;
    }
}
