//! Names in the trash. They contain the time, the size and the number of entries, so that cleaning
//! up only reads names.

use std::fmt;
use std::io;
use std::time::Duration;

use cap_std::fs::Dir;
use jiff::Timestamp;

use crate::own_names;

/// The format of the time in a name: UTC in milliseconds, so that names sort by time.
const TIME: &str = "%Y%m%dT%H%M%S%.3fZ";

/// The bytes that each file and directory counts in addition to its content.
const BLOCK: u64 = 4096;

/// An entry of the trash.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Item {
    /// The time when the entry was moved to the trash.
    pub(crate) since: Timestamp,
    pub(crate) bytes: u64,
    /// The number of files and directories, including the directories of its path.
    entries: u64,
    number: u64,
}

impl Item {
    /// Creates an entry that is moved to the trash now.
    pub(crate) fn new(bytes: u64, entries: u64) -> Self {
        Self {
            since: Timestamp::now(),
            bytes,
            entries,
            number: own_names::random(),
        }
    }

    /// Parses a name; `None` if it is not one of these names.
    pub(crate) fn parse(name: &str) -> Option<Self> {
        let mut parts = name.split('-');
        let mut part = || parts.next();
        let item = Self {
            since: part()?.parse().ok()?,
            bytes: part()?.parse().ok()?,
            entries: part()?.parse().ok()?,
            number: u64::from_str_radix(part()?, 16).ok()?,
        };
        // Must be exactly the canonical form, so that the name is never a path.
        (item.to_string() == name).then_some(item)
    }

    /// Lists the entries of a trash, oldest first.
    pub(crate) fn all(trash: &Dir) -> io::Result<Vec<Self>> {
        let mut items = Vec::new();
        for entry in trash.entries()? {
            let name = entry?.file_name();
            items.extend(name.to_str().and_then(Self::parse));
        }
        items.sort();
        Ok(items)
    }

    /// The size that the entry counts in the trash.
    pub(super) fn room(&self) -> u64 {
        self.bytes
            .saturating_add(self.entries.saturating_mul(BLOCK))
    }

    /// The time since the entry was moved to the trash; zero if the clock was set back.
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
