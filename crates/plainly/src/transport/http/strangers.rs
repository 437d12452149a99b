//! Logs the hosts and origins of refused requests, each once: whoever runs the server learns what to allow, and nobody
//! can fill the log.

use std::collections::BTreeSet;

use crate::lock::Lock;
use crate::transport::Escaped;

/// The most values that are logged, and therefore remembered.
const MOST: usize = 16;
/// The most bytes of a value that is logged; real names and origins are shorter.
const LONGEST: usize = 255;

/// The hosts and origins that were logged.
#[derive(Debug, Default)]
pub(super) struct RejectedNames(Lock<BTreeSet<Box<str>>>);

impl RejectedNames {
    /// Logs that a request called the server by this name.
    pub(super) fn host(&self, host: &str) {
        if self.is_new(host) {
            tracing::warn!(
                host = %Escaped(host),
                "refused: if clients should reach the server by this name, allow it (--allow-host, allow_host)"
            );
        }
    }

    /// Logs that a request came from a page of this origin.
    pub(super) fn origin(&self, origin: &str) {
        if self.is_new(origin) {
            tracing::warn!(
                origin = %Escaped(origin),
                "refused: if pages of this origin should use the server, allow it (--allow-origin, allow_origin)"
            );
        }
    }

    fn is_new(&self, value: &str) -> bool {
        let mut told = self.0.lock();
        value.len() <= LONGEST && told.len() < MOST && told.insert(value.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_told_once_and_not_more_than_are_remembered() {
        let strangers = RejectedNames::default();
        assert!(strangers.is_new("a.example"));
        assert!(!strangers.is_new("a.example"));
        assert!(!strangers.is_new(&"a".repeat(LONGEST + 1)));
        let told = (0..100).filter(|number| strangers.is_new(&number.to_string()));
        assert_eq!(told.count(), MOST - 1);
    }
}
