//! The keys of a server, as programs give them.

use std::fmt;
use std::iter;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use super::file::{FileKeys, KeyFile, KeyFileError};
use super::ring::{self, InvalidKeys, InvalidSeal, KEY, Key, KeyLines, Purpose};

/// The secret keys with which a server seals data that its clients return: cursors, and the answers
/// so far if a request is answered with questions (`Ask`). Replicas with the same keys can continue
/// each other's work. Without keys, each process generates its own, and a restart invalidates the
/// listings and the rounds of questions in progress.
///
/// The first key seals, and all of them open. To replace a key while replicas run, use a
/// [file](Self::file).
///
/// ```
/// use plainly::server::Keys;
///
/// let mut text = "a5".repeat(32);
/// let keys: Keys = text.parse()?;
/// assert_eq!(format!("{keys:?}"), "Keys(1)");
///
/// text = format!("{}\n{text}\n", "0f".repeat(32));
/// let rotated: Keys = text.parse()?;
/// # Ok::<(), plainly::server::InvalidKeys>(())
/// ```
#[derive(Clone)]
pub struct Keys {
    /// The file, whose keys come before the others.
    file: Option<Arc<KeyFile>>,
    /// The keys given directly. Never empty without a file.
    given: Vec<Key>,
}

impl Keys {
    /// A key that seals and opens: 32 bytes from a random source.
    pub fn new(key: [u8; KEY]) -> Self {
        Self {
            file: None,
            given: vec![Key::new(key)],
        }
    }

    /// The keys in a file, one on each line as 64 hexadecimal digits. The file is read again when
    /// it changes.
    ///
    /// To replace a key, write a new one above it, on every replica in any order within five
    /// minutes. Once the file is five minutes old, the first key seals; until then, the second one
    /// does. When all data sealed with the old key has expired (after a day, by default), remove
    /// the old key.
    ///
    /// If the file can't be used after a change, an error is logged and the previous keys stay in
    /// use.
    pub fn file(path: impl Into<PathBuf>) -> Result<Self, KeyFileError> {
        Ok(Self {
            file: Some(Arc::new(KeyFile::read(path.into())?)),
            given: Vec::new(),
        })
    }

    /// Adds a key that only opens.
    #[must_use]
    pub fn and(mut self, key: [u8; KEY]) -> Self {
        self.given.push(Key::new(key));
        self
    }

    /// A new secret key.
    pub(super) fn random() -> Result<Self, getrandom::Error> {
        let mut key = [0; KEY];
        getrandom::fill(&mut key)?;
        Ok(Self::new(key))
    }

    /// Seals a text as text.
    pub(super) fn seal(
        &self,
        purpose: Purpose<'_>,
        text: &str,
        now: SystemTime,
        ttl: Duration,
    ) -> Result<String, getrandom::Error> {
        let sealed = self.seal_bytes(purpose, text.as_bytes(), now, ttl)?;
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    pub(super) fn seal_bytes(
        &self,
        purpose: Purpose<'_>,
        content: &[u8],
        now: SystemTime,
        ttl: Duration,
    ) -> Result<Vec<u8>, getrandom::Error> {
        self.with_first(now, |key| key.seal(purpose, content, now, ttl))
    }

    pub(super) fn proof(&self, purpose: Purpose<'_>, now: SystemTime) -> u64 {
        self.with_first(now, |key| key.proof(purpose))
    }

    /// Calls `with` with the sealing key.
    fn with_first<T>(&self, now: SystemTime, with: impl FnOnce(&Key) -> T) -> T {
        let read = self.read(now);
        let of_file = read.as_ref().map(|keys| keys.sealing(now));
        let key = of_file.or_else(|| self.given.first());
        with(key.expect("there is always a key"))
    }

    /// The current keys of the file, if there is one.
    fn read(&self, now: SystemTime) -> Option<FileKeys> {
        self.file.as_ref().map(|file| file.current(now))
    }

    /// All keys: those of the file and those given directly.
    fn all<'a>(&'a self, read: &'a Option<FileKeys>) -> impl Iterator<Item = &'a Key> {
        read.iter().flat_map(FileKeys::all).chain(&self.given)
    }

    pub(super) fn proves(&self, purpose: Purpose<'_>, proof: u64, now: SystemTime) -> bool {
        let read = self.read(now);
        self.all(&read).any(|key| key.proof(purpose) == proof)
    }

    pub(super) fn open(
        &self,
        purpose: Purpose<'_>,
        sealed: &str,
        now: SystemTime,
    ) -> Result<String, InvalidSeal> {
        let sealed = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| InvalidSeal)?;
        let text = self.open_bytes(purpose, &sealed, now)?;
        String::from_utf8(text).map_err(|_| InvalidSeal)
    }

    pub(super) fn open_bytes(
        &self,
        purpose: Purpose<'_>,
        sealed: &[u8],
        now: SystemTime,
    ) -> Result<Vec<u8>, InvalidSeal> {
        ring::open(self.all(&self.read(now)), purpose, sealed, now)
    }

    /// The fingerprints of the keys. The fingerprint of the sealing key comes first.
    pub(super) fn fingerprints(&self, now: SystemTime) -> Vec<String> {
        let first = self.with_first(now, Key::fingerprint);
        let mut all: Vec<_> = self.all(&self.read(now)).map(Key::fingerprint).collect();
        all.sort_by_key(|mark| *mark != first);
        all
    }

    fn count(&self) -> usize {
        let of_file = self.file.iter().map(|file| file.count());
        of_file.chain(iter::once(self.given.len())).sum()
    }
}

/// Shows the number of keys only, so that their values stay hidden.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keys({})", self.count())
    }
}

/// Parses one key per line, as 64 hexadecimal digits. Empty lines are ignored.
impl FromStr for Keys {
    type Err = InvalidKeys;

    fn from_str(text: &str) -> Result<Self, InvalidKeys> {
        let KeyLines(given) = text.parse()?;
        Ok(Self { file: None, given })
    }
}
