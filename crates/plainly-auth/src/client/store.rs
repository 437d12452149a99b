//! The trait for stores of registrations and tokens between connections: in memory, in a file, or
//! in a program's own secret store.

mod error;
mod file;
mod keychain;
mod memory;

use std::any::Any;
use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;
use plainly_oauth::credentials::Credentials;

pub use self::error::TokenStoreError;
pub use self::file::FileStore;
pub use self::keychain::Keychain;
pub use self::memory::MemoryStore;

/// The longest wait of a flow for another flow with the same name: less than connecting may take,
/// so that the user learns the reason.
const PATIENCE: Duration = Duration::from_secs(10);

/// Stores registrations and tokens. All of them are one document, so that it is never partly
/// changed.
pub trait TokenStore: fmt::Debug + Send + Sync {
    /// Reads everything that is stored; empty if nothing is stored yet.
    fn load(&self) -> BoxFuture<'_, Result<Credentials, TokenStoreError>>;

    /// Changes the stored credentials in one atomic step. If that fails, or its future is dropped,
    /// then the credentials are either unchanged or completely changed.
    fn update<'a>(
        &'a self,
        change: Box<dyn FnOnce(&mut Credentials) + Send + 'a>,
    ) -> BoxFuture<'a, Result<(), TokenStoreError>>;

    /// Waits until no other flow, in any process with this store, works on the object `name`; for
    /// at most 10 seconds.
    ///
    /// Two simultaneous renewals of one token look like a theft to an authorization server, which
    /// then revokes it.
    fn lock<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<StoreLock, TokenStoreError>>;

    /// The name of the store for users.
    fn place(&self) -> String;
}

/// The exclusive right to work on an object in a [`TokenStore`], until this is dropped.
pub struct StoreLock {
    _held: Box<dyn Any + Send + Sync>,
}

impl StoreLock {
    /// A lock that lasts until it drops `held`.
    pub fn new(held: impl Send + Sync + 'static) -> Self {
        let _held = Box::new(held);
        Self { _held }
    }
}

impl fmt::Debug for StoreLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreLock")
    }
}

/// The error when another flow did not finish in time.
fn busy(place: &str) -> TokenStoreError {
    let seconds = PATIENCE.as_secs();
    TokenStoreError::new(format!("cannot work on the logins in {place}")).because(format!(
        "another login or renewal is still running after {seconds} seconds"
    ))
}
