//! The cached results, of which the oldest are removed when there are too many. Knows neither when
//! a result expires nor which clients may see it.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use bytes::Bytes;
use plainly_errors::Revision;
use plainly_protocol::method::Method;
use tokio::time::Instant;

use super::Fingerprint;
use super::told::ServerChanges;

/// The most results that are cached, and the most bytes of them.
const MOST_RESULTS: usize = 10_000;
const MOST_BYTES: usize = 64 << 20;

/// The approximate number of bytes of a result besides its texts.
const AROUND: usize = 256;

/// The call that a result answers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct KeptKey {
    /// The server, and the clients that may see the result.
    pub(super) audience: Fingerprint,
    pub(super) revision: Revision,
    pub(super) method: Method,
    /// The parameters as they are sent: two are equal only if a server can't distinguish them.
    pub(super) params: Arc<str>,
}

/// A cached result.
#[derive(Clone, Debug)]
pub(super) struct KeptResult {
    /// The result, in memory of its own: a part of a message would keep the whole message in
    /// memory.
    pub(super) json: Bytes,
    /// The time when the result expires; `None` if the server has to be asked each time.
    pub(super) fresh_until: Option<Instant>,
    /// The tag of the resource's content, to ask the server whether it has changed.
    pub(super) tag: Option<String>,
    /// The time of the request, by the cache's clock.
    pub(super) asked: u64,
    /// The changes that its server reports, which stay in memory as long as this result is cached.
    pub(super) changes: Arc<ServerChanges>,
}

/// All cached results.
#[derive(Debug, Default)]
pub(super) struct KeptResults {
    /// The results, each with its age.
    by_key: HashMap<KeptKey, (u64, KeptResult)>,
    /// The keys, oldest first.
    by_age: BTreeMap<u64, KeptKey>,
    bytes: usize,
    /// The age of the result that was stored last.
    last: u64,
}

impl KeptResults {
    pub(super) fn get(&self, key: &KeptKey) -> Option<&KeptResult> {
        self.by_key.get(key).map(|(_, result)| result)
    }

    pub(super) fn remove(&mut self, key: &KeptKey) {
        if let Some((age, result)) = self.by_key.remove(key) {
            self.by_age.remove(&age);
            self.bytes -= weight(key, &result);
        }
    }

    /// Stores a result, and removes the earlier one of the same call.
    pub(super) fn put(&mut self, key: KeptKey, result: KeptResult) {
        self.remove(&key);
        let more = weight(&key, &result);
        if more > MOST_BYTES {
            return;
        }
        while self.by_key.len() >= MOST_RESULTS || self.bytes + more > MOST_BYTES {
            let Some((_, oldest)) = self.by_age.pop_first() else {
                return;
            };
            self.remove(&oldest);
        }
        self.last += 1;
        self.bytes += more;
        self.by_age.insert(self.last, key.clone());
        self.by_key.insert(key, (self.last, result));
    }
}

fn weight(key: &KeptKey, result: &KeptResult) -> usize {
    let tag = result.tag.as_ref().map_or(0, String::len);
    key.params.len() + result.json.len() + tag + AROUND
}

#[cfg(test)]
mod tests {
    use super::super::Cache;
    use super::*;

    fn keys() -> impl Iterator<Item = KeptKey> {
        let audience = Cache::default().shared.fingerprint(0);
        (0..).map(move |number: usize| KeptKey {
            audience,
            revision: Revision::V2026_07_28,
            method: Method::ReadResource,
            params: number.to_string().into(),
        })
    }

    fn result(bytes: usize) -> KeptResult {
        KeptResult {
            json: Bytes::from(vec![b' '; bytes]),
            fresh_until: Some(Instant::now()),
            tag: None,
            asked: 0,
            changes: Arc::default(),
        }
    }

    fn check(kept: &KeptResults) {
        let weights = kept.by_key.iter();
        let weights: usize = weights.map(|(key, (_, result))| weight(key, result)).sum();
        assert_eq!(kept.bytes, weights);
        assert_eq!(kept.by_key.len(), kept.by_age.len());
        assert!(kept.by_key.len() <= MOST_RESULTS && kept.bytes <= MOST_BYTES);
    }

    #[test]
    fn of_a_hundred_thousand_results_the_last_ten_thousand_are_kept() {
        let mut kept = KeptResults::default();
        let all: Vec<_> = keys().take(100_000).collect();
        for key in &all {
            kept.put(key.clone(), result(0));
        }
        check(&kept);
        let oldest = all.iter().position(|key| kept.get(key).is_some());
        assert_eq!(kept.by_key.len(), MOST_RESULTS);
        assert_eq!(oldest, Some(all.len() - MOST_RESULTS));
    }

    #[test]
    fn large_results_are_kept_as_far_as_there_is_room_and_replaced_ones_make_some() {
        let mut kept = KeptResults::default();
        let keys: Vec<_> = keys().take(5).collect();
        for key in &keys {
            kept.put(key.clone(), result(MOST_BYTES / 4));
            check(&kept);
        }
        let found: Vec<_> = keys.iter().map(|key| kept.get(key).is_some()).collect();
        assert_eq!(found, [false, false, true, true, true]);
        for bytes in [0, MOST_BYTES / 4, MOST_BYTES - AROUND - 1] {
            kept.put(keys[4].clone(), result(bytes));
            check(&kept);
        }
        assert_eq!(kept.by_key.len(), 1);
        kept.put(keys[4].clone(), result(MOST_BYTES - AROUND));
        assert_eq!((kept.by_key.len(), kept.bytes), (0, 0));
    }
}
