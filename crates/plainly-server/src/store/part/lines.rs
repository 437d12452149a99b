//! Sparse indexes of the lines of large resources: lines that were counted once are not counted again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crc32fast::Hasher;
use memchr::memchr_iter;

use plainly_transport::lock::Lock;

/// The bytes of a block: an index has one entry for each.
pub(super) const BLOCK: u64 = 1 << 20;

/// The bytes of an entry.
const ENTRY: usize = size_of::<u64>() + size_of::<u32>();

/// The bytes around an index, about.
const AROUND: usize = 256;

/// The most bytes of all indexes of the process together.
const MOST: usize = 16 << 20;

/// The indexes of all stores.
static ALL: Lock<AllIndexes> = Lock::new(AllIndexes::new());

/// The number of the last store that has indexes.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Indexes of the lines in the large resources of one store, for [`read_part`](super::read_part): where a line is that was
/// found before need not be counted again.
///
/// They may only be used with a store that shows everyone the same content: with a [view](crate::store::Store::view), one
/// caller could be led by what another one sees. All indexes of a process take at most 16 MiB; the least recently used goes
/// first.
#[derive(Debug)]
pub struct LineIndexes {
    number: u64,
}

impl Default for LineIndexes {
    fn default() -> Self {
        Self {
            number: LAST.fetch_add(1, Ordering::Relaxed),
        }
    }
}

impl Drop for LineIndexes {
    fn drop(&mut self) {
        ALL.lock().remove_all(self.number);
    }
}

impl LineIndexes {
    /// The index of the resource at `uri`, which may be empty.
    pub(super) fn get(&self, uri: &str) -> Arc<LineIndex> {
        let found = ALL.lock().get(&(self.number, uri.into()));
        found.unwrap_or_default()
    }

    /// Stores the index of the resource at `uri`.
    pub(super) fn put(&self, uri: &str, index: &Arc<LineIndex>) {
        if !index.ends.is_empty() {
            ALL.lock().put((self.number, uri.into()), Arc::clone(index));
        }
    }

    /// Removes the index of the resource at `uri`.
    pub(super) fn remove(&self, uri: &str) {
        ALL.lock().remove(&(self.number, uri.into()));
    }
}

/// The number of a store, and a URI.
type Key = (u64, Arc<str>);

/// All indexes, by their use.
#[derive(Debug)]
struct AllIndexes {
    /// Each with its age.
    by_key: BTreeMap<Key, (u64, Arc<LineIndex>)>,
    /// The keys, the least recently used first.
    by_age: BTreeMap<u64, Key>,
    bytes: usize,
    /// The age of the last one that was used.
    last: u64,
}

impl AllIndexes {
    const fn new() -> Self {
        Self {
            by_key: BTreeMap::new(),
            by_age: BTreeMap::new(),
            bytes: 0,
            last: 0,
        }
    }

    fn get(&mut self, key: &Key) -> Option<Arc<LineIndex>> {
        let (age, index) = self.by_key.get_mut(key)?;
        self.last += 1;
        if let Some(key) = self.by_age.remove(age) {
            self.by_age.insert(self.last, key);
        }
        *age = self.last;
        Some(Arc::clone(index))
    }

    /// Stores an index, unless it is the beginning of the one that is there.
    fn put(&mut self, key: Key, index: Arc<LineIndex>) {
        let stored = self.by_key.get(&key);
        if stored.is_some_and(|(_, stored)| stored.begins_with(&index)) {
            return;
        }
        self.remove(&key);
        let more = index.weight(&key);
        if more > MOST {
            return;
        }
        while self.bytes + more > MOST {
            let Some((_, oldest)) = self.by_age.pop_first() else {
                return;
            };
            self.remove(&oldest);
        }
        self.last += 1;
        self.bytes += more;
        self.by_age.insert(self.last, key.clone());
        self.by_key.insert(key, (self.last, index));
    }

    fn remove(&mut self, key: &Key) {
        if let Some((age, index)) = self.by_key.remove(key) {
            self.by_age.remove(&age);
            self.bytes -= index.weight(key);
        }
    }

    /// Removes the indexes of the store with this number.
    fn remove_all(&mut self, number: u64) {
        let own = self.by_key.range((number, Arc::from(""))..);
        let own: Vec<Key> = own
            .map(|(key, _)| key.clone())
            .take_while(|(of, _)| *of == number)
            .collect();
        for key in own {
            self.remove(&key);
        }
    }
}

/// The lines of one resource, as far as they have been counted: for each block the lines that end before its end, and a
/// checksum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LineIndex {
    /// The tag that the resource had all the while that it was read; `None` if it had several or none.
    tag: Option<String>,
    ends: Vec<u64>,
    checksums: Vec<u32>,
}

impl LineIndex {
    /// The last known block that begins before the `line`th line end, and the lines that end before that block.
    fn before(&self, line: u64) -> (usize, u64) {
        let block = self.ends.partition_point(|end| *end < line);
        let block = block.min(self.last().unwrap_or(0));
        let lines = block.checked_sub(1).and_then(|last| self.ends.get(last));
        (block, lines.copied().unwrap_or(0))
    }

    /// Whether the content with this tag is what was counted.
    pub(super) fn has_tag(&self, tag: Option<&str>) -> bool {
        tag.is_some() && self.tag.as_deref() == tag
    }

    /// The last block.
    pub(super) fn last(&self) -> Option<usize> {
        self.checksums.len().checked_sub(1)
    }

