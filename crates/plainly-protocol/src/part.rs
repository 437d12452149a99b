//! Parts of a resource, which the fragment of a URI names: lines, the last lines, or bytes. So clients of every revision
//! can read them.
//!
//! | fragment | the part |
//! |---|---|
//! | `#line=A,B` | the lines between the positions A and B, counted from 0 (RFC 5147); either may be missing |
//! | `#tail=N` | the last N lines |
//! | `#bytes=A-B`, `#bytes=A-`, `#bytes=-N` | bytes, as in HTTP |
//!
//! ```
//! use plainly_protocol::part::Part;
//!
//! let (uri, part) = Part::of("file:///logs/today.txt#tail=200").unwrap();
//! assert_eq!((uri, part), ("file:///logs/today.txt", Ok(Part::Tail(200))));
//! assert_eq!(Part::of("file:///logs/today.txt#today"), None);
//! ```

use std::fmt;

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
    /// The last lines, at most as many.
    Tail(u64),
    /// The bytes between two positions.
    Bytes {
        /// The position of the first, counted from 0.
        first: u64,
        /// The position after the last; `None` for the end of the resource.
        end: Option<u64>,
    },
    /// The last bytes, at most as many.
    LastBytes(u64),
}

/// A fragment that begins like that of a part, and is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid part: expected #line=A,B or #tail=N or #bytes=A-B with numbers in ascending order"
)]
#[non_exhaustive]
pub struct InvalidPart;

impl Part {
    /// The URI of the resource, and the part of it that the fragment of `uri` names. `None` if the fragment does not begin
    /// like that of a part: it then belongs to the URI.
    pub fn of(uri: &str) -> Option<(&str, Result<Self, InvalidPart>)> {
        let (resource, fragment) = uri.split_once('#')?;
        let (unit, value) = fragment.split_once('=')?;
        let part = match unit {
            "line" => lines(value),
            "tail" => number(value).filter(|count| *count > 0).map(Self::Tail),
            "bytes" => bytes(value),
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

/// Digits alone: `str::parse` would accept a sign.
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
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fragment_is_a_part_or_names_its_mistake_or_belongs_to_the_uri() {
        let lines = |first, last| Part::Lines { first, last };
        let bytes = |first, end| Part::Bytes { first, end };
        for (fragment, part) in [
            ("line=0,200", lines(0, Some(200))),
            ("line=5,", lines(5, None)),
            ("line=5,5", lines(5, Some(5))),
            ("tail=1", Part::Tail(1)),
            ("bytes=0-0", bytes(0, Some(1))),
            ("bytes=7-", bytes(7, None)),
            ("bytes=-9", Part::LastBytes(9)),
        ] {
            let uri = format!("file:///a#{fragment}");
            assert_eq!(Part::of(&uri), Some(("file:///a", Ok(part))), "{fragment}");
            assert_eq!(part.uri("file:///a"), uri);
        }
        assert_eq!(Part::of("a:#line=,3"), Some(("a:", Ok(lines(0, Some(3))))));
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
}
