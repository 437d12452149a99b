//! The five dated revisions of the protocol and their two eras. Everything that differs between revisions is keyed by
//! [`Revision`]; a version that is not one of the five is another type, [`UnknownRevision`].

use std::fmt;
use std::str::FromStr;

/// A dated protocol version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "a new revision must be a compile error in every table that it touches"
)]
pub enum Revision {
    /// `2024-11-05`: the first one.
    V2024_11_05,
    /// `2025-03-26`: Streamable HTTP, batches, tool annotations.
    V2025_03_26,
    /// `2025-06-18`: structured tool output, elicitation; batches are gone.
    V2025_06_18,
    /// `2025-11-25`: icons, URL elicitation; the last one with a handshake.
    V2025_11_25,
    /// `2026-07-28`: stateless; each request carries its version and capabilities.
    V2026_07_28,
}

/// How a revision establishes who is talking.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    clippy::exhaustive_enums,
    reason = "the specification defines exactly two"
)]
pub enum Era {
    /// By an `initialize` handshake that opens a session (up to 2025-11-25).
    Legacy,
    /// By `_meta` on every request (from 2026-07-28).
    Modern,
}

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [Self; 5] = [
        Self::V2024_11_05,
        Self::V2025_03_26,
        Self::V2025_06_18,
        Self::V2025_11_25,
        Self::V2026_07_28,
    ];

    /// The newest revision.
    pub const LATEST: Self = Self::V2026_07_28;

    /// The newest revision that is opened by `initialize`, and our answer to an `initialize` that asks for a version
    /// that we don't know.
    pub const LATEST_LEGACY: Self = Self::V2025_11_25;

    /// The date that names it on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The era that it belongs to.
    pub const fn era(self) -> Era {
        match self {
            Self::V2024_11_05 | Self::V2025_03_26 | Self::V2025_06_18 | Self::V2025_11_25 => {
                Era::Legacy
            }
            Self::V2026_07_28 => Era::Modern,
        }
    }

    /// The revisions of one era, oldest first.
    pub fn of_era(era: Era) -> impl DoubleEndedIterator<Item = Self> {
        Self::ALL
            .into_iter()
            .filter(move |revision| revision.era() == era)
    }

    /// Whether this revision is `first` or newer and `last` or older; `None` is no bound. The tables' one comparison.
    pub fn within(self, first: Option<Self>, last: Option<Self>) -> bool {
        first.is_none_or(|first| first as u8 <= self as u8)
            && last.is_none_or(|last| self as u8 <= last as u8)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl FromStr for Revision {
    type Err = UnknownRevision;

    fn from_str(text: &str) -> Result<Self, UnknownRevision> {
        Self::ALL
            .into_iter()
            .find(|revision| revision.as_str() == text)
            .ok_or_else(|| UnknownRevision(text.to_owned()))
    }
}

/// A protocol version that is none of the five, as the peer wrote it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown protocol version {0:?}")]
#[expect(clippy::exhaustive_structs, reason = "it is the text and nothing else")]
pub struct UnknownRevision(pub String);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_revision_parses_back_from_its_date() {
        for revision in Revision::ALL {
            assert_eq!(revision.as_str().parse(), Ok(revision));
        }
    }

    #[test]
    fn anything_else_is_unknown_and_keeps_its_text() {
        for text in [
            "",
            "2026-07-28 ",
            "2026-07-29",
            "draft",
            "banana",
            "DRAFT-2026-v1",
        ] {
            assert_eq!(
                text.parse::<Revision>(),
                Err(UnknownRevision(text.to_owned()))
            );
        }
    }

    #[test]
    fn the_eras_part_at_2026_07_28() {
        assert_eq!(
            Revision::of_era(Era::Modern).collect::<Vec<_>>(),
            [Revision::LATEST]
        );
        assert_eq!(
            Revision::of_era(Era::Legacy).next_back(),
            Some(Revision::LATEST_LEGACY)
        );
    }

    #[test]
    fn bounds_are_inclusive() {
        let middle = Revision::V2025_06_18;
        assert!(middle.within(None, None));
        assert!(middle.within(Some(middle), Some(middle)));
        assert!(!middle.within(Some(Revision::V2025_11_25), None));
        assert!(!middle.within(None, Some(Revision::V2025_03_26)));
    }
}
