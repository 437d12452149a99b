//! The store that lasts as long as the program runs.

use std::collections::HashMap;
use std::sync::Arc;

use futures_util::future::{self, BoxFuture};
use plainly_oauth::credentials::Credentials;
use tokio::sync::Mutex;

use super::{PATIENCE, StoreLock, TokenStore, TokenStoreError};
use plainly_transport::lock::Lock;

/// Stores tokens in memory only, until the program ends. Clones share the tokens.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore(Arc<SharedStore>);

#[derive(Debug, Default)]
struct SharedStore {
    credentials: Lock<Credentials>,
    /// The names that flows hold or wait for.
    names: Lock<HashMap<String, Arc<Mutex<()>>>>,
}

impl MemoryStore {
    fn mutex(&self, name: &str) -> Arc<Mutex<()>> {
        let mut names = self.0.names.lock();
        // Each flow that holds or awaits a mutex has a reference to it.
        names.retain(|_, mutex| Arc::strong_count(mutex) > 1);
        Arc::clone(names.entry(name.to_owned()).or_default())
    }
}

impl TokenStore for MemoryStore {
    fn load(&self) -> BoxFuture<'_, Result<Credentials, TokenStoreError>> {
        let credentials = self.0.credentials.lock().clone();
        Box::pin(future::ready(Ok(credentials)))
    }

    fn update<'a>(
        &'a self,
        change: Box<dyn FnOnce(&mut Credentials) + Send + 'a>,
    ) -> BoxFuture<'a, Result<(), TokenStoreError>> {
        Box::pin(async move {
            let mut kept = self.0.credentials.lock();
            // If the change panics, the stored credentials stay unchanged.
            let mut changed = kept.clone();
            change(&mut changed);
            *kept = changed;
            Ok(())
        })
    }

    fn lock<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<StoreLock, TokenStoreError>> {
        Box::pin(async move {
            let locking = self.mutex(name).lock_owned();
            match tokio::time::timeout(PATIENCE, locking).await {
                Ok(held) => Ok(StoreLock::new(held)),
                Err(_elapsed) => Err(super::busy(&self.place())),
            }
        })
    }

    fn place(&self) -> String {
        "the memory of this program".to_owned()
    }
}

#[cfg(test)]
mod tests {
    use plainly_oauth::credentials::Registration;

    use super::*;

    #[tokio::test]
    async fn clones_keep_the_same() {
        let store = MemoryStore::default();
        let change = |kept: &mut Credentials| {
            kept.keep_registration(Registration::new("https://a.example", "me"));
        };
        store.clone().update(Box::new(change)).await.unwrap();
        let kept = store.load().await.unwrap();
        assert_eq!(kept.registrations[0].client_id, "me");
    }

    #[tokio::test]
    async fn a_change_that_panics_changes_nothing() {
        let store = MemoryStore::default();
        let panicking = tokio::spawn({
            let store = store.clone();
            async move {
                let change = |kept: &mut Credentials| {
                    kept.keep_registration(Registration::new("https://a.example", "me"));
                    panic!("in the middle");
                };
                store.update(Box::new(change)).await
            }
        });
        assert!(panicking.await.unwrap_err().is_panic());
        assert_eq!(store.load().await.unwrap(), Credentials::default());
    }

    #[tokio::test(start_paused = true)]
    async fn one_at_a_time_works_on_a_name_and_the_next_waits_for_10_seconds() {
        let store = MemoryStore::default();
        let held = store.lock("a").await.unwrap();
        let other = store.lock("b").await.unwrap();
        let refused = store.lock("a").await.unwrap_err();
        assert_eq!(
            refused.to_string(),
            "cannot work on the logins in the memory of this program: another login or renewal is \
             still running after 10 seconds"
        );
        let (waiting, ()) = tokio::join!(store.lock("a"), async { drop(held) });
        drop((waiting.unwrap(), other));
        drop(store.lock("c").await.unwrap());
        assert_eq!(store.0.names.lock().len(), 1, "names are forgotten");
    }
}
