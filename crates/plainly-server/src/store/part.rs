//! Reads a part of a resource of any size, in pieces. [`search`] finds lines, and [`lines`] stores
//! where they were found.

mod lines;
mod search;

use memchr::{memchr_iter, memrchr_iter};

use plainly_protocol::part::{PageRange, Part, PartPosition, PartUnit};
use plainly_protocol::types::Body;

pub use self::lines::LineIndexes;
use super::{ByteRange, RangeQuery, Ranged, Store, StoreError, Viewer, Wanted};

/// The maximum length of a part in bytes.
const MOST: usize = 16 << 20;

/// The maximum length in bytes of a part without an end.
const OPEN: usize = 1 << 20;

/// The maximum length of a line in bytes. For a longer one, only the beginning is part of the
/// requested lines.
const LINE: usize = 64 << 10;

/// The maximum length of a character in bytes (UTF-8).
const CHARACTER: u64 = 4;

/// The number of bytes that are read first for the last lines.
const TAIL: u64 = 64 << 10;

/// A request for a part of a resource.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct PartQuery<'a> {
    /// The resource.
    pub uri: &'a str,
    /// The part.
    pub part: Part,
    /// The line indexes of the store's resources.
    pub lines: Option<&'a LineIndexes>,
    /// The caller that gets progress notifications, if its client requested them.
    pub viewer: Option<&'a Viewer>,
}

impl<'a> PartQuery<'a> {
    /// A request for this part of the resource at `uri`.
    pub fn new(uri: &'a str, part: Part) -> Self {
        Self {
            uri,
            part,
            lines: None,
            viewer: None,
        }
    }

    /// Uses the line indexes of the store's resources, and adds to them.
    #[must_use]
    pub fn lines(mut self, lines: Option<&'a LineIndexes>) -> Self {
        self.lines = lines;
        self
    }

    /// Notifies this caller of the progress while lines are counted.
    #[must_use]
    pub fn viewer(mut self, viewer: &'a Viewer) -> Self {
        self.viewer = Some(viewer);
        self
    }
}

/// The content of a part.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PartContent {
    /// The bytes of the part.
    pub bytes: Vec<u8>,
    /// The unit of the positions.
    pub unit: PartUnit,
    /// The position where the part begins; the first page.
    pub first: u64,
    /// The position where the part ends; the last page.
    pub last: u64,
    /// The length of the whole resource, if it is known.
    pub total: Option<u64>,
    /// The next part. For a part without an end it is set even if there is no more content yet.
    pub next: Option<Part>,
    /// The requested part that was left out, because it would be too much at once.
    pub rest: Option<Part>,
    /// The rests of the lines that are longer than 64 KiB, of which the bytes contain only the
    /// beginnings.
    pub cut: Vec<Part>,
}

/// Reads a part of a resource. At most 16 MiB are read, and 1 MiB of a part without an end. In the
/// latter case [`PartContent::next`] is the continuation, as it is after the lines that were found
/// within 20 s. [`PartContent::rest`] is the part that was left out.
///
/// # Errors
///
/// Fails with [`StoreError::NoSuchPart`] if the part begins after the end of the resource, and with
/// [`StoreError::TimedOut`] if its first line was not found within 20 s. The next search continues
/// from there, if the query has [`lines`](PartQuery::lines).
pub async fn read_part<S: Store + ?Sized>(
    store: &S,
    query: PartQuery<'_>,
) -> Result<PartContent, StoreError> {
    let uri = query.uri;
    let read = async |range| store.read_range(RangeQuery::new(uri, range)).await;
    match query.part {
        Part::Lines { first, last } => search::lines(store, query, first, last).await,
        Part::Tail(count) => tail(store, uri, count).await,
        Part::Pages(range) => pages(store, uri, range).await,
        Part::LastBytes(count) => {
            let most = count.min(MOST as u64);
            let mut content = of_bytes(read(ByteRange::Last(most)).await?, None);
            content.rest = content.left_out_before(count - most);
            Ok(content)
        }
        Part::Bytes { first, end: None } => {
            let most = OPEN as u64;
            let ranged = read(ByteRange::From { first, most }).await?;
            Ok(of_bytes(ended(ranged), None))
        }
        Part::Bytes {
            first,
            end: Some(end),
        } => {
            let most = (end - first).min(MOST as u64);
            let ranged = read(ByteRange::From { first, most }).await?;
            Ok(of_bytes(ended(ranged), Some(end)))
        }
    }
}

/// The error for a part in pages of a resource without pages.
pub(crate) fn no_pages() -> StoreError {
    let why = "the resource has no pages".into();
    StoreError::InvalidUri { why }
}

