//! Random texts that can't be guessed.

use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use ring::rand::{SecureRandom as _, SystemRandom};

/// 256 random bits as 43 letters that need no encoding in a URL.
pub fn random_text() -> String {
    let mut bytes = [0; 32];
    // The operating system fails only before its random generator is ready.
    let filled = SystemRandom::new().fill(&mut bytes);
    assert!(filled.is_ok(), "the system has no random numbers");
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}
