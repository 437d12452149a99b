//! Where registrations and tokens are kept between connections, behind a trait: in memory, in a file, or wherever a program
//! keeps its secrets.

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

/// How long a flow waits for another one that works on the same.
const PATIENCE: Duration = Duration::from_secs(30);

/// Keeps registrations and tokens. All of it is one document, so that it is never half changed.
pub trait TokenStore: fmt::Debug + Send + Sync {
    /// Reads all that is kept: nothing, if there is nothing yet.
    fn load(&self) -> BoxFuture<'_, Result<Credentials, TokenStoreError>>;

    /// Changes what is kept, in one step that no other process divides. If it fails, or its future is dropped, then what is kept
    /// is as before or as changed, and nothing in between.
    fn update<'a>(
        &'a self,
        change: Box<dyn FnOnce(&mut Credentials) + Send + 'a>,
    ) -> BoxFuture<'a, Result<(), TokenStoreError>>;

    /// Waits until no other flow, in any process that uses this store, works on what `name` stands for; at most half a minute.
    ///
    /// Two that renew one token at the same time look like a theft to an authorization server, which then revokes it.
    fn lock<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<StoreLock, TokenStoreError>>;

    /// Says to people where that is.
    fn place(&self) -> String;
}

/// The right to work alone on something in a [`TokenStore`], until it is dropped.
pub struct StoreLock {
    _held: Box<dyn Any + Send + Sync>,
}

impl StoreLock {
    /// A lock that lasts as long as `held` does, which gives it back when dropped.
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

/// Somebody else did not finish in time.
fn busy(place: &str) -> TokenStoreError {
    let seconds = PATIENCE.as_secs();
    TokenStoreError::new(format!("cannot work on the logins in {place}")).because(format!(
        "another login or renewal has been at work there for {seconds} seconds"
    ))
}
