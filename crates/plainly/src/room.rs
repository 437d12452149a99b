//! Room for so many bytes in memory, that many share. Knows not what they are.

use std::sync::atomic::{AtomicU64, Ordering};

/// Room for so many bytes.
#[derive(Debug)]
pub(crate) struct Room {
    most: u64,
    taken: AtomicU64,
}

impl Room {
    /// Room for `most` bytes, and for whoever is alone.
    pub(crate) fn new(most: u64) -> Self {
        let taken = AtomicU64::new(0);
        Self { most, taken }
    }

    /// Whether there was room for `more` bytes of somebody who has taken `own`. Who is alone always has: else what is larger than
    /// all of it could never be.
    pub(crate) fn take(&self, own: u64, more: u64) -> bool {
        let with = |taken: u64| {
            let all = taken.checked_add(more)?;
            (taken == own || all <= self.most).then_some(all)
        };
        let taken = self
            .taken
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, with);
        taken.is_ok()
    }

    /// Gives back what was taken.
    pub(crate) fn give_back(&self, bytes: u64) {
        self.taken.fetch_sub(bytes, Ordering::Relaxed);
    }

    /// How much is taken.
    #[cfg(test)]
    pub(crate) fn taken(&self) -> u64 {
        self.taken.load(Ordering::Relaxed)
    }
}
