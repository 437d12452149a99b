//! Seals data that a server sends out only to get it back. Others can't read it, change it, or use
//! it for another purpose, and it expires. The sealed text contains all data, so any process with
//! the same key can open it.

mod file;
mod keys;
mod ring;

use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

pub use self::file::KeyFileError;
pub use self::keys::Keys;
pub use self::ring::{InvalidKeys, InvalidSeal, Purpose};

/// The keys given to a server, or a key that it generates when it first seals data.
#[derive(Debug)]
pub struct Sealer(OnceLock<Keys>);

impl Sealer {
    /// Creates a sealer with these keys, or with a random key if there are none.
    pub fn new(keys: Option<Keys>) -> Self {
        Self(keys.map_or_else(OnceLock::new, OnceLock::from))
    }

    /// Seals `text` for `purpose`. The seal is valid for `ttl` from `now` on.
    pub fn seal(
        &self,
        purpose: Purpose<'_>,
        text: &str,
        now: SystemTime,
        ttl: Duration,
    ) -> Result<String, getrandom::Error> {
        self.keys()?.seal(purpose, text, now, ttl)
    }

    /// Seals bytes that need not be text. [`open_bytes`](Self::open_bytes) opens them.
    pub fn seal_bytes(
        &self,
        purpose: Purpose<'_>,
        content: &[u8],
        now: SystemTime,
        ttl: Duration,
    ) -> Result<Vec<u8>, getrandom::Error> {
        self.keys()?.seal_bytes(purpose, content, now, ttl)
    }

    /// A short proof that a text with this purpose comes from a process with the same keys.
    pub fn proof(&self, purpose: Purpose<'_>, now: SystemTime) -> Result<u64, getrandom::Error> {
        Ok(self.keys()?.proof(purpose, now))
    }

    /// Whether `proof` is the [`proof`](Self::proof) of this purpose by one of the keys.
    pub fn proves(&self, purpose: Purpose<'_>, proof: u64, now: SystemTime) -> bool {
        let keys = self.0.get();
        keys.is_some_and(|keys| keys.proves(purpose, proof, now))
    }

    fn keys(&self) -> Result<&Keys, getrandom::Error> {
        match self.0.get() {
            Some(keys) => Ok(keys),
            None => {
                let random = Keys::random()?;
                // Two threads may each generate a key; both use the one that was stored first.
                Ok(self.0.get_or_init(|| random))
            }
        }
    }

    /// The fingerprints of the keys, by which two processes can compare their keys. The fingerprint
    /// of the sealing key comes first.
    pub fn fingerprints(&self, now: SystemTime) -> Vec<String> {
        let keys = self.0.get().map(|keys| keys.fingerprints(now));
        keys.unwrap_or_default()
    }

    /// The text that was sealed for `purpose`, if the seal is still valid.
    pub fn open(
        &self,
        purpose: Purpose<'_>,
        sealed: &str,
        now: SystemTime,
    ) -> Result<String, InvalidSeal> {
        // Without keys, this process has not sealed anything yet.
        let keys = self.0.get().ok_or(InvalidSeal)?;
        keys.open(purpose, sealed, now)
    }

    /// The bytes that [`seal_bytes`](Self::seal_bytes) sealed for `purpose`, if the seal is still
    /// valid.
    pub fn open_bytes(
        &self,
        purpose: Purpose<'_>,
        sealed: &[u8],
        now: SystemTime,
    ) -> Result<Vec<u8>, InvalidSeal> {
        let keys = self.0.get().ok_or(InvalidSeal)?;
        keys.open_bytes(purpose, sealed, now)
    }
}

#[cfg(test)]
mod tests;