    /// Whether the block is as it was when it was counted: true of one that was not.
    pub(super) fn agrees(&self, block: usize, bytes: &[u8]) -> bool {
        let known = self.checksums.get(block);
        known.is_none_or(|known| *known == crc32fast::hash(bytes))
    }

    fn begins_with(&self, other: &Self) -> bool {
        self.tag == other.tag && self.checksums.starts_with(&other.checksums)
    }

    fn weight(&self, (_, uri): &Key) -> usize {
        self.ends.len() * ENTRY + self.tag.as_ref().map_or(0, String::len) + uri.len() + AROUND
    }

    /// Sets the entry of a block, and removes those behind it if it was another one.
    fn set(&mut self, block: usize, end: u64, checksum: u32) {
        if self.checksums.get(block) != Some(&checksum) {
            self.ends.truncate(block);
            self.checksums.truncate(block);
        }
        // No block is left out: what follows could not be found.
        if self.checksums.len() == block {
            self.ends.push(end);
            self.checksums.push(checksum);
        }
    }
}

/// The index of a resource that is being read, from the beginning of a block on.
#[derive(Default)]
pub(super) struct Counting {
    index: Arc<LineIndex>,
    block: usize,
    /// The bytes of the block that have been read.
    read: u64,
    /// The lines that ended so far.
    lines: u64,
    checksum: Hasher,
}

impl Counting {
    /// Goes on with what is known before the `line`th line end.
    pub(super) fn before(line: u64, index: Arc<LineIndex>) -> Self {
        let (block, lines) = index.before(line);
        Self {
            index,
            block,
            read: 0,
            lines,
            checksum: Hasher::new(),
        }
    }

    pub(super) fn index(&self) -> &Arc<LineIndex> {
        &self.index
    }

    /// The block that is being read.
    pub(super) fn block(&self) -> usize {
        self.block
    }

    /// The position up to which was read.
    pub(super) fn at(&self) -> u64 {
        self.block as u64 * BLOCK + self.read
    }

    /// The lines that ended before.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// The number of these bytes that are in the block that is being read.
    pub(super) fn within(&self, bytes: &[u8]) -> usize {
        let left = usize::try_from(BLOCK - self.read).unwrap_or(usize::MAX);
        left.min(bytes.len())
    }

    /// Counts the lines that end in these bytes, which are in the block that is being read.
    pub(super) fn count(&mut self, bytes: &[u8], tag: Option<&str>) -> u64 {
        let count = memchr_iter(b'\n', bytes).count() as u64;
        self.lines += count;
        self.read += bytes.len() as u64;
        self.checksum.update(bytes);
        if self.read == BLOCK {
            let checksum = std::mem::take(&mut self.checksum).finalize();
            self.end_block(checksum, tag);
        }
        count
    }

    fn end_block(&mut self, checksum: u32, tag: Option<&str>) {
        let has_it = self.index.checksums.get(self.block) == Some(&checksum);
        if !has_it {
            let index = Arc::make_mut(&mut self.index);
            index.set(self.block, self.lines, checksum);
            if self.block == 0 {
                index.tag = tag.map(str::to_owned);
            } else if index.tag.as_deref() != tag {
                index.tag = None;
            }
        }
        self.block += 1;
        self.read = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(blocks: usize) -> Arc<LineIndex> {
        Arc::new(LineIndex {
            tag: None,
            ends: vec![1; blocks],
            checksums: vec![2; blocks],
        })
    }

    fn key(number: usize) -> Key {
        (0, number.to_string().into())
    }

    fn check(all_indexes: &AllIndexes) {
        let weights = all_indexes.by_key.iter();
        let weights: usize = weights.map(|(key, (_, index))| index.weight(key)).sum();
        assert_eq!(all_indexes.bytes, weights);
        assert_eq!(all_indexes.by_key.len(), all_indexes.by_age.len());
        assert!(all_indexes.bytes <= MOST);
    }

    #[test]
    fn of_too_many_indexes_the_least_recently_used_go() {
        let mut all_indexes = AllIndexes::new();
        for number in 0..100_000 {
            all_indexes.put(key(number), index(5));
            assert!(all_indexes.get(&key(0)).is_some());
        }
        check(&all_indexes);
        let is_stored = |number| all_indexes.by_key.contains_key(&key(number));
        assert!(is_stored(0) && !is_stored(1) && is_stored(99_999));
        all_indexes.put(key(7), index(MOST / ENTRY));
        all_indexes.put(key(8), index(MOST / ENTRY / 2));
        check(&all_indexes);
        assert!(all_indexes.get(&key(7)).is_none() && all_indexes.get(&key(8)).is_some());
    }

    #[test]
    fn the_beginning_of_an_index_is_not_put_into_its_place() {
        let mut all_indexes = AllIndexes::new();
        for (blocks, stored) in [(3, 3), (2, 3), (4, 4)] {
            all_indexes.put(key(0), index(blocks));
            assert_eq!(all_indexes.get(&key(0)), Some(index(stored)));
            check(&all_indexes);
        }
    }

    #[test]
    fn the_indexes_of_a_store_end_with_it() {
        let (one, other) = (LineIndexes::default(), LineIndexes::default());
        for uri in ["a", "b"] {
            one.put(uri, &index(1));
            other.put(uri, &index(1));
        }
        let number = one.number;
        drop(one);
        let left = |number: u64| {
            let all = ALL.lock();
            all.by_key.keys().filter(|(of, _)| *of == number).count()
        };
        assert_eq!((left(number), left(other.number)), (0, 2));
    }
}
