//! The trait for the system's store of its users' secrets.

use std::fmt;

use plainly_oauth::Secret;

use super::TokenStoreError;

/// One secret that the system keeps for this program and its user, in what it calls a keychain, a keyring or credentials: the key
/// that the rest is encrypted with, in a [`FileStore`](super::FileStore).
///
/// That secret is all that a keychain is asked to keep. They have limits that logins don't fit in, ask their user about each
/// entry, and can't change two entries in one step.
///
/// The methods may wait for the system, and for a person whom that asks. They are called where nothing else waits for them, and
/// not waited for longer than two minutes.
pub trait Keychain: fmt::Debug + Send + Sync {
    /// The secret; nothing if none was kept.
    fn load(&self) -> Result<Option<Secret>, TokenStoreError>;

    /// Keeps the secret, instead of one that was kept.
    fn keep(&self, secret: &Secret) -> Result<(), TokenStoreError>;

    /// Names the keychain for users: `the keychain of macOS`.
    fn place(&self) -> String;
}