/// The text of some pages.
async fn pages<S: Store + ?Sized>(
    store: &S,
    uri: &str,
    range: PageRange,
) -> Result<PartContent, StoreError> {
    let contents = store.read_as(uri, &Wanted::of_pages(range)).await?;
    let content = contents.into_iter().next().ok_or(StoreError::NotFound)?;
    let position = content.meta.as_ref().and_then(PartPosition::stated);
    let position = position.filter(|position| position.unit == PartUnit::Page);
    let PartPosition {
        unit,
        first,
        last,
        total,
        ..
    } = position.ok_or_else(no_pages)?;
    let known = total.and_then(|total| u32::try_from(total).ok());
    let next = range.next(known.unwrap_or(u32::MAX));
    Ok(PartContent {
        bytes: match content.body {
            Body::Text(text) => text.into_bytes(),
            Body::Blob(bytes) => bytes,
        },
        unit,
        first,
        last,
        total,
        next: next.map(Part::Pages),
        rest: None,
        cut: Vec::new(),
    })
}

impl PartContent {
    /// The position of this content in the whole resource at `uri`.
    #[must_use]
    pub fn position(&self, uri: &str) -> PartPosition {
        let mut position = PartPosition::new(self.unit, self.first, self.last);
        position.total = self.total;
        position.next = self.next.map(|next| next.uri(uri));
        position.rest = self.rest.map(|rest| rest.uri(uri));
        position.cut = self.cut.iter().map(|rest| rest.uri(uri)).collect();
        position
    }

    /// The bytes before this content, at most `most` of them.
    fn left_out_before(&self, most: u64) -> Option<Part> {
        let first = self.first.saturating_sub(most);
        (first < self.first).then_some(Part::Bytes {
            first,
            end: Some(self.first),
        })
    }

    /// Cuts lines that are too long. The content begins at the position `first` of the resource.
    fn cut_lines(&mut self, first: u64) {
        let mut kept = Vec::new();
        let (mut start, mut left) = (0, 0);
        let ends = memchr_iter(b'\n', &self.bytes).chain([self.bytes.len()]);
        for end in ends {
            let line = self.bytes.get(start..end).unwrap_or_default();
            if let Some(beginning) = line.get(..LINE).filter(|_| line.len() > LINE) {
                let cut_at = start + whole_letters(beginning);
                kept.extend_from_slice(self.bytes.get(left..cut_at).unwrap_or_default());
                self.cut.push(Part::Bytes {
                    first: first + cut_at as u64,
                    end: Some(first + end as u64),
                });
                left = end;
            }
            start = end + 1;
        }
        if left > 0 {
            kept.extend_from_slice(self.bytes.get(left..).unwrap_or_default());
            self.bytes = kept;
        }
    }
}

/// Leaves out an incomplete character (UTF-8) at the end of a text that goes on.
fn ended(mut ranged: Ranged) -> Ranged {
    let (length, whole) = (ranged.bytes.len(), whole_letters(&ranged.bytes));
    let is_cut = whole < length && ranged.first + (length as u64) < ranged.size;
    if is_cut && std::str::from_utf8(&ranged.bytes[..whole]).is_ok() {
        ranged.bytes.truncate(whole);
    }
    ranged
}

/// Requested bytes up to `end`; `None` for all that follow.
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
    // A character that is cut is no rest, because the next part begins with it.
    let is_short = last + CHARACTER <= end.unwrap_or(u64::MAX).min(ranged.size);
    PartContent {
        bytes: ranged.bytes.into(),
        unit: PartUnit::Byte,
        first: ranged.first,
        last,
        total: Some(ranged.size),
        next,
        rest: is_short.then_some(Part::Bytes { first: last, end }),
        cut: Vec::new(),
    }
}

/// The last lines. Their numbers are unknown, so the positions are in bytes.
async fn tail<S: Store + ?Sized>(
    store: &S,
    uri: &str,
    count: u64,
) -> Result<PartContent, StoreError> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    let (mut most, mut left_out) = (TAIL, 0);
    loop {
        let query = RangeQuery::new(uri, ByteRange::Last(most));
        let mut ranged = store.read_range(query).await?;
        let ended = ranged.bytes.strip_suffix(b"\n").unwrap_or(&ranged.bytes);
        let mut ends = memrchr_iter(b'\n', ended);
        let start = match ends.nth(count - 1) {
            Some(end) => end + 1,
            None if ranged.first == 0 => 0,
            None if most >= MOST as u64 => {
                left_out = MOST as u64;
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
        let mut content = of_bytes(ranged, None);
        content.rest = content.left_out_before(left_out);
        content.cut_lines(content.first);
        return Ok(content);
    }
}

/// The length of these bytes without an incomplete character (UTF-8) at their end. If there is
/// nothing else, all of them count, because the next part must begin after this one.
fn whole_letters(bytes: &[u8]) -> usize {
    let start = bytes.len().saturating_sub(4);
    let end = bytes.get(start..).unwrap_or_default();
    // The rest of a character that begins earlier is skipped, so that the end is checked from the
    // beginning of a character.
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
