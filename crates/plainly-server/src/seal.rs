//! Seals texts that go to a client only to come back: others can't read them, change them, or use
//! them for another purpose, and they expire. Everything is in the sealed text, so any process with
//! the same key can open it. Knows nothing of the texts.

use std::fmt;
use std::str::FromStr;
use std::sync::OnceLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};

/// Bytes of a key.
const KEY: usize = 32;

/// Length of the nonce, which makes two seals of one text differ. Long enough to be random with any number of replicas.
const NONCE: usize = 24;

/// Bytes of the time until which a seal is good, in milliseconds since 1970.
const UNTIL: usize = 8;

/// The secret keys with which a server seals what its clients bring back: cursors, and the answers so far if a request is
/// answered with questions ([`Ask`](super::extract::Ask)). Replicas with the same keys can continue each other's work.
/// Without any, each process generates its own, and a restart invalidates the listings and the rounds of questions in
/// progress.
///
/// The first key seals, and all of them open. To replace a key while replicas run: first give every replica the new key
/// in second place; then give every replica the new key in first place and the old one in second; and when nothing sealed
/// with the old key is left ([`cursor_ttl`](crate::limits::Limits::cursor_ttl),
/// [`state_ttl`](crate::limits::QuestionLimits::state_ttl)), keep only the new one.
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
    /// Never empty.
    ciphers: Vec<XChaCha20Poly1305>,
}

impl Keys {
    /// One key that seals and opens: 32 bytes from a random source.
    pub fn new(key: [u8; KEY]) -> Self {
        Self {
            ciphers: vec![XChaCha20Poly1305::new(&key.into())],
        }
    }

    /// Adds a key that only opens.
    #[must_use]
    pub fn and(mut self, key: [u8; KEY]) -> Self {
        self.ciphers.push(XChaCha20Poly1305::new(&key.into()));
        self
    }

    /// A new secret key.
    fn random() -> Result<Self, getrandom::Error> {
        let mut key = [0; KEY];
        getrandom::fill(&mut key)?;
        Ok(Self::new(key))
    }
}

/// The keys that a server was given, or one that it makes for itself when it first seals something.
#[derive(Debug)]
pub(super) struct Sealer(OnceLock<Keys>);

impl Sealer {
    pub(super) fn new(keys: Option<Keys>) -> Self {
        Self(keys.map_or_else(OnceLock::new, OnceLock::from))
    }

    /// Seals `text` for `purpose`, from `now` on good for `ttl`.
    pub(super) fn seal(
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
    pub(super) fn open(
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

/// The number of keys: their values stay hidden.
impl fmt::Debug for Keys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Keys({})", self.ciphers.len())
    }
}

/// One key on each line, as 64 hexadecimal digits; empty lines mean nothing.
impl FromStr for Keys {
    type Err = InvalidKeys;

    fn from_str(text: &str) -> Result<Self, InvalidKeys> {
        let lines = text.lines().enumerate();
        let mut keys: Option<Self> = None;
        for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
            let key = key(line.trim()).ok_or(InvalidKeys::Line(index + 1))?;
            keys = Some(match keys {
                Some(keys) => keys.and(key),
                None => Self::new(key),
            });
        }
        keys.ok_or(InvalidKeys::Empty)
    }
}

fn key(digits: &str) -> Option<[u8; KEY]> {
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
    Some(key)
}

/// The reason why a text contains no valid keys. Reveals nothing of its content.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidKeys {
    /// There is no key.
    #[error("there is no key")]
    Empty,
    /// This line, counted from 1, is not a key.
    #[error("line {0} is not a key of 64 hexadecimal digits")]
    Line(usize),
}

plainly_errors::debug_with_causes!(InvalidKeys);

/// A sealed text that can't be opened: sealed with another key or for another purpose, changed, too old, or no sealed text at
/// all. Nobody is told which.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct InvalidSeal;

