//! The search for lines by number, from the beginning of the resource or from a known position.

use std::time::Duration;

use crc32fast::Hasher;
use futures_util::FutureExt as _;
use futures_util::future::maybe_done;
use memchr::{memchr_iter, memrchr};
use plainly_protocol::part::Part;
use tokio::time::Instant;

use super::lines::{BLOCK, Counting};
use super::{LINE, MOST, OPEN, PartContent, PartQuery, PartUnit, whole_letters};
use crate::store::{BudgetPart, ByteRange, RangeQuery, Ranged, Store, StoreError};

/// The number of bytes that are read at a time. Each piece is read by a job of its own, so smaller
/// pieces take less memory but more time: with 1 MiB, counting takes 1.25 times as long.
const PIECE: u64 = BLOCK;

/// The maximum number of searches if the resource changes meanwhile.
const ATTEMPTS: usize = 3;

/// The maximum time of a search.
const TIME: Duration = Duration::from_secs(20);

/// The interval between progress notifications.
const STEP: Duration = Duration::from_secs(1);

/// The lines from `first` on.
pub(super) async fn lines<S: Store + ?Sized>(
    store: &S,
    query: PartQuery<'_>,
    first: u64,
    last: Option<u64>,
) -> Result<PartContent, StoreError> {
    let since = Instant::now();
    for _ in 0..ATTEMPTS {
        let held = store.budget().part();
        let mut search = LineSearch::new(query, (first, last), since, held);
        if let Some(content) = search.run(store).await? {
            return Ok(content);
        }
    }
    Err(StoreError::Overloaded)
}

/// The search for lines.
struct LineSearch<'a> {
    query: PartQuery<'a>,
    first: u64,
    last: Option<u64>,
    counting: Counting,
    /// The line that contains the next byte.
    line: u64,
    /// The size at the last read.
    size: u64,
    found: Vec<u8>,
    /// The position of the first byte that was found.
    found_at: u64,
    /// The memory for the found lines and the current piece.
    held: BudgetPart,
    /// Whether the last byte that was read ends a line.
    has_ended: bool,
    until: Instant,
    /// The time of the last notification.
    told: Instant,
}

impl Drop for LineSearch<'_> {
    /// Stores the index also if the search is given up, because it has counted lines.
    fn drop(&mut self) {
        if let Some(lines) = self.query.lines {
            lines.put(self.query.uri, self.counting.index());
        }
    }
}

impl<'a> LineSearch<'a> {
    fn new(
        query: PartQuery<'a>,
        (first, last): (u64, Option<u64>),
        since: Instant,
        held: BudgetPart,
    ) -> Self {
        let index = query.lines.map(|lines| lines.get(query.uri));
        let counting = Counting::before(first, index.unwrap_or_default());
        Self {
            query,
            first,
            last,
            line: counting.lines(),
            counting,
            size: 0,
            found: Vec::new(),
            found_at: 0,
            held,
            has_ended: true,
            until: since + TIME,
            told: since,
        }
    }

    /// The lines; `None` if the resource has changed since it was counted.
    async fn run<S: Store + ?Sized>(
        &mut self,
        store: &S,
    ) -> Result<Option<PartContent>, StoreError> {
        let uri = self.query.uri;
        let begin = |at: u64| {
            let read = store.read_range(RangeQuery::new(
                uri,
                ByteRange::From {
                    first: at,
                    most: PIECE,
                },
            ));
            (at, Box::pin(maybe_done(read)))
        };
        let is_new = self.counting.at() == 0;
        let mut pieces = 0;
        let mut ahead = None;
        loop {
            let at = self.counting.at();
            let ready = ahead.take().filter(|(from, _)| *from == at);
            let (_, mut read) = ready.unwrap_or_else(|| begin(at));
            read.as_mut().await;
            let Some(ranged) = self.current(read.as_mut().take_output())? else {
                return Ok(self.forget());
            };
            if pieces == 0 && !is_new && !self.is_as_counted(store, &ranged).await? {
                return Ok(self.forget());
            }
            if ranged.bytes.is_empty() {
                return self.end().map(Some);
            }
            let held = self.found.len() + ranged.bytes.len();
            self.held.grow(held as u64).await?;
            let next = at + ranged.bytes.len() as u64;
            // Lines that were not in the first piece may be far away, so the next piece is read
            // while this one is counted.
            if pieces > 0 && next < self.size {
                let (_, read) = ahead.insert(begin(next));
                read.as_mut().now_or_never();
            }
            if let Some(content) = self.count(&ranged) {
                return Ok(Some(content));
            }
            pieces += 1;
            if let Some(content) = self.go_on().await? {
                return Ok(Some(content));
            }
        }
    }

