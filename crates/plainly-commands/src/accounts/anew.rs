//! A store that hides the user's logins because the user wants a new one. The old logins stay
//! stored until that succeeds. The client's own registration is hidden too, because the server may
//! have forgotten it.

use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};

use plainly::client::oauth::credentials::Credentials;
use plainly::client::oauth::{FileStore, StoreLock, TokenStore, TokenStoreError};

/// The user's logins, which are hidden until one is added.
#[derive(Debug)]
pub(super) struct FreshLogins {
    logins: FileStore,
    /// Whether only the client's own registration is hidden.
    shows_grants: bool,
    is_added: AtomicBool,
}

impl FreshLogins {
    pub(super) fn new(logins: FileStore) -> Self {
        Self {
            logins,
            shows_grants: false,
            is_added: AtomicBool::new(false),
        }
    }

    /// Shows the earlier logins, which name authorization servers.
    pub(super) fn show_grants(mut self) -> Self {
        self.shows_grants = true;
        self
    }
}

type Work<'a, T> = Pin<Box<dyn Future<Output = Result<T, TokenStoreError>> + Send + 'a>>;

impl TokenStore for FreshLogins {
    fn load(&self) -> Work<'_, Credentials> {
        Box::pin(async {
            let mut kept = self.logins.load().await?;
            if !self.is_added.load(Ordering::Relaxed) {
                if !self.shows_grants {
                    kept.grants.clear();
                    kept.servers.clear();
                }
                kept.registrations.retain(|it| !it.is_own());
            }
            Ok(kept)
        })
    }

    fn update<'a>(&'a self, change: Box<dyn FnOnce(&mut Credentials) + Send + 'a>) -> Work<'a, ()> {
        self.logins.update(Box::new(|kept| {
            let before = kept.grants.clone();
            change(kept);
            self.is_added
                .fetch_or(kept.grants != before, Ordering::Relaxed);
        }))
    }

    fn lock<'a>(&'a self, name: &'a str) -> Work<'a, StoreLock> {
        self.logins.lock(name)
    }

    fn place(&self) -> String {
        self.logins.place()
    }
}
