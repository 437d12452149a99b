//! The trait for the operating system's secret store.

use std::fmt;

use plainly_oauth::Secret;

use super::TokenStoreError;

/// One secret that the operating system stores for this program and its user, in a store that it
/// calls keychain, keyring or credentials. The secret is the encryption key of a
/// [`FileStore`](super::FileStore).
///
/// A keychain stores only this secret. The logins themselves don't fit, because keychains limit the
/// size of entries, ask the user about each entry, and can't change two entries in one step.
///
/// The methods may wait for the system, and for the user that it asks. They run on a thread that
/// blocks no other work, and the caller waits for at most two minutes.
pub trait Keychain: fmt::Debug + Send + Sync {
    /// The stored secret; `None` if there is none.
    fn load(&self) -> Result<Option<Secret>, TokenStoreError>;

    /// Stores the secret, in place of an earlier one.
    fn keep(&self, secret: &Secret) -> Result<(), TokenStoreError>;

    /// The name of the keychain for users, such as `the keychain of macOS`.
    fn place(&self) -> String;
}