    /// Counts the lines of a piece, and takes the requested ones. Returns the content if it is
    /// complete.
    fn count(&mut self, ranged: &Ranged) -> Option<PartContent> {
        let mut rest = &*ranged.bytes;
        while !rest.is_empty() {
            let (bytes, others) = rest.split_at(self.counting.within(rest));
            rest = others;
            let count = self.counting.count(bytes, ranged.tag.as_deref());
            let is_rest_read = self.counting.at() >= self.size;
            let bytes = self.skip(bytes, count);
            if self.line >= self.first
                && let Some(content) = self.take(bytes, is_rest_read)
            {
                return Some(content);
            }
        }
        None
    }

    /// Reads some bytes; `None` if the resource has become shorter.
    async fn read<S: Store + ?Sized>(
        &mut self,
        store: &S,
        first: u64,
        most: u64,
    ) -> Result<Option<Ranged>, StoreError> {
        let query = RangeQuery::new(self.query.uri, ByteRange::From { first, most });
        let read = store.read_range(query).await;
        self.current(Some(read))
    }

    /// The bytes that were read; `None` if the resource has become shorter.
    fn current(
        &mut self,
        read: Option<Result<Ranged, StoreError>>,
    ) -> Result<Option<Ranged>, StoreError> {
        match read {
            Some(Ok(ranged)) if ranged.size >= self.size => {
                self.size = ranged.size;
                Ok(Some(ranged))
            }
            Some(Ok(_) | Err(StoreError::NoSuchPart { .. })) | None => Ok(None),
            Some(Err(error)) => Err(error),
        }
    }

    /// Whether the resource, from which these bytes were read, is the counted one: by its tag, or
    /// otherwise by the last block and the current one, because a log that has grown need not be
    /// counted again.
    async fn is_as_counted<S: Store + ?Sized>(
        &mut self,
        store: &S,
        ranged: &Ranged,
    ) -> Result<bool, StoreError> {
        let index = self.counting.index();
        if index.has_tag(ranged.tag.as_deref()) {
            return Ok(true);
        }
        let (read, last) = (self.counting.block(), index.last());
        let begun = self.counting.within(&ranged.bytes);
        let begun = ranged.bytes.get(..begun).unwrap_or_default();
        Ok(self.agrees(store, read, begun).await?
            && match last.filter(|last| *last != read) {
                Some(last) => self.agrees(store, last, &[]).await?,
                None => true,
            })
    }

    /// Whether a block is unchanged since it was counted. `begun` are its first bytes.
    async fn agrees<S: Store + ?Sized>(
        &mut self,
        store: &S,
        block: usize,
        begun: &[u8],
    ) -> Result<bool, StoreError> {
        let mut checksum = Hasher::new();
        checksum.update(begun);
        let (start, mut read) = (block as u64 * BLOCK, begun.len() as u64);
        while read < BLOCK && start + read < self.size {
            let more = self.read(store, start + read, BLOCK - read).await?;
            let Some(more) = more.filter(|more| !more.bytes.is_empty()) else {
                break;
            };
            checksum.update(&more.bytes);
            read += more.bytes.len() as u64;
        }
        Ok(self.counting.index().agrees(block, checksum.finalize()))
    }

    /// Removes the index of the resource's lines.
    fn forget(&mut self) -> Option<PartContent> {
        if let Some(lines) = self.query.lines {
            lines.remove(self.query.uri);
        }
        self.counting = Counting::default();
        None
    }

