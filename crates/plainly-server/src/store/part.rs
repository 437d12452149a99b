//! Reads a part of a resource of any size, in pieces of a few MiB.

use memchr::{memchr_iter, memrchr, memrchr_iter};

use plainly_protocol::part::Part;

use super::{ByteRange, RangeQuery, Ranged, Store, StoreError};

/// The bytes that are read at a time.
const BLOCK: u64 = 2 << 20;

/// The most bytes of a part.
const MOST: usize = 16 << 20;

/// The most bytes of a part without an end.
const OPEN: usize = 1 << 20;

/// The bytes that are read first for the last lines.
const TAIL: u64 = 64 << 10;

/// The most reads of a resource that becomes shorter meanwhile.
const ATTEMPTS: usize = 3;

/// The unit in which a part is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::exhaustive_enums, reason = "the units of parts")]
pub enum PartUnit {
    /// Bytes.
    Byte,
    /// Lines: each ends with a line feed, but for the last of a resource.
    Line,
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartContent {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The unit of the positions.
    pub unit: PartUnit,
    /// The position where it begins.
    pub first: u64,
    /// The position where it ends.
    pub last: u64,
    /// The length of the whole resource, if it is known.
    pub total: Option<u64>,
    /// The part that follows: for a part without an end also if there is nothing yet.
    pub next: Option<Part>,
}

/// Reads a part of the resource at `uri`. At most 16 MiB are read, and 1 MiB of a part without an end: then
/// [`PartContent::next`] goes on.
///
/// # Errors
///
/// Fails with [`StoreError::NoSuchPart`] if the part begins after the end of the resource.
pub async fn read_part<S: Store + ?Sized>(
    store: &S,
    uri: &str,
    part: Part,
) -> Result<PartContent, StoreError> {
    let read = async |range| store.read_range(RangeQuery::new(uri, range)).await;
    match part {
        Part::Lines { first, last } => {
            let mut found = None;
            for _ in 0..ATTEMPTS {
                let mut search = LineSearch::new(first, last);
                found = search.run(store, uri).await?;
                if found.is_some() {
                    break;
                }
            }
            found.ok_or(StoreError::Overloaded)
        }
        Part::Tail(count) => tail(store, uri, count).await,
        Part::LastBytes(count) => {
            let most = count.min(MOST as u64);
            Ok(of_bytes(read(ByteRange::Last(most)).await?, None))
        }
        Part::Bytes { first, end: None } => {
            let most = OPEN as u64;
            let mut ranged = read(ByteRange::From { first, most }).await?;
            if ranged.first + (ranged.bytes.len() as u64) < ranged.size {
                ranged.bytes.truncate(whole_letters(&ranged.bytes));
            }
            Ok(of_bytes(ranged, None))
        }
        Part::Bytes {
            first,
            end: Some(end),
        } => {
            let most = (end - first).min(MOST as u64);
            let ranged = read(ByteRange::From { first, most }).await?;
            Ok(of_bytes(ranged, Some(end)))
        }
    }
}

/// Bytes that were asked for up to `end`; `None` for all that follow.
fn of_bytes(ranged: Ranged, end: Option<u64>) -> PartContent {
    let last = ranged.first + ranged.bytes.len() as u64;
    let next = match end {
        None => Some(Part::Bytes {
            first: last,
            end: None,
        }),
        Some(end) => (last < ranged.size).then_some(Part::Bytes {
            first: last,
            end: Some(last.saturating_add(end.saturating_sub(ranged.first))),
        }),
    };
    PartContent {
        bytes: ranged.bytes.into(),
        unit: PartUnit::Byte,
        first: ranged.first,
        last,
        total: Some(ranged.size),
        next,
    }
}

/// The last lines. Their numbers are not known, so the positions are those of bytes.
async fn tail<S: Store + ?Sized>(
    store: &S,
    uri: &str,
    count: u64,
) -> Result<PartContent, StoreError> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let mut most = TAIL;
    loop {
        let query = RangeQuery::new(uri, ByteRange::Last(most));
        let mut ranged = store.read_range(query).await?;
        let ended = ranged.bytes.strip_suffix(b"\n").unwrap_or(&ranged.bytes);
        let mut ends = memrchr_iter(b'\n', ended);
        let start = match ends.nth(count - 1) {
            Some(end) => end + 1,
            None if ranged.first == 0 => 0,
            None if most >= MOST as u64 => {
                let mut ends = memchr_iter(b'\n', ended);
                ends.next().map_or(0, |end| end + 1)
            }
            None => {
                most = (most * 8).min(MOST as u64);
                continue;
            }
        };
        ranged.first += start as u64;
        ranged.bytes = ranged.bytes.slice(start..);
        return Ok(of_bytes(ranged, None));
    }
}

/// The search for lines from the beginning on.
struct LineSearch {
    first: u64,
    last: Option<u64>,
    /// The lines that have ended so far.
    line: u64,
    /// The position up to which was read.
    at: u64,
    /// The size at the last read.
    size: u64,
    found: Vec<u8>,
    /// Whether the last byte that was read ends a line.
    has_ended: bool,
}

impl LineSearch {
    fn new(first: u64, last: Option<u64>) -> Self {
        Self {
            first,
            last,
            line: 0,
            at: 0,
            size: 0,
            found: Vec::new(),
            has_ended: true,
        }
    }

