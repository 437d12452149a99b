//! Makes changes of one resource one at a time.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use plainly_transport::lock::Lock;
use tokio::sync::{Mutex, OwnedMutexGuard};

/// The locks of the resources that are being changed, by their URIs.
#[derive(Default)]
pub(super) struct Turns(Lock<HashMap<String, Weak<Mutex<()>>>>);

impl Turns {
    /// Waits until no other change of the resource is running.
    pub(super) async fn wait(&self, uri: &str) -> OwnedMutexGuard<()> {
        self.of(uri).lock_owned().await
    }

    fn of(&self, uri: &str) -> Arc<Mutex<()>> {
        let mut all = self.0.lock();
        if let Some(turns) = all.get(uri).and_then(Weak::upgrade) {
            return turns;
        }
        // Removes the locks of resources that are no longer changed.
        all.retain(|_, turns| turns.strong_count() > 0);
        let turns = Arc::default();
        all.insert(uri.to_owned(), Arc::downgrade(&turns));
        turns
    }
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt as _;

    use super::*;

    #[test]
    fn only_changes_of_the_same_resource_wait() {
        let turns = Turns::default();
        let now = |number: usize| turns.wait(&number.to_string()).now_or_never();
        let held: Vec<_> = (0..100).map(|number| now(number).unwrap()).collect();
        assert!(now(0).is_none());
        drop(held);
        assert!(now(0).is_some());
        assert_eq!(turns.0.lock().len(), 1);
    }
}
