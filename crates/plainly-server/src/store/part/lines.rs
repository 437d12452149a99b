//! Sparse indexes of the lines of large resources, so that lines are not counted again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crc32fast::Hasher;
use memchr::memchr_iter;

use plainly_transport::lock::Lock;
use plainly_transport::lru::Lru;

/// The length of a block in bytes. An index has one entry for each block.
pub(super) const BLOCK: u64 = 2 << 20;

/// The length of an entry in bytes.
const ENTRY: usize = size_of::<u64>() + size_of::<u32>();

/// The approximate number of bytes around an index.
const AROUND: usize = 256;

/// The maximum number of bytes of all indexes in the process.
const MOST: usize = 16 << 20;

/// The indexes of all stores.
static ALL: Lock<Lru<Key, Arc<LineIndex>>> = Lock::new(Lru::new(MOST));

/// The number of the last store that has indexes.
static LAST: AtomicU64 = AtomicU64::new(0);

/// Indexes of the lines in the large resources of one store, for [`read_part`](super::read_part),
/// so that lines that were found before are not counted again.
///
/// Use them only with a store that shows every caller the same content. With a
/// [view](crate::store::Store::view), the content of one caller could affect another one. All
/// indexes of a process use at most 16 MiB; the least recently used is dropped first.
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
        let mut all = ALL.lock();
        let own = all.keys_from((self.number, Arc::from("")));
        let own = own.take_while(|(of, _)| *of == self.number);
        let own: Vec<Key> = own.cloned().collect();
        for key in &own {
            all.remove(key);
        }
    }
}

impl LineIndexes {
    /// The index of the resource at `uri`, which may be empty.
    pub(super) fn get(&self, uri: &str) -> Arc<LineIndex> {
        let found = ALL.lock().get(&(self.number, uri.into())).cloned();
        found.unwrap_or_default()
    }

    /// Stores the index of the resource at `uri`, unless it is empty or a prefix of the stored one.
    pub(super) fn put(&self, uri: &str, index: &Arc<LineIndex>) {
        let key: Key = (self.number, uri.into());
        let mut all = ALL.lock();
        let stored = all.get(&key);
        if index.ends.is_empty() || stored.is_some_and(|stored| stored.begins_with(index)) {
            return;
        }
        let bytes = index.weight(&key);
        all.put(key, Arc::clone(index), bytes);
    }

    /// Removes the index of the resource at `uri`.
    pub(super) fn remove(&self, uri: &str) {
        ALL.lock().remove(&(self.number, uri.into()));
    }
}

/// The number of a store, and a URI.
type Key = (u64, Arc<str>);

/// The counted lines of one resource: for each block, the number of lines that end before the end
/// of the block, and a checksum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct LineIndex {
    /// The tag that the resource had during the whole reading; `None` if it had several or none.
    tag: Option<String>,
    ends: Vec<u64>,
    checksums: Vec<u32>,
}

impl LineIndex {
    /// The last known block that begins before the `line`th line end, and the number of lines that
    /// end before that block.
    fn before(&self, line: u64) -> (usize, u64) {
        let block = self.ends.partition_point(|end| *end < line);
        let block = block.min(self.last().unwrap_or(0));
        let lines = block.checked_sub(1).and_then(|last| self.ends.get(last));
        (block, lines.copied().unwrap_or(0))
    }

    /// Whether the content with this tag is the counted one.
    pub(super) fn has_tag(&self, tag: Option<&str>) -> bool {
        tag.is_some() && self.tag.as_deref() == tag
    }

    /// The last block.
    pub(super) fn last(&self) -> Option<usize> {
        self.checksums.len().checked_sub(1)
    }

    /// Whether the block has the checksum that it had when it was counted. True for a block that
    /// was not counted.
    pub(super) fn agrees(&self, block: usize, checksum: u32) -> bool {
        let known = self.checksums.get(block);
        known.is_none_or(|known| *known == checksum)
    }

    fn begins_with(&self, other: &Self) -> bool {
        self.tag == other.tag && self.checksums.starts_with(&other.checksums)
    }

    fn weight(&self, (_, uri): &Key) -> usize {
        self.ends.len() * ENTRY + self.tag.as_ref().map_or(0, String::len) + uri.len() + AROUND
    }

    /// Sets the entry of a block, and removes those after it if the entry changed.
    fn set(&mut self, block: usize, end: u64, checksum: u32) {
        if self.checksums.get(block) != Some(&checksum) {
            self.ends.truncate(block);
            self.checksums.truncate(block);
        }
        // No block is skipped, because later ones could not be found then.
        if self.checksums.len() == block {
            self.ends.push(end);
            self.checksums.push(checksum);
        }
    }
}

/// The index of a resource during reading, from the beginning of a block on.
#[derive(Default)]
pub(super) struct Counting {
    index: Arc<LineIndex>,
    block: usize,
    /// The number of bytes of the block that have been read.
    read: u64,
    /// The number of lines that have ended so far.
    lines: u64,
    checksum: Hasher,
}

impl Counting {
    /// Continues from the last known block before the `line`th line end.
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

    /// The number of the current block.
    pub(super) fn block(&self) -> usize {
        self.block
    }

    /// The position up to which the resource has been read.
    pub(super) fn at(&self) -> u64 {
        self.block as u64 * BLOCK + self.read
    }

    /// The number of lines that ended before.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// The number of these bytes that are in the current block.
    pub(super) fn within(&self, bytes: &[u8]) -> usize {
        let left = usize::try_from(BLOCK - self.read).unwrap_or(usize::MAX);
        left.min(bytes.len())
    }

    /// Counts the lines that end in these bytes, which are in the current block.
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

    #[test]
    fn the_beginning_of_an_index_is_not_put_into_its_place() {
        let indexes = LineIndexes::default();
        for (blocks, stored) in [(3, 3), (2, 3), (0, 3), (4, 4)] {
            indexes.put("a", &index(blocks));
            assert_eq!(indexes.get("a"), index(stored));
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
            let from = all.keys_from((number, Arc::from("")));
            from.take_while(|(of, _)| *of == number).count()
        };
        assert_eq!((left(number), left(other.number)), (0, 2));
    }
}
