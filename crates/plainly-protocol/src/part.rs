//! Parts of a resource, named by the fragment of a URI: lines, the last lines, bytes or pages.
//! Clients of every revision can read them, because a part is only a URI.
//!
//! | fragment | the part |
//! |---|---|
//! | `#line=A,B` | the lines between the positions A and B, counted from 0 (RFC 5147); either may be missing |
//! | `#tail=N` | the last N lines |
//! | `#bytes=A-B`, `#bytes=A-`, `#bytes=-N` | bytes, as in HTTP |
//! | `#page=A`, `#page=A-B` | pages of a document as text, counted from 1 (RFC 8118) |
//!
//! ```
//! use plainly_protocol::part::Part;
//!
//! let (uri, part) = Part::of("file:///logs/today.txt#tail=200").unwrap();
//! assert_eq!((uri, part), ("file:///logs/today.txt", Ok(Part::Tail(200))));
//! assert_eq!(Part::of("file:///logs/today.txt#today"), None);
//! ```

use std::fmt;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::types::Meta;

/// The key in the `_meta` of contents under which their position in the whole resource is stated.
const POSITION: &str = "dev.plainly/part";

/// The key in the `_meta` of the text of a whole document under which the lines before each page
/// are stated.
const PAGE_LINES: &str = "dev.plainly/pageLines";

/// A part of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_enums,
    reason = "whatever reads parts must know each"
)]
pub enum Part {
    /// The lines between two positions, counted from 0.
    Lines {
        /// The number of lines before the first.
        first: u64,
        /// The number of lines before the end; `None` for the end of the resource.
        last: Option<u64>,
    },
    /// At most this many of the last lines.
    Tail(u64),
    /// The bytes between two positions.
    Bytes {
        /// The position of the first, counted from 0.
        first: u64,
        /// The position after the last; `None` for the end of the resource.
        end: Option<u64>,
    },
    /// At most this many of the last bytes.
    LastBytes(u64),
    /// Pages of a document, as text.
    Pages(PageRange),
}

/// Pages of a document, slides of a presentation, or sheets of a workbook, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PageRange {
    first: u32,
    last: u32,
}

impl PageRange {
    /// The pages from `first` to `last`, inclusive; `None` if there are no such pages.
    #[must_use]
    pub fn new(first: u32, last: u32) -> Option<Self> {
        (1 <= first && first <= last).then_some(Self { first, last })
    }

    /// The first page.
    #[must_use]
    pub fn first(self) -> u32 {
        self.first
    }

    /// The last page.
    #[must_use]
    pub fn last(self) -> u32 {
        self.last
    }

    /// The numbers of these pages, as far as a document of `total` pages has them.
    #[must_use]
    pub fn within(self, total: u32) -> RangeInclusive<u32> {
        self.first..=self.last.min(total)
    }

    /// The next pages, as many as these, if a document of `total` pages has any.
    #[must_use]
    pub fn next(self, total: u32) -> Option<Self> {
        let first = self.last.checked_add(1)?;
        let last = self.last.saturating_add(self.last - self.first + 1);
        Self::new(first, last.min(total))
    }
}

/// The positions of the pages in the text of a whole document: the number of lines before each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageLines(Vec<u64>);

impl PageLines {
    /// Pages that begin after these numbers of lines.
    #[must_use]
    pub fn new(lines: Vec<u64>) -> Self {
        Self(lines)
    }

    /// The positions that `_meta` states; empty if it states none.
    #[must_use]
    pub fn stated(meta: &Meta) -> Self {
        let lines = meta.get(PAGE_LINES);
        Self(
            lines
                .and_then(|lines| Vec::deserialize(lines).ok())
                .unwrap_or_default(),
        )
    }

    /// Writes these positions to `_meta`, if there are any.
    pub fn state(&self, meta: &mut Meta) {
        if !self.0.is_empty() {
            meta.insert(PAGE_LINES.to_owned(), json!(self.0));
        }
    }

    /// The page of the line after `line` others, and the number of lines before that page.
    #[must_use]
    pub fn page_of(&self, line: u64) -> Option<(u32, u64)> {
        let page = self.0.partition_point(|before| *before <= line);
        let before = self.0.get(page.checked_sub(1)?)?;
        Some((u32::try_from(page).ok()?, *before))
    }
}