/// The purpose of a seal. None is the beginning of another: each part has its length before it.
pub(super) type Purpose<'a> = &'a [&'a str];

impl Keys {
    fn seal(
        &self,
        purpose: Purpose<'_>,
        text: &str,
        now: SystemTime,
        ttl: Duration,
    ) -> Result<String, getrandom::Error> {
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce)?;
        let until = since_1970(now).saturating_add(millis(ttl));
        let message = [&until.to_be_bytes(), text.as_bytes()].concat();
        let payload = Payload {
            msg: &message,
            aad: &bound(purpose),
        };
        let cipher = self.ciphers.first().expect("there is always a key");
        let sealed = cipher
            .encrypt(&XNonce::from(nonce), payload)
            .expect("only a text of 256 GiB is too long");
        Ok(URL_SAFE_NO_PAD.encode([nonce.as_slice(), &sealed].concat()))
    }

    fn open(
        &self,
        purpose: Purpose<'_>,
        sealed: &str,
        now: SystemTime,
    ) -> Result<String, InvalidSeal> {
        let bytes = URL_SAFE_NO_PAD.decode(sealed).map_err(|_| InvalidSeal)?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE>().ok_or(InvalidSeal)?;
        let (nonce, aad) = (XNonce::from(*nonce), bound(purpose));
        // The cipher compares in constant time.
        let open = |cipher: &XChaCha20Poly1305| {
            let payload = Payload {
                msg: sealed,
                aad: &aad,
            };
            cipher.decrypt(&nonce, payload).ok()
        };
        let message = self.ciphers.iter().find_map(open).ok_or(InvalidSeal)?;
        let (until, text) = message.split_first_chunk::<UNTIL>().ok_or(InvalidSeal)?;
        if since_1970(now) >= u64::from_be_bytes(*until) {
            return Err(InvalidSeal);
        }
        String::from_utf8(text.to_vec()).map_err(|_| InvalidSeal)
    }
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

/// A name that can't be guessed: 128 bits from the system's random source, in hexadecimal.
pub(super) fn random_name() -> Result<String, getrandom::Error> {
    let mut bits = [0; 16];
    getrandom::fill(&mut bits)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bits)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DAY: Duration = Duration::from_secs(24 * 60 * 60);
    const PURPOSE: Purpose<'static> = &["cursor", "notes", "tools/list"];

    fn now() -> SystemTime {
        UNIX_EPOCH + Duration::from_secs(1_800_000_000)
    }

    fn seal(keys: &Keys, text: &str) -> String {
        keys.seal(PURPOSE, text, now(), DAY).unwrap()
    }

    #[test]
    fn nothing_opens_but_what_was_sealed_for_that() {
        let keys = Keys::new([1; KEY]);
        let sealed = seal(&keys, "file:///docs/a");
        assert_eq!(
            keys.open(PURPOSE, &sealed, now()).unwrap(),
            "file:///docs/a"
        );
        let others: [Purpose<'_>; 6] = [
            &["cursor", "notes", "prompts/list"],
            &["cursor", "other", "tools/list"],
            &["state", "notes", "tools/list"],
            &["cursor", "notestools/list"],
            &["cursor", "notes", "tools/list", ""],
            &[],
        ];
        for purpose in others {
            assert_eq!(
                keys.open(purpose, &sealed, now()),
                Err(InvalidSeal),
                "{purpose:?}"
            );
        }
        for text in ["", "null", "%", "AAAA", "=", "é", &"A".repeat(64)] {
            assert_eq!(keys.open(PURPOSE, text, now()), Err(InvalidSeal), "{text}");
        }
    }

    #[test]
    fn it_is_good_until_its_time() {
        let keys = Keys::new([1; KEY]);
        let milli = Duration::from_millis(1);
        for (ttl, after, is_good) in [
            (DAY, Duration::ZERO, true),
            (DAY, DAY - milli, true),
            (DAY, DAY, false),
            (Duration::ZERO, Duration::ZERO, false),
            (Duration::MAX, 10_000 * DAY, true),
        ] {
            let sealed = keys.seal(PURPOSE, "x", now(), ttl).unwrap();
            let opened = keys.open(PURPOSE, &sealed, now() + after);
            assert_eq!(opened.is_ok(), is_good, "{ttl:?} {after:?}");
        }
    }

    #[test]
    fn the_first_key_seals_and_all_open() {
        let (old, new) = ([1; KEY], [2; KEY]);
        let stages = [
            Keys::new(old),
            Keys::new(old).and(new),
            Keys::new(new).and(old),
            Keys::new(new),
        ];
        // Replicas of one stage and the next serve side by side.
        for pair in stages.windows(2) {
            for (one, other) in [(&pair[0], &pair[1]), (&pair[1], &pair[0])] {
                let sealed = seal(one, "x");
                assert_eq!(other.open(PURPOSE, &sealed, now()).as_deref(), Ok("x"));
            }
        }
        let sealed = seal(&stages[2], "x");
        assert_eq!(stages[0].open(PURPOSE, &sealed, now()), Err(InvalidSeal));
    }

    #[test]
    fn a_server_without_keys_opens_what_it_sealed_itself() {
        let [mine, yours] = [(); 2].map(|()| Sealer::new(None));
        assert_eq!(mine.open(PURPOSE, "", now()), Err(InvalidSeal));
        let sealed = [&mine, &yours].map(|it| it.seal(PURPOSE, "x", now(), DAY).unwrap());
        assert_eq!(mine.open(PURPOSE, &sealed[0], now()).as_deref(), Ok("x"));
        assert_eq!(mine.open(PURPOSE, &sealed[1], now()), Err(InvalidSeal));
    }

    #[test]
    fn keys_are_read_from_lines() {
        let one = "0123456789abcdefABCDEF00".to_owned() + &"7f".repeat(20);
        let good = [one.clone(), format!("\n  {one} \r\n\n{one}\n")];
        for (text, count) in good.iter().zip([1, 2]) {
            let keys: Keys = text.parse().unwrap();
            assert_eq!(keys.ciphers.len(), count);
        }
        let mut bytes = [0x7f; KEY];
        bytes[..12].copy_from_slice(&[
            0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef, 0xab, 0xcd, 0xef, 0,
        ]);
        let sealed = seal(&Keys::new(bytes), "x");
        assert!(
            one.parse::<Keys>()
                .unwrap()
                .open(PURPOSE, &sealed, now())
                .is_ok()
        );
        for (text, expected) in [
            (String::new(), InvalidKeys::Empty),
            ("\n \n".to_owned(), InvalidKeys::Empty),
            (format!("{one}\n{one}0"), InvalidKeys::Line(2)),
            (format!("\n{one}00"), InvalidKeys::Line(2)),
            (one[2..].to_owned(), InvalidKeys::Line(1)),
            (format!("+{}", &one[1..]), InvalidKeys::Line(1)),
            (format!("g{}", &one[1..]), InvalidKeys::Line(1)),
            (format!("é{}", &one[2..]), InvalidKeys::Line(1)),
        ] {
            assert_eq!(text.parse::<Keys>().err(), Some(expected), "{text:?}");
        }
    }

    #[test]
    fn nothing_shows_the_key_or_the_text() {
        let keys = Keys::new(*b"a key that must never be shown!!");
        let sealed = seal(&keys, "file:///docs/secret");
        let bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
        assert!(!bytes.windows(6).any(|part| part == b"secret"));
        assert_ne!(sealed, seal(&keys, "file:///docs/secret"));
        assert_eq!(format!("{keys:?}"), "Keys(1)");
    }

    proptest! {
        // Each tries more than a thousand changes.
        #![proptest_config(ProptestConfig::with_cases(4))]

        #[test]
        fn what_is_sealed_opens_and_no_bit_of_it_can_be_changed(text in ".{0,40}", key: [u8; KEY]) {
            let keys = Keys::new(key);
            let sealed = seal(&keys, &text);
            prop_assert_eq!(keys.open(PURPOSE, &sealed, now()).unwrap(), text);
            for bit in 0..sealed.len() * 8 {
                let mut bytes = sealed.clone().into_bytes();
                bytes[bit / 8] ^= 1 << (bit % 8);
                if let Ok(changed) = String::from_utf8(bytes) {
                    prop_assert_eq!(keys.open(PURPOSE, &changed, now()), Err(InvalidSeal), "bit {}", bit);
                }
            }
            let raw = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
            for bit in 0..raw.len() * 8 {
                let mut bytes = raw.clone();
                bytes[bit / 8] ^= 1 << (bit % 8);
                let changed = URL_SAFE_NO_PAD.encode(bytes);
                prop_assert_eq!(keys.open(PURPOSE, &changed, now()), Err(InvalidSeal), "raw bit {}", bit);
            }
        }
    }
}
