//! Random texts that can't be guessed.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};

/// 256 random bits in 43 letters that a URL can have as they are.
pub fn random_text() -> String {
    let mut bytes = [0; 32];
    // The operating system fails at this only before it has started.
    let filled = SystemRandom::new().fill(&mut bytes);
    assert!(filled.is_ok(), "the system has no random numbers");
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}