    /// Returns the lines found so far if the time is over, or an error if there are none. Otherwise
    /// notifies the caller.
    async fn go_on(&mut self) -> Result<Option<PartContent>, StoreError> {
        let now = Instant::now();
        if now >= self.until {
            let found = self.whole_lines(self.found.len());
            return found.ok_or(StoreError::TimedOut { limit: TIME }).map(Some);
        }
        if let Some(viewer) = self.query.viewer
            && now >= self.told + STEP
        {
            self.told = now;
            let message = format!("{} lines counted", self.counting.lines());
            let (at, size) = (self.counting.at(), self.size);
            viewer.progress((at, size), message).await;
        }
        Ok(None)
    }

    /// The bytes after the lines that were not requested. In all of these bytes, `count` lines end.
    fn skip<'b>(&mut self, block: &'b [u8], count: u64) -> &'b [u8] {
        let missing = self.first.saturating_sub(self.line);
        self.has_ended = block.last() == Some(&b'\n');
        if missing == 0 {
            return block;
        }
        if count < missing {
            self.line += count;
            return &[];
        }
        let before = usize::try_from(missing - 1).unwrap_or(usize::MAX);
        let end = memchr_iter(b'\n', block).nth(before);
        self.line = self.first;
        end.and_then(|end| block.get(end + 1..)).unwrap_or(&[])
    }

    /// Takes lines from these bytes. If `is_rest_read`, no others follow. Returns the content if it
    /// is complete.
    fn take(&mut self, rest: &[u8], is_rest_read: bool) -> Option<PartContent> {
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
        if self.found.is_empty() {
            self.found_at = self.counting.at() - rest.len() as u64;
        }
        self.found.extend_from_slice(taken);
        if self.found.len() > most {
            return Some(self.cut(most));
        }
        self.line += match end {
            Some(_) => wanted,
            None => memchr_iter(b'\n', taken).count() as u64,
        };
        let is_rest_taken = is_rest_read && taken.len() == rest.len();
        // At the very end, the next read shows that nothing more follows.
        (end.is_some() && !is_rest_taken).then(|| self.content(self.line, None))
    }

    /// The content cut at the limit: whole lines, or otherwise the beginning of one.
    fn cut(&mut self, most: usize) -> PartContent {
        if let Some(content) = self.whole_lines(most) {
            return content;
        }
        self.found.truncate(LINE);
        self.found.truncate(whole_letters(&self.found));
        let first = self.found_at + self.found.len() as u64;
        let rest = Part::Bytes { first, end: None };
        let mut content = self.content(self.first + 1, None);
        (content.next, content.rest) = (Some(rest), Some(rest));
        content.cut.push(rest);
        content
    }

    /// The content up to the last whole line in the first bytes that were found.
    fn whole_lines(&mut self, most: usize) -> Option<PartContent> {
        let end = memrchr(b'\n', self.found.get(..most)?)?;
        self.found.truncate(end + 1);
        let lines = memchr_iter(b'\n', &self.found).count() as u64;
        Some(self.content(self.first + lines, None))
    }

    /// The content at the end of the resource.
    fn end(&mut self) -> Result<PartContent, StoreError> {
        let total = self.line + u64::from(!self.has_ended);
        if self.first > total {
            return Err(StoreError::NoSuchPart { size: total });
        }
        let mut content = self.content(total, Some(total));
        if !self.has_ended && content.next.is_some() {
            // The last line may grow, and what is added to it must not be lost.
            let first = self.counting.at();
            content.next = Some(Part::Bytes { first, end: None });
        }
        Ok(content)
    }

    fn content(&mut self, last: u64, total: Option<u64>) -> PartContent {
        let next = match (self.last, total) {
            (Some(_), Some(_)) => None,
            // Nothing follows an empty range of lines.
            (Some(end), None) if end == self.first => None,
            (Some(end), None) => Some(Part::Lines {
                first: last,
                last: Some(last.saturating_add(end - self.first)),
            }),
            (None, _) => Some(Part::Lines {
                first: last,
                last: None,
            }),
        };
        let is_short = total.is_none() && self.last.is_none_or(|end| last < end);
        let mut content = PartContent {
            bytes: std::mem::take(&mut self.found),
            unit: PartUnit::Line,
            first: self.first,
            last,
            total,
            next,
            rest: is_short.then_some(Part::Lines {
                first: last,
                last: self.last,
            }),
            cut: Vec::new(),
        };
        content.cut_lines(self.found_at);
        content
    }
}
