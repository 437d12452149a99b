//! Secret keys in order, and sealing with them.

use std::str::FromStr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};

/// The length of a key in bytes.
pub(super) const KEY: usize = 32;

/// The length of the nonce in bytes. The nonce makes two seals of the same text differ, and is long
/// enough to be random with any number of replicas.
const NONCE: usize = 24;

/// The length of the expiry time in bytes: milliseconds since 1970.
const UNTIL: usize = 8;

/// The purpose of a seal. No purpose is a prefix of another, because each part is preceded by its
/// length.
pub type Purpose<'a> = &'a [&'a str];

/// The reason why a seal can't be opened: it was made with another key or for another purpose, was
/// changed, has expired, or is not a seal. The error does not say which.
#[derive(Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_structs, reason = "nobody is told more")]
pub struct InvalidSeal;

/// A key.
#[derive(Clone)]
pub(super) struct Key(XChaCha20Poly1305);

impl Key {
    pub(super) fn new(key: [u8; KEY]) -> Self {
        Self(XChaCha20Poly1305::new(&key.into()))
    }

    /// Parses the key in a line of text.
    fn read(digits: &str) -> Option<Self> {
        let mut key = [0; KEY];
        let (pairs, []) = digits.as_bytes().as_chunks::<2>() else {
            return None;
        };
        if pairs.len() != KEY {
            return None;
        }
        for (byte, pair) in key.iter_mut().zip(pairs) {
            let [high, low] = pair.map(|digit| char::from(digit).to_digit(16));
            *byte = u8::try_from(high? << 4 | low?).ok()?;
        }
        Some(Self::new(key))
    }

    /// A fingerprint of the key, by which processes can compare their keys: 16 bits, which reveal
    /// nothing about the key.
    pub(super) fn fingerprint(&self) -> String {
        format!("{:04x}", self.proof(&["fingerprint"]) >> 48)
    }

    pub(super) fn seal(
        &self,
        purpose: Purpose<'_>,
        content: &[u8],
        now: SystemTime,
        ttl: Duration,
    ) -> Result<Vec<u8>, getrandom::Error> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce)?;
        let until = since_1970(now).saturating_add(millis(ttl));
        let message = [&until.to_be_bytes(), content].concat();
        let payload = Payload {
            msg: &message,
            aad: &bound(purpose),
        };
        let sealed = self.0.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.expect("only a content of 256 GiB is too long");
        Ok([nonce.as_slice(), &sealed].concat())
    }

    /// The proof of this purpose, which only processes with the key can make: short, and always the
    /// same.
    pub(super) fn proof(&self, purpose: Purpose<'_>) -> u64 {
        let aad = bound(purpose);
        let digest: [u8; KEY] = Sha256::digest(&aad).into();
        // Another nonce for each purpose and no content, because nothing is ever sealed like this.
        let nonce = digest.first_chunk::<NONCE>().expect("a digest is longer");
        let payload = Payload {
            msg: &[],
            aad: &aad,
        };
        let tag = self.0.encrypt(&XNonce::from(*nonce), payload);
        let tag = tag.expect("nothing is not too long");
        u64::from_be_bytes(*tag.first_chunk().expect("a tag is longer"))
    }
}

/// The content that one of the keys sealed for `purpose`, if the seal is still valid.
pub(super) fn open<'a>(
    keys: impl IntoIterator<Item = &'a Key>,
    purpose: Purpose<'_>,
    sealed: &[u8],
    now: SystemTime,
) -> Result<Vec<u8>, InvalidSeal> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE>().ok_or(InvalidSeal)?;
    let (nonce, aad) = (XNonce::from(*nonce), bound(purpose));
    // The cipher compares in constant time.
    let open = |Key(cipher): &Key| {
        let payload = Payload {
            msg: sealed,
            aad: &aad,
        };
        cipher.decrypt(&nonce, payload).ok()
    };
    let mut message = keys.into_iter().find_map(open).ok_or(InvalidSeal)?;
    let until = message.first_chunk::<UNTIL>().ok_or(InvalidSeal)?;
    if since_1970(now) >= u64::from_be_bytes(*until) {
        return Err(InvalidSeal);
    }
    message.drain(..UNTIL);
    Ok(message)
}

fn bound(purpose: Purpose<'_>) -> Vec<u8> {
    let mut bound = Vec::new();
    for part in purpose {
        bound.extend((part.len() as u64).to_be_bytes());
        bound.extend(part.as_bytes());
    }
    bound
}

fn since_1970(time: SystemTime) -> u64 {
    millis(time.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO))
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// The keys in a text, at least one.
pub(super) struct KeyLines(pub(super) Vec<Key>);

/// Parses one key per line, as 64 hexadecimal digits. Empty lines are ignored.
impl FromStr for KeyLines {
    type Err = InvalidKeys;

    fn from_str(text: &str) -> Result<Self, InvalidKeys> {
        let lines = text.lines().map(str::trim).enumerate();
        let lines = lines.filter(|(_, line)| !line.is_empty());
        let keys = lines.map(|(index, line)| Key::read(line).ok_or(InvalidKeys::Line(index + 1)));
        let keys: Vec<_> = keys.collect::<Result<_, _>>()?;
        match keys.is_empty() {
            true => Err(InvalidKeys::Empty),
            false => Ok(Self(keys)),
        }
    }
}

/// The reason why a text contains no valid keys. Reveals nothing of its content.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKeys {
    /// The text contains no key.
    #[error("there is no key")]
    Empty,
    /// This line, counted from 1, is not a key.
    #[error("line {0} is not a key of 64 hexadecimal digits")]
    Line(usize),
}

plainly_errors::debug_with_causes!(InvalidKeys);