    /// The lines; `None` if the resource became shorter meanwhile.
    async fn run<S: Store + ?Sized>(
        &mut self,
        store: &S,
        uri: &str,
    ) -> Result<Option<PartContent>, StoreError> {
        loop {
            let range = ByteRange::From {
                first: self.at,
                most: BLOCK,
            };
            let ranged = match store.read_range(RangeQuery::new(uri, range)).await {
                Ok(ranged) if ranged.size >= self.size => ranged,
                Ok(_) | Err(StoreError::NoSuchPart { .. }) => return Ok(None),
                Err(error) => return Err(error),
            };
            self.size = ranged.size;
            if ranged.bytes.is_empty() {
                return self.end().map(Some);
            }
            self.at += ranged.bytes.len() as u64;
            let rest = self.skip(&ranged.bytes);
            if self.line >= self.first
                && let Some(content) = self.take(rest)
            {
                return Ok(Some(content));
            }
        }
    }

    /// The bytes behind the lines that are not asked for.
    fn skip<'b>(&mut self, block: &'b [u8]) -> &'b [u8] {
        let missing = self.first.saturating_sub(self.line);
        self.has_ended = block.last() == Some(&b'\n');
        if missing == 0 {
            return block;
        }
        let count = memchr_iter(b'\n', block).count() as u64;
        if count < missing {
            self.line += count;
            return &[];
        }
        let before = usize::try_from(missing - 1).unwrap_or(usize::MAX);
        let end = memchr_iter(b'\n', block).nth(before);
        self.line = self.first;
        end.and_then(|end| block.get(end + 1..)).unwrap_or(&[])
    }

    /// Takes lines out of these bytes; the content if it is complete.
    fn take(&mut self, rest: &[u8]) -> Option<PartContent> {
        let most = match self.last {
            Some(_) => MOST,
            None => OPEN,
        };
        let wanted = self.last.map_or(u64::MAX, |last| last - self.line);
        if wanted == 0 {
            return Some(self.content(self.line, None));
        }
        let before = usize::try_from(wanted - 1).unwrap_or(usize::MAX);
        let end = memchr_iter(b'\n', rest).nth(before);
        let taken = end.and_then(|end| rest.get(..=end)).unwrap_or(rest);
        self.found.extend_from_slice(taken);
        if self.found.len() > most {
            let unread = (rest.len() - taken.len()) as u64;
            return Some(self.cut(most, self.at - unread));
        }
        self.line += match end {
            Some(_) => wanted,
            None => memchr_iter(b'\n', taken).count() as u64,
        };
        let is_rest_read = self.at >= self.size && taken.len() == rest.len();
        // At the very end, the next read shows that there is nothing more.
        (end.is_some() && !is_rest_read).then(|| self.content(self.line, None))
    }

    /// The content, which ends at this position, without what is above the limit: whole lines, or else a beginning of one.
    fn cut(&mut self, most: usize, end_at: u64) -> PartContent {
        let end = self
            .found
            .get(..most)
            .and_then(|found| memrchr(b'\n', found));
        match end {
            Some(end) => {
                self.found.truncate(end + 1);
                let lines = memchr_iter(b'\n', &self.found).count() as u64;
                self.content(self.first + lines, None)
            }
            None => {
                let begins_at = end_at - self.found.len() as u64;
                self.found.truncate(most);
                self.found.truncate(whole_letters(&self.found));
                let first = begins_at + self.found.len() as u64;
                let mut content = self.content(self.first + 1, None);
                content.next = Some(Part::Bytes { first, end: None });
                content
            }
        }
    }

    /// The content at the end of the resource.
    fn end(&mut self) -> Result<PartContent, StoreError> {
        let total = self.line + u64::from(!self.has_ended && self.size > 0);
        if self.first > total {
            return Err(StoreError::NoSuchPart { size: total });
        }
        Ok(self.content(total, Some(total)))
    }

    fn content(&mut self, last: u64, total: Option<u64>) -> PartContent {
        let next = match (self.last, total) {
            (Some(_), Some(_)) => None,
            (Some(end), None) => Some(Part::Lines {
                first: last,
                last: Some(last.saturating_add(end - self.first)),
            }),
            (None, _) => Some(Part::Lines {
                first: last,
                last: None,
            }),
        };
        PartContent {
            bytes: std::mem::take(&mut self.found),
            unit: PartUnit::Line,
            first: self.first,
            last,
            total,
            next,
        }
    }
}

/// The length of these bytes without the beginning of a letter (UTF-8) at their end; all of them if there is nothing else,
/// because a part that follows must begin behind this one.
fn whole_letters(bytes: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(4);
    let end = bytes.get(start..).unwrap_or_default();
    // The rest of a letter that begins before is skipped, so that the end is checked from a beginning on.
    let rest = end.iter().take_while(|byte| (0x80..0xc0).contains(*byte));
    let skipped = rest.count();
    match std::str::from_utf8(end.get(skipped..).unwrap_or_default()) {
        Err(error) if error.error_len().is_none() => {
            let whole = start + skipped + error.valid_up_to();
            if whole == 0 { bytes.len() } else { whole }
        }
        Ok(_) | Err(_) => bytes.len(),
    }
}
