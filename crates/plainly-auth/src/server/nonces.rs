//! Nonces of a server, so that proofs can't be made in advance (RFC 9449, 9). A nonce is the
//! encrypted time, so it is not stored, and every server with the same keys recognises it.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use plainly_oauth::jose::dpop::{Nonces, WINDOW};
use plainly_transport::seal::{Keys, Sealer};

/// Creates nonces for proofs, and recognises its own.
#[derive(Debug)]
pub(super) struct SealedNonces {
    sealer: Sealer,
    /// The server's URL, because servers with other URLs may have the same keys.
    resource: String,
}

impl SealedNonces {
    pub(super) fn new(keys: Option<Keys>, resource: &str) -> Self {
        Self {
            sealer: Sealer::new(keys),
            resource: resource.to_owned(),
        }
    }

    /// A nonce with this time; `None` if the system has no random numbers.
    pub(super) fn give(&self, now: u64) -> Option<String> {
        let sealed = self.sealer.seal(
            &self.purpose(),
            &now.to_string(),
            time(now),
            Duration::from_secs(WINDOW),
        );
        sealed.ok()
    }

    fn purpose(&self) -> [&str; 2] {
        ["dpop nonce", &self.resource]
    }
}

impl Nonces for SealedNonces {
    fn given_at(&self, nonce: &str, now: u64) -> Option<u64> {
        let opened = self.sealer.open(&self.purpose(), nonce, time(now));
        opened.ok()?.parse().ok()
    }
}

fn time(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_fresh_nonce_for_the_same_server_is_known() {
        let keys = || Some(Keys::new([7; 32]));
        let own = SealedNonces::new(keys(), "https://a.example/mcp");
        let replica = SealedNonces::new(keys(), "https://a.example/mcp");
        let other = SealedNonces::new(keys(), "https://b.example/mcp");
        let random = SealedNonces::new(None, "https://a.example/mcp");
        let nonce = own.give(1000).unwrap();
        for (nonces, now, expected) in [
            (&own, 1000, Some(1000)),
            (&own, 1299, Some(1000)),
            (&own, 1300, None),
            (&replica, 1100, Some(1000)),
            (&other, 1000, None),
            (&random, 1000, None),
        ] {
            assert_eq!(nonces.given_at(&nonce, now), expected, "{now}");
        }
        let own_random = random.give(1000).unwrap();
        assert_eq!(random.given_at(&own_random, 1000), Some(1000));
        for nonce in ["", "a", "%", &nonce[..12], &own_random] {
            assert_eq!(own.given_at(nonce, 1000), None, "{nonce}");
        }
    }
}
