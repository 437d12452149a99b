//! Seals texts that go to a client only to come back: others can't read them, change them, or use
//! them for another purpose, and they expire. Everything is in the sealed text, so any process with
//! the same key can open it. Knows nothing of the texts.

mod file;
mod keys;
mod ring;

use std::sync::OnceLock;
use std::time::{Duration, SystemTime};

pub use self::file::KeyFileError;
pub use self::keys::Keys;
pub use self::ring::{InvalidKeys, InvalidSeal, Purpose};

/// The keys that a server was given, or one that it makes for itself when it first seals something.
#[derive(Debug)]
pub struct Sealer(OnceLock<Keys>);

impl Sealer {
    /// Seals with these keys; with a random one, if there are none.
    pub fn new(keys: Option<Keys>) -> Self {
        Self(keys.map_or_else(OnceLock::new, OnceLock::from))
    }

    /// Seals `text` for `purpose`, from `now` on good for `ttl`.
    pub fn seal(
        &self,
        purpose: Purpose<'_>,
        text: &str,
        now: SystemTime,
        ttl: Duration,
    ) -> Result<String, getrandom::Error> {
        let keys = match self.0.get() {
            Some(keys) => keys,
            None => {
                let random = Keys::random()?;
                // Two threads may each draw a key; both use the one that was there first.
                self.0.get_or_init(|| random)
            }
        };
        keys.seal(purpose, text, now, ttl)
    }

    /// The text that was sealed for `purpose`, if it is still good.
    pub fn open(
        &self,
        purpose: Purpose<'_>,
        sealed: &str,
        now: SystemTime,
    ) -> Result<String, InvalidSeal> {
        // Without keys, this process has sealed nothing yet.
        let keys = self.0.get().ok_or(InvalidSeal)?;
        keys.open(purpose, sealed, now)
    }
}

#[cfg(test)]
mod tests;
