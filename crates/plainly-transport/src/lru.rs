//! A cache that stores values as long as there is room, and removes the least recently used first.

use std::collections::BTreeMap;

/// Values by key, up to a total number of bytes.
#[derive(Debug)]
pub struct Lru<K, V> {
    by_key: BTreeMap<K, Stored<V>>,
    /// The keys, the least recently used first.
    by_age: BTreeMap<u64, K>,
    bytes: usize,
    most: usize,
    /// The age of the most recently used value.
    last: u64,
}

#[derive(Debug)]
struct Stored<V> {
    age: u64,
    bytes: usize,
    value: V,
}

impl<K: Ord + Clone, V> Lru<K, V> {
    /// A cache of at most `most` bytes.
    pub const fn new(most: usize) -> Self {
        Self {
            by_key: BTreeMap::new(),
            by_age: BTreeMap::new(),
            bytes: 0,
            most,
            last: 0,
        }
    }

    /// The value with this key. It becomes the most recently used one.
    pub fn get(&mut self, key: &K) -> Option<&V> {
        let stored = self.by_key.get_mut(key)?;
        self.last += 1;
        if let Some(key) = self.by_age.remove(&stored.age) {
            self.by_age.insert(self.last, key);
        }
        stored.age = self.last;
        Some(&stored.value)
    }

    /// Stores a value that takes `bytes` bytes, including its key, and replaces the one with the
    /// same key. A value that is larger than the cache is not stored.
    pub fn put(&mut self, key: K, value: V, bytes: usize) {
        self.remove(&key);
        if bytes > self.most {
            return;
        }
        while self.bytes + bytes > self.most {
            let Some((_, oldest)) = self.by_age.pop_first() else {
                return;
            };
            self.remove(&oldest);
        }
        self.last += 1;
        self.bytes += bytes;
        self.by_age.insert(self.last, key.clone());
        let age = self.last;
        self.by_key.insert(key, Stored { age, bytes, value });
    }

    /// Removes the value with this key.
    pub fn remove(&mut self, key: &K) {
        if let Some(Stored { age, bytes, .. }) = self.by_key.remove(key) {
            self.by_age.remove(&age);
            self.bytes -= bytes;
        }
    }

    /// The keys from `key` on, in order.
    pub fn keys_from(&self, key: K) -> impl Iterator<Item = &K> {
        self.by_key.range(key..).map(|(key, _)| key)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<V>(lru: &Lru<usize, V>) {
        let bytes: usize = lru.by_key.values().map(|stored| stored.bytes).sum();
        assert_eq!(lru.bytes, bytes);
        assert_eq!(lru.by_key.len(), lru.by_age.len());
        assert!(lru.bytes <= lru.most);
    }

    #[test]
    fn of_too_many_values_the_least_recently_used_go() {
        let mut lru = Lru::new(1_000);
        for number in 0..10_000 {
            lru.put(number, (), 10);
            assert!(lru.get(&0).is_some());
        }
        check(&lru);
        let stored: Vec<usize> = lru.keys_from(0).copied().collect();
        let expected: Vec<usize> = [0].into_iter().chain(9_901..10_000).collect();
        assert_eq!(stored, expected);
    }

    #[test]
    fn a_value_that_is_too_large_is_not_stored_and_replaces_the_one_before() {
        let mut lru = Lru::new(100);
        for (bytes, is_stored) in [(40, true), (100, true), (101, false), (100, true)] {
            lru.put(1, (), bytes);
            check(&lru);
            assert_eq!(lru.get(&1).is_some(), is_stored, "{bytes}");
        }
        lru.put(2, (), 1);
        check(&lru);
        assert!(lru.get(&1).is_none() && lru.get(&2).is_some());
    }
}
