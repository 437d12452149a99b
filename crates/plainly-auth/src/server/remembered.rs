//! The cached verdicts on tokens: by digest, for a short time, in bounded number.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::ops::Range;

use plainly_oauth::jose::TokenRefusal;

use super::api_key::{TokenDigest, digest};
use super::caller::Caller;
use plainly_transport::lock::Lock;

/// The most tokens that are cached.
const MOST: usize = 10_000;

type Outcome = Result<Caller, TokenRefusal>;

/// The tokens with their verdicts.
#[derive(Default)]
pub(super) struct TokenCache(Lock<KnownTokens>);

#[derive(Default)]
struct KnownTokens {
    /// The verdicts, each with its start and end of validity. A start in the future comes from a
    /// wrong clock.
    outcomes: HashMap<TokenDigest, (Outcome, Range<u64>)>,
    /// The tokens in their order of arrival.
    order: VecDeque<TokenDigest>,
}

impl TokenCache {
    /// The cached verdict on the token, if it is still valid.
    pub(super) fn find(&self, token: &str, now: u64) -> Option<Outcome> {
        let known = self.0.lock();
        let (outcome, times) = known.outcomes.get(&digest(token))?;
        times.contains(&now).then(|| outcome.clone())
    }

    /// Caches the verdict until `until`. If there is no room, the oldest one is removed.
    pub(super) fn keep(&self, token: &str, outcome: Outcome, now: u64, until: u64) {
        if until <= now {
            return;
        }
        let token = digest(token);
        let mut known = self.0.lock();
        let remembered = (outcome, now..until);
        if known.outcomes.insert(token, remembered).is_some() {
            return;
        }
        known.order.push_back(token);
        while known.order.len() > MOST {
            if let Some(oldest) = known.order.pop_front() {
                known.outcomes.remove(&oldest);
            }
        }
    }
}

impl fmt::Debug for TokenCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TokenCache").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_remembered_ends_in_time_and_in_number() {
        let remembered = TokenCache::default();
        let refused = || Err(TokenRefusal::Revoked);
        let is_known = |token: &str, now| remembered.find(token, now).is_some();
        remembered.keep("a", refused(), 10, 20);
        assert!(is_known("a", 19));
        assert!(!is_known("a", 20));
        // The clock was wrong when the token came.
        assert!(!is_known("a", 9));
        assert!(!is_known("b", 10));
        remembered.keep("b", refused(), 10, 10);
        assert!(!is_known("b", 9));
        for token in 0..2 * MOST {
            remembered.keep(&token.to_string(), refused(), 10, 20);
        }
        assert!(!is_known("a", 10));
        assert!(is_known(&(2 * MOST - 1).to_string(), 10));
        let known = remembered.0.lock();
        assert_eq!((known.outcomes.len(), known.order.len()), (MOST, MOST));
    }
}