/// The unit in which a part is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[expect(clippy::exhaustive_enums, reason = "the units of parts")]
pub enum PartUnit {
    /// The unit of `#bytes`.
    Byte,
    /// Lines. Each ends with a line feed, except the last of a resource.
    Line,
    /// Pages, counted from 1.
    Page,
}

/// The position of a part in the whole resource.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PartPosition {
    /// The unit of the other fields.
    pub unit: PartUnit,
    /// The position where the part begins; the first page.
    pub first: u64,
    /// The position where the part ends; the last page.
    pub last: u64,
    /// The length of the whole resource, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// The URI of the next part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<String>,
    /// The URI of the part that was requested but left out, because it would be too much at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rest: Option<String>,
    /// The URIs of the rests of long lines, which are cut.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cut: Vec<String>,
}

impl PartPosition {
    /// A position in a resource of unknown length.
    #[must_use]
    pub fn new(unit: PartUnit, first: u64, last: u64) -> Self {
        Self {
            unit,
            first,
            last,
            total: None,
            next: None,
            rest: None,
            cut: Vec::new(),
        }
    }

    /// Sets the length of the whole resource.
    #[must_use]
    pub fn total(mut self, total: u64) -> Self {
        self.total = Some(total);
        self
    }

    /// The position that `_meta` states, if any.
    #[must_use]
    pub fn stated(meta: &Meta) -> Option<Self> {
        Self::deserialize(meta.get(POSITION)?).ok()
    }

    /// Writes this position to `_meta`.
    pub fn state(&self, meta: &mut Meta) {
        meta.insert(POSITION.to_owned(), json!(self));
    }
}

/// A fragment that begins like a part but is not valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid part: expected #line=A,B or #tail=N or #bytes=A-B or #page=A-B, with numbers below 2^64 in ascending order, and N and pages from 1"
)]
#[non_exhaustive]
pub struct InvalidPart;

impl Part {
    /// The URI of the resource, and the part that the fragment of `uri` names. `None` if the
    /// fragment does not begin like a part, because then it belongs to the URI.
    pub fn of(uri: &str) -> Option<(&str, Result<Self, InvalidPart>)> {
        // Very few URIs have a fragment. A search by bytes takes a third of the time of a search by
        // characters.
        let at = uri.bytes().position(|byte| byte == b'#')?;
        let (resource, fragment) = (uri.get(..at)?, uri.get(at + 1..)?);
        let (unit, value) = fragment.split_once('=')?;
        let part = match unit {
            "line" => lines(value),
            "tail" => number(value).filter(|count| *count > 0).map(Self::Tail),
            "bytes" => bytes(value),
            "page" => pages(value).map(Self::Pages),
            _ => return None,
        };
        Some((resource, part.ok_or(InvalidPart)))
    }

    /// The URI of this part of the resource at `uri`.
    pub fn uri(self, uri: &str) -> String {
        format!("{uri}#{self}")
    }
}

fn lines(value: &str) -> Option<Part> {
    let (first, last) = value.split_once(',')?;
    let part = match (first, last) {
        ("", "") => return None,
        ("", last) => (0, Some(number(last)?)),
        (first, "") => (number(first)?, None),
        (first, last) => (number(first)?, Some(number(last)?)),
    };
    let (first, last) = part;
    let is_ascending = last.is_none_or(|last| first <= last);
    is_ascending.then_some(Part::Lines { first, last })
}

fn bytes(value: &str) -> Option<Part> {
    let (first, last) = value.split_once('-')?;
    if first.is_empty() {
        let count = number(last).filter(|count| *count > 0);
        return count.map(Part::LastBytes);
    }
    let first = number(first)?;
    let end = match last {
        "" => None,
        last => Some(number(last)?.checked_add(1)?),
    };
    let is_ascending = end.is_none_or(|end| first < end);
    is_ascending.then_some(Part::Bytes { first, end })
}

fn pages(value: &str) -> Option<PageRange> {
    let (first, last) = value.split_once('-').unwrap_or((value, value));
    let page = |text| u32::try_from(number(text)?).ok();
    PageRange::new(page(first)?, page(last)?)
}

