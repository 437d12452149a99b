//! The token in use on a connection, and its history there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{BoxFuture, Shared, WeakShared};
use plainly_oauth::credentials::Grant;
use plainly_oauth::jose::SigningKey;
use tokio::sync::watch;

use super::OAuthError;
use super::failures;
use plainly_transport::lock::Lock;

/// A token in use.
#[derive(Debug)]
pub(super) struct TokenInUse {
    /// The number of the token on this connection, starting with 1.
    pub(super) generation: u64,
    pub(super) grant: Grant,
    /// The key that the token is bound to.
    pub(super) key: Option<SigningKey>,
    pub(super) origin: TokenOrigin,
    /// Whether a server has accepted the token.
    was_accepted: AtomicBool,
}

/// The origin of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenOrigin {
    /// The store, where another flow may have stored it.
    Stored,
    /// A renewal, without the user.
    Renewed,
    /// The authorization server, after a login.
    Issued,
}

impl TokenInUse {
    pub(super) fn was_accepted(&self) -> bool {
        self.was_accepted.load(Ordering::Relaxed)
    }

    /// Whether the token expires soon, or has expired.
    pub(super) fn ends_soon(&self, now: u64) -> bool {
        let soon = self.grant.renew_at.or(self.grant.expires_at);
        soon.is_some_and(|at| at <= now)
    }
}

/// A flow that several requests may wait for. It runs as long as at least one request waits.
pub(super) type SharedFlow = Shared<BoxFuture<'static, Result<(), OAuthError>>>;

/// The state that all requests of a connection share.
#[derive(Debug)]
pub(super) struct Wallet {
    inner: Lock<WalletState>,
    /// Whether a flow waits for the user.
    pub(super) is_waiting: watch::Sender<bool>,
}

#[derive(Default)]
struct WalletState {
    is_loaded: bool,
    generation: u64,
    token: Option<Arc<TokenInUse>>,
    flow: Option<WeakShared<BoxFuture<'static, Result<(), OAuthError>>>>,
    /// The number of step-ups since the last accepted request.
    step_ups: u32,
    /// The only authorization server that may receive the client's id.
    issuer: Option<String>,
    /// The last nonce of each origin.
    nonces: Vec<(String, String)>,
}

impl std::fmt::Debug for WalletState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WalletState")
            .field("token", &self.token)
            .finish_non_exhaustive()
    }
}

/// The most origins whose nonces are stored.
const NONCES: usize = 16;

impl Default for Wallet {
    fn default() -> Self {
        Self {
            inner: Lock::default(),
            is_waiting: watch::Sender::new(false),
        }
    }
}

impl Wallet {
    /// The token in use.
    pub(super) fn token(&self) -> Option<Arc<TokenInUse>> {
        self.inner.lock().token.clone()
    }

    /// Returns whether the stored credentials were loaded, and marks them as loaded.
    pub(super) fn set_loaded(&self) -> bool {
        std::mem::replace(&mut self.inner.lock().is_loaded, true)
    }

    /// Uses this token from now on.
    pub(super) fn set(&self, grant: Grant, origin: TokenOrigin) -> Result<(), OAuthError> {
        let key = dpop_key(&grant)?;
        let mut inner = self.inner.lock();
        inner.generation += 1;
        inner.token = Some(Arc::new(TokenInUse {
            generation: inner.generation,
            grant,
            key,
            origin,
            was_accepted: AtomicBool::new(false),
        }));
        Ok(())
    }

    /// Uses no token from now on.
    pub(super) fn clear(&self) {
        self.inner.lock().token = None;
    }

    /// Notes that a server accepted a request with the token in use.
    pub(super) fn accepted(&self) {
        let mut inner = self.inner.lock();
        inner.step_ups = 0;
        if let Some(token) = &inner.token {
            token.was_accepted.store(true, Ordering::Relaxed);
        }
    }

    /// The number of step-ups since the last accepted request.
    pub(super) fn step_ups(&self) -> u32 {
        self.inner.lock().step_ups
    }

    /// Counts a step-up that was answered. A step-up whose caller was dropped does not count.
    pub(super) fn count_step_up(&self) {
        self.inner.lock().step_ups += 1;
    }

    /// Marks that a flow waits for the user, until the result is dropped.
    pub(super) fn wait_for_user(&self) -> UserWait<'_> {
        self.is_waiting.send_replace(true);
        UserWait(self)
    }

    /// The running flow, or else the one that `start` returns.
    pub(super) fn join(&self, start: impl FnOnce() -> SharedFlow) -> SharedFlow {
        let mut inner = self.inner.lock();
        let running = inner.flow.as_ref().and_then(WeakShared::upgrade);
        running.filter(|it| it.peek().is_none()).unwrap_or_else(|| {
            let flow = start();
            inner.flow = flow.downgrade();
            flow
        })
    }

    /// The issuer that the client's id belongs to: the first one that requires it.
    pub(super) fn bind(&self, issuer: &str) -> String {
        let mut inner = self.inner.lock();
        let bound = inner.issuer.get_or_insert_with(|| issuer.to_owned());
        bound.clone()
    }

    /// The last nonce of this origin.
    pub(super) fn nonce(&self, origin: &str) -> Option<String> {
        let inner = self.inner.lock();
        let found = inner.nonces.iter().find(|(it, _)| it == origin);
        found.map(|(_, nonce)| nonce.clone())
    }

    /// Stores the last nonce of this origin.
    pub(super) fn keep_nonce(&self, origin: &str, nonce: String) {
        let mut inner = self.inner.lock();
        inner.nonces.retain(|(it, _)| it != origin);
        if inner.nonces.len() >= NONCES {
            inner.nonces.remove(0);
        }
        inner.nonces.push((origin.to_owned(), nonce));
    }
}

/// A wait for the user.
pub(super) struct UserWait<'a>(&'a Wallet);

impl Drop for UserWait<'_> {
    fn drop(&mut self) {
        self.0.is_waiting.send_replace(false);
    }
}

/// The key that a grant is bound to.
pub(super) fn dpop_key(grant: &Grant) -> Result<Option<SigningKey>, OAuthError> {
    let key = grant.dpop_key.as_ref().map(SigningKey::from_secret);
    key.transpose().map_err(failures::key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_nonce_of_each_origin_is_kept_of_so_many_origins() {
        let wallet = Wallet::default();
        for (origin, nonce) in [("a", "1"), ("b", "2"), ("a", "3")] {
            wallet.keep_nonce(origin, nonce.to_owned());
        }
        let nonces = ["a", "b", "c"].map(|origin| wallet.nonce(origin));
        assert_eq!(nonces, [Some("3".to_owned()), Some("2".to_owned()), None]);
        for origin in 0..NONCES - 1 {
            wallet.keep_nonce(&origin.to_string(), "n".to_owned());
        }
        // The nonce that was stored first is removed.
        let nonces = ["a", "b", "0"].map(|origin| wallet.nonce(origin).is_some());
        assert_eq!(nonces, [true, false, true]);
    }
}
