//! Caches results for as long as their server allows (2026-07-28, "Caching"). [`kept`] stores them
//! within bounds, [`told`] stores the changes that servers reported, and a [`shelf`] is the part
//! that one client may read and write. A call looks its result up in one place, before its first
//! attempt.

pub(crate) mod change;
mod kept;
mod shelf;
mod tags;
mod told;

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::fmt;
use std::hash::{BuildHasher as _, Hash, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

pub use self::change::Change;
pub(crate) use self::shelf::{Fetch, Shelf};
pub(crate) use self::tags::is_not_modified;

use self::kept::KeptResults;
use self::told::ServerChanges;
use plainly_transport::lock::Lock;

/// Caches the results of servers for as long as they allow, for the clients that are
/// [built](crate::Builder::cache) with it. Clones share the results.
///
/// The cache stores listings, resources that were read and the result of discovery, if the server
/// says for how long (`ttlMs`, at most 24 hours). When an open subscription reports a change, the
/// results that it affects are removed at once; when changes may have been missed, all results of
/// that server are. The cache never stores errors, results that came after answers to the server's
/// questions, or results of calls with `_meta` of their own.
///
/// A result that the server marks as `private` is only for clients with the same headers and the
/// same token at the same URL; a client whose token changes starts with no private results. A
/// result that is marked as `public` is for every client at that URL that declares the same
/// capabilities, **whatever its credentials**. If the server wrongly marks a result as `public`,
/// all these clients can read it; to prevent this, give each user a cache. Over other transports
/// than HTTP, nothing is shared.
///
/// The oldest results are removed first when there are more than 10,000, or more than 64 MiB.
///
/// ```
/// use std::time::Duration;
///
/// use plainly::client::{Cache, Client};
/// use plainly::protocol::types::{CacheHint, CacheScope};
/// use plainly::{Resource, Server};
///
/// async fn style() -> &'static str {
///     "dark"
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let hour = CacheHint::new(Duration::from_secs(3600), CacheScope::Private);
/// let style = Resource::new("style://now", style).cache_hint(hour);
/// let server = Server::builder("styles", "1.0.0").resource(style).build()?;
///
/// let cache = Cache::default();
/// let client = Client::in_memory(&server).cache(cache.clone()).connect().await?;
/// client.read("style://now").await?;
/// client.read("style://now").await?;
/// assert_eq!((cache.hits(), cache.misses()), (1, 1));
///
/// // Asks the server, and keeps what it says now.
/// client.fresh().read("style://now").await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Cache {
    shared: Arc<SharedCache>,
    /// The time for which an expired result is still good enough if its server fails.
    stale: Duration,
}

/// The state that all clones of a cache share.
#[derive(Default)]
struct SharedCache {
    kept: Lock<KeptResults>,
    /// The reported changes of the servers that clients are connected to, or that have a cached
    /// result.
    servers: Lock<HashMap<Fingerprint, Weak<ServerChanges>>>,
    /// Counts changes, so that each is known to be before or after a call.
    clock: AtomicU64,
    /// Numbers the servers that only one client can reach.
    alone: AtomicU64,
    hashers: [RandomState; 2],
    hits: AtomicU64,
    misses: AtomicU64,
}

/// A hash in place of a text that is not stored, such as a token. It has secret keys, so two texts
/// are not equal by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Fingerprint([u64; 2]);

impl Cache {
    /// Allows results that expired at most `longest` ago where a server can't be reached, or can't
    /// answer now, for clients that are built with this clone. By default, no expired results are
    /// allowed. A result that the server reported as changed is never returned, and a
    /// [fresh](crate::Client::fresh) call never gets an expired one.
    #[must_use]
    pub fn stale_on_error(self, longest: Duration) -> Self {
        Self {
            stale: longest,
            ..self
        }
    }

    /// The number of calls that were answered from the cache, without a request.
    pub fn hits(&self) -> u64 {
        self.shared.hits.load(Ordering::Relaxed)
    }

    /// The number of calls that could have been answered from the cache, but had no cached result.
    pub fn misses(&self) -> u64 {
        self.shared.misses.load(Ordering::Relaxed)
    }
}

impl SharedCache {
    fn fingerprint(&self, parts: impl Hash) -> Fingerprint {
        let [first, second] = &self.hashers;
        Fingerprint([first.hash_one(&parts), second.hash_one(&parts)])
    }

    /// The changes that `server` reported, shared by all clients.
    fn changes_at(&self, server: Fingerprint) -> Arc<ServerChanges> {
        let mut servers = self.servers.lock();
        if let Some(changes) = servers.get(&server).and_then(Weak::upgrade) {
            return changes;
        }
        servers.retain(|_, changes| changes.strong_count() > 0);
        let changes = Arc::default();
        servers.insert(server, Arc::downgrade(&changes));
        changes
    }
}

/// Shows no results, because they may be secret.
impl fmt::Debug for Cache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cache")
            .field("hits", &self.hits())
            .field("misses", &self.misses())
            .field("stale", &self.stale)
            .finish_non_exhaustive()
    }
}
