//! Nonces that a server gives, so that proofs can't be made in advance (RFC 9449, 9). A nonce is the time, with a mark that only
//! this server can make: nothing is remembered.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::SystemRandom;

use super::window::WINDOW;

/// Makes nonces, and knows its own.
pub struct Nonces(hmac::Key);

impl Nonces {
    /// A source of nonces that can't be guessed; `None` if the system has no random numbers.
    pub fn new() -> Option<Self> {
        let key = hmac::Key::generate(hmac::HMAC_SHA256, &SystemRandom::new());
        key.ok().map(Self)
    }

    /// The nonce of this time, in seconds since 1970.
    pub fn issue(&self, now: u64) -> String {
        let time = now.to_be_bytes();
        let mark = hmac::sign(&self.0, &time);
        URL_SAFE_NO_PAD.encode([&time, mark.as_ref()].concat())
    }

    /// Whether it is ours, and not old.
    pub(super) fn is_fresh(&self, nonce: &str, now: u64) -> bool {
        let Ok(bytes) = URL_SAFE_NO_PAD.decode(nonce) else {
            return false;
        };
        let Some((time, mark)) = bytes.split_first_chunk() else {
            return false;
        };
        let is_ours = hmac::verify(&self.0, time, mark).is_ok();
        is_ours && u64::from_be_bytes(*time).abs_diff(now) <= WINDOW
    }
}

impl std::fmt::Debug for Nonces {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Nonces").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_is_not_shown() {
        let own = Nonces::new().unwrap();
        assert_eq!(format!("{own:?}"), "Nonces { .. }");
    }

    #[test]
    fn only_a_fresh_nonce_of_its_own_is_taken() {
        let (own, other) = (Nonces::new().unwrap(), Nonces::new().unwrap());
        let nonce = own.issue(1000);
        assert!(own.is_fresh(&nonce, 1000));
        assert!(own.is_fresh(&nonce, 1300));
        assert!(!own.is_fresh(&nonce, 1301));
        assert!(!other.is_fresh(&nonce, 1000));
        for nonce in ["", "a", "%", &nonce[..12], &other.issue(1000)] {
            assert!(!own.is_fresh(nonce, 1000), "{nonce}");
        }
    }
}
