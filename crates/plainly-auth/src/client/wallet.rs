//! The token in use on a connection, and its history there.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use futures_util::future::{BoxFuture, Shared, WeakShared};
use plainly_oauth::credentials::Grant;
use plainly_oauth::jose::SigningKey;
use tokio::sync::watch;

use plainly_client::AuthError;
use plainly_transport::lock::Lock;

/// A token in use.
#[derive(Debug)]
pub(super) struct TokenInUse {
    /// Which of the tokens of this connection it is; the first is 1.
    pub(super) generation: u64,
    pub(super) grant: Grant,
    /// The key that it is bound to.
    pub(super) key: Option<SigningKey>,
    pub(super) came: Came,
    /// Whether a server has let it in.
    was_accepted: AtomicBool,
}

/// The origin of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Came {
    /// It was kept, or another flow got it.
    Kept,
    /// Renewed, without the user.
    Renewed,
    /// It was just given, to who has a right to it.
    Fresh,
}

impl TokenInUse {
    pub(super) fn was_accepted(&self) -> bool {
        self.was_accepted.load(Ordering::Relaxed)
    }

    /// Whether it ends soon, or has ended.
    pub(super) fn ends_soon(&self, now: u64) -> bool {
        let soon = self.grant.renew_at.or(self.grant.expires_at);
        soon.is_some_and(|at| at <= now)
    }
}

/// A flow that several requests may wait for. It goes on while one of them does.
pub(super) type Flight = Shared<BoxFuture<'static, Result<(), AuthError>>>;

/// The state that all requests of a connection share.
#[derive(Debug)]
pub(super) struct Wallet {
    inner: Lock<WalletState>,
    /// Whether the user is being asked.
    pub(super) asking: watch::Sender<bool>,
}

#[derive(Default)]
struct WalletState {
    is_loaded: bool,
    generation: u64,
    held: Option<Arc<TokenInUse>>,
    flight: Option<WeakShared<BoxFuture<'static, Result<(), AuthError>>>>,
    /// The number of requests for more scopes since the last accepted request.
    steps: u32,
    /// The only authorization server that may see the client's id.
    issuer: Option<String>,
    /// The last nonce of each origin.
    nonces: Vec<(String, String)>,
}

impl std::fmt::Debug for WalletState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WalletState")
            .field("held", &self.held)
            .finish_non_exhaustive()
    }
}

/// The most origins whose nonces are kept.
const NONCES: usize = 16;

impl Default for Wallet {
    fn default() -> Self {
        Self {
            inner: Lock::default(),
            asking: watch::Sender::new(false),
        }
    }
}

impl Wallet {
    /// The token in use.
    pub(super) fn held(&self) -> Option<Arc<TokenInUse>> {
        self.inner.lock().held.clone()
    }

    /// The number of the token in use; 0 without one.
    pub(super) fn generation(&self) -> u64 {
        let inner = self.inner.lock();
        inner.held.as_ref().map_or(0, |held| held.generation)
    }

    /// Returns whether the stored credentials were loaded, and marks them as loaded.
    pub(super) fn set_loaded(&self) -> bool {
        std::mem::replace(&mut self.inner.lock().is_loaded, true)
    }

    /// Uses this token from now on.
    pub(super) fn hold(&self, grant: Grant, key: Option<SigningKey>, came: Came) {
        let mut inner = self.inner.lock();
        inner.generation += 1;
        inner.held = Some(Arc::new(TokenInUse {
            generation: inner.generation,
            grant,
            key,
            came,
            was_accepted: AtomicBool::new(false),
        }));
    }

    /// Uses no token from now on.
    pub(super) fn let_go(&self) {
        self.inner.lock().held = None;
    }

    /// Notes that a server has let a request in, with the token in use.
    pub(super) fn accepted(&self) {
        let mut inner = self.inner.lock();
        inner.steps = 0;
        if let Some(held) = &inner.held {
            held.was_accepted.store(true, Ordering::Relaxed);
        }
    }

    /// The number of requests for more scopes since the last accepted request.
    pub(super) fn steps(&self) -> u32 {
        self.inner.lock().steps
    }

    /// Counts an attempt to get more scopes that was answered. One that is given up does not count.
    pub(super) fn step(&self) {
        self.inner.lock().steps += 1;
    }

    /// The flow that is under way, or else the one that `begin` begins.
    pub(super) fn join(&self, begin: impl FnOnce() -> Flight) -> Flight {
        let mut inner = self.inner.lock();
        let under_way = inner.flight.as_ref().and_then(WeakShared::upgrade);
        under_way
            .filter(|it| it.peek().is_none())
            .unwrap_or_else(|| {
                let flight = begin();
                inner.flight = flight.downgrade();
                flight
            })
    }

    /// The issuer that the client's id belongs to: the first that is asked for.
    pub(super) fn bind(&self, issuer: &str) -> String {
        let mut inner = self.inner.lock();
        inner
            .issuer
            .get_or_insert_with(|| issuer.to_owned())
            .clone()
    }

    /// The last nonce that this origin has given.
    pub(super) fn nonce(&self, origin: &str) -> Option<String> {
        let inner = self.inner.lock();
        let mut nonces = inner.nonces.iter();
        nonces
            .find(|(it, _)| it == origin)
            .map(|(_, nonce)| nonce.clone())
    }

    /// Keeps the nonce that this origin gave last.
    pub(super) fn keep_nonce(&self, origin: &str, nonce: String) {
        let mut inner = self.inner.lock();
        inner.nonces.retain(|(it, _)| it != origin);
        if inner.nonces.len() >= NONCES {
            inner.nonces.remove(0);
        }
        inner.nonces.push((origin.to_owned(), nonce));
    }
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
        // The one that came first had to go.
        let nonces = ["a", "b", "0"].map(|origin| wallet.nonce(origin).is_some());
        assert_eq!(nonces, [true, false, true]);
    }
}
