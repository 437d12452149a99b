//! The document, encrypted as a whole with a key that is stored elsewhere.

use std::io;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD};
use plainly_oauth::{Secret, random_text};
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde::{Deserialize, Serialize};

use super::document;
use super::fault::Fault;

/// The associated data of the encryption, which rules out other data that was encrypted with the
/// key.
const PURPOSE: &[u8] = b"plainly credentials 1";

/// The contents of the file.
#[derive(Deserialize, Serialize)]
struct SealedDocument {
    version: u64,
    /// A nonce and the ciphertext, in base64.
    sealed: String,
}

/// The key of the encryption.
pub(super) struct SealingKey(LessSafeKey);

impl SealingKey {
    /// A new key, in the form in which it is stored.
    pub(super) fn random() -> Secret {
        Secret::new(random_text())
    }

    /// Reads a stored key; `None` if it is invalid.
    pub(super) fn read(kept: &Secret) -> Option<Self> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(kept.expose()).ok()?;
        let key = UnboundKey::new(&CHACHA20_POLY1305, &bytes).ok()?;
        Some(Self(LessSafeKey::new(key)))
    }

    pub(super) fn seal(&self, mut bytes: Vec<u8>) -> Result<Vec<u8>, Fault> {
        let mut nonce = [0; NONCE_LEN];
        let filled = SystemRandom::new().fill(&mut nonce);
        filled.map_err(|_unspecified| io::Error::other("the system has no random numbers"))?;
        let number = Nonce::assume_unique_for_key(nonce);
        let sealing = self
            .0
            .seal_in_place_append_tag(number, Aad::from(PURPOSE), &mut bytes);
        sealing.map_err(|_too_long| Fault::TooLarge)?;
        let document = SealedDocument {
            version: document::VERSION,
            sealed: BASE64_STANDARD.encode([&nonce[..], &bytes].concat()),
        };
        document::to_bytes(&document)
    }

    pub(super) fn open(&self, bytes: &[u8]) -> Result<Vec<u8>, Fault> {
        let SealedDocument { sealed, .. } = document::versioned(bytes)?;
        let sealed = BASE64_STANDARD.decode(sealed);
        let sealed = sealed.map_err(|_damaged| Fault::OtherKey)?;
        let (nonce, sealed) = sealed
            .split_first_chunk::<NONCE_LEN>()
            .ok_or(Fault::OtherKey)?;
        let number = Nonce::assume_unique_for_key(*nonce);
        let mut sealed = sealed.to_vec();
        let opened = self
            .0
            .open_in_place(number, Aad::from(PURPOSE), &mut sealed);
        let length = opened.map_err(|_damaged| Fault::OtherKey)?.len();
        sealed.truncate(length);
        Ok(sealed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_opened_with_its_key_alone_and_whole() {
        let key = || SealingKey::read(&SealingKey::random()).unwrap();
        let (key, other) = (key(), key());
        let text = b"t0ken";
        let sealed = key.seal(text.to_vec()).unwrap();
        assert_eq!(key.open(&sealed).unwrap(), text);
        assert_ne!(key.seal(text.to_vec()).unwrap(), sealed);
        assert!(matches!(other.open(&sealed), Err(Fault::OtherKey)));
        let document: SealedDocument = serde_json::from_slice(&sealed).unwrap();
        let bytes = BASE64_STANDARD.decode(document.sealed).unwrap();
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            for bytes in [&*changed, &bytes[..at]] {
                let sealed = BASE64_STANDARD.encode(bytes);
                let text = format!(r#"{{"version":1,"sealed":"{sealed}"}}"#);
                assert!(
                    matches!(key.open(text.as_bytes()), Err(Fault::OtherKey)),
                    "{at}"
                );
            }
        }
    }

    #[test]
    fn only_a_key_is_a_key() {
        for kept in [
            "",
            "s3cret",
            "AAAA",
            &BASE64_URL_SAFE_NO_PAD.encode([0; 31]),
        ] {
            assert!(SealingKey::read(&Secret::new(kept)).is_none(), "{kept}");
        }
    }
}
