//! Locks names, so that this process changes each name only once at a time.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::MutexGuard;

use cap_fs_ext::MetadataExt;
use plainly::store::StoreError;

use super::lock::Lock;
use super::place::Place;

/// The number of locks. Two names may share a lock and then wait for each other.
const STRIPES: usize = 64;

/// The locks of all names in a store's directories.
#[derive(Debug)]
pub(super) struct NameLocks([Lock<()>; STRIPES]);

impl Default for NameLocks {
    fn default() -> Self {
        Self(std::array::from_fn(|_| Lock::default()))
    }
}

impl NameLocks {
    /// Locks names until the result is dropped. The locks are the same for all paths to a
    /// directory.
    pub(super) fn lock(
        &self,
        names: &[(&Place, &OsStr)],
    ) -> Result<Vec<MutexGuard<'_, ()>>, StoreError> {
        let indices: Result<BTreeSet<usize>, StoreError> = names
            .iter()
            .map(|(place, name)| index(place, name))
            .collect();
        // Locks are always taken in the same order, so two changes never deadlock.
        let locks = indices?.into_iter().filter_map(|index| self.0.get(index));
        Ok(locks.map(Lock::lock).collect())
    }
}

fn index(place: &Place, name: &OsStr) -> Result<usize, StoreError> {
    let directory = place.metadata()?;
    let mut hasher = DefaultHasher::new();
    (directory.dev(), directory.ino(), name).hash(&mut hasher);
    Ok(usize::try_from(hasher.finish() % STRIPES as u64).unwrap_or_default())
}