/// Parses digits only, because `str::parse` would accept a sign.
fn number(text: &str) -> Option<u64> {
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())?
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lines { first, last: None } => write!(f, "line={first},"),
            Self::Lines {
                first,
                last: Some(last),
            } => write!(f, "line={first},{last}"),
            Self::Tail(count) => write!(f, "tail={count}"),
            Self::Bytes { first, end: None } => write!(f, "bytes={first}-"),
            Self::Bytes {
                first,
                end: Some(end),
            } => write!(f, "bytes={first}-{}", end.saturating_sub(1)),
            Self::LastBytes(count) => write!(f, "bytes=-{count}"),
            Self::Pages(PageRange { first, last }) if first == last => write!(f, "page={first}"),
            Self::Pages(PageRange { first, last }) => write!(f, "page={first}-{last}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_is_a_part() {
        let lines = |first, last| Part::Lines { first, last };
        let bytes = |first, end| Part::Bytes { first, end };
        let pages = |first, last| Part::Pages(PageRange { first, last });
        for (fragment, part) in [
            ("line=0,200", lines(0, Some(200))),
            ("line=5,", lines(5, None)),
            ("line=5,5", lines(5, Some(5))),
            ("tail=1", Part::Tail(1)),
            ("bytes=0-0", bytes(0, Some(1))),
            ("bytes=7-", bytes(7, None)),
            ("bytes=-9", Part::LastBytes(9)),
            ("page=1", pages(1, 1)),
            ("page=2-4294967295", pages(2, u32::MAX)),
        ] {
            let uri = format!("file:///a#{fragment}");
            assert_eq!(Part::of(&uri), Some(("file:///a", Ok(part))), "{fragment}");
            assert_eq!(part.uri("file:///a"), uri);
        }
        assert_eq!(Part::of("a:#line=,3"), Some(("a:", Ok(lines(0, Some(3))))));
    }

    #[test]
    fn a_line_is_on_the_last_page_that_begins_before_it() {
        let mut meta = Meta::new();
        PageLines::new(vec![0, 2, 2, 5]).state(&mut meta);
        let pages = PageLines::stated(&meta);
        let places = [0, 1, 2, 4, 5, 99].map(|line| pages.page_of(line).unwrap());
        assert_eq!(places, [(1, 0), (1, 0), (3, 2), (3, 2), (4, 5), (4, 5)]);
        assert_eq!(PageLines::stated(&Meta::new()).page_of(0), None);
    }

    #[test]
    fn a_fragment_names_its_mistake_or_belongs_to_the_uri() {
        let digits = format!("tail={}", "9".repeat(1_000_000));
        for fragment in [
            "line=",
            "line=,",
            "line=1",
            "line=5,1",
            "line=-1,",
            "line=+1,",
            "line=1,2,3",
            "line=a,b",
            "tail=",
            "tail=0",
            "tail=-1",
            "tail=18446744073709551616",
            "bytes=",
            "bytes=-",
            "bytes=5-1",
            "bytes=-0",
            "bytes=0-18446744073709551615",
            "bytes=1",
            "page=",
            "page=0",
            "page=3-2",
            "page=1-",
            "page=-1",
            "page=1-2-3",
            "page=4294967296",
            "line=0,1#tail=1",
            &digits,
        ] {
            let uri = format!("a:#{fragment}");
            assert_eq!(Part::of(&uri), Some(("a:", Err(InvalidPart))), "{fragment}");
        }
        for uri in [
            "a:",
            "a:#",
            "a:#x",
            "a:#x=1",
            "a:#LINE=1,2",
            "a:%23line=1,2",
        ] {
            assert_eq!(Part::of(uri), None, "{uri}");
        }
    }

    #[test]
    fn pages_follow_as_long_as_there_are_any() {
        let pages = |first, last| PageRange { first, last };
        assert_eq!(pages(2, 3).next(9), Some(pages(4, 5)));
        assert_eq!(pages(2, 3).next(4), Some(pages(4, 4)));
        assert_eq!(pages(2, 3).next(3), None);
        assert_eq!(pages(2, u32::MAX).next(u32::MAX), None);
        assert_eq!(pages(2, 9).within(3), 2..=3);
        assert!(pages(4, 9).within(3).is_empty());
    }

    #[test]
    fn a_position_is_stated_in_meta() {
        let position = PartPosition::new(PartUnit::Page, 2, 3).total(9);
        let mut meta = Meta::new();
        position.state(&mut meta);
        let stated = json!({"unit": "page", "first": 2, "last": 3, "total": 9});
        assert_eq!(meta.get("dev.plainly/part"), Some(&stated));
        assert_eq!(PartPosition::stated(&meta), Some(position));
        let other = Meta::from_iter([("dev.plainly/part", json!("all"))]);
        assert_eq!(PartPosition::stated(&other), None);
    }
}
