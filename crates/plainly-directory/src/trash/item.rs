//! Names in the trash: they have the time, the size and the number of entries, so that only names have to be read to find
//! the things that have to go.

use std::fmt;
use std::io;
use std::time::Duration;

use cap_std::fs::Dir;
use jiff::Timestamp;

use crate::own_names;

/// The time in a name: in UTC, to the millisecond, so that names are in the order of time.
const TIME: &str = "%Y%m%dT%H%M%S%.3fZ";

/// The room that each file and directory takes besides its content, in bytes.
const BLOCK: u64 = 4096;

/// A thing in the trash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    /// The time when it was moved there.
    pub(crate) since: Timestamp,
    pub(crate) bytes: u64,
    /// The files and directories, with those on the way to it.
    entries: u64,
    number: u64,
}

impl Item {
    /// A thing that is moved there now.
    pub(crate) fn new(bytes: u64, entries: u64) -> Self {
        Self {
            since: Timestamp::now(),
            bytes,
            entries,
            number: own_names::random(),
        }
    }

    /// Reads a name; `None` if it is of something else.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split('-');
        let mut part = || parts.next();
        let item = Self {
            since: part()?.parse().ok()?,
            bytes: part()?.parse().ok()?,
            entries: part()?.parse().ok()?,
            number: u64::from_str_radix(part()?, 16).ok()?,
        };
        // Exactly as it is written, so that it is never a path.
        (item.to_string() == name).then_some(item)
    }

    /// Everything in a trash, the oldest first.
    pub(crate) fn all(trash: &Dir) -> io::Result<Vec<Self>> {
        let mut items = Vec::new();
        for entry in trash.entries()? {
            let name = entry?.file_name();
            items.extend(name.to_str().and_then(Self::parse));
        }
        items.sort();
        Ok(items)
    }

    /// The room that it takes.
    pub(super) fn room(&self) -> u64 {
        self.bytes
            .saturating_add(self.entries.saturating_mul(BLOCK))
    }

    /// The time since when it is there. The clock may have been set back.
    pub(super) fn age(&self, now: Timestamp) -> Duration {
        Duration::try_from(now.duration_since(self.since)).unwrap_or_default()
    }
}

impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let since = self.since.strftime(TIME);
        let Self {
            bytes,
            entries,
            number,
            ..
        } = self;
        write!(f, "{since}-{bytes}-{entries}-{number:016x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        let name = "20261128T123015.042Z-1024-3-00000000000000ff";
        let item = Item::parse(name).unwrap();
        assert_eq!(item.since.to_string(), "2026-11-28T12:30:15.042Z");
        assert_eq!((item.bytes, item.entries, item.number), (1024, 3, 255));
        assert_eq!(item.room(), 1024 + 3 * 4096);
        assert_eq!(item.to_string(), name);
        let new = Item::new(7, 1).to_string();
        assert_eq!(Item::parse(&new).unwrap().to_string(), new);
        for other in [
            "",
            ".gitignore",
            "..",
            "20261128T123015.042Z",
            "20261128T123015.042Z-1024-00000000000000ff",
            "20261128T123015.042Z-1024-3-ff",
            "20261128T123015.042Z-1024-3-00000000000000ff/..",
            "20261128T123015.042Z-+1024-3-00000000000000ff",
            "20261128T123015.042Z-1024-3-00000000000000ff-1",
        ] {
            assert_eq!(Item::parse(other), None, "{other:?}");
        }
    }
}
