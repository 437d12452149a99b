//! The dated revisions of the protocol. [`Traits`] describe the behaviour of a revision; its
//! features are in tables with a column for each revision ([`Revisions`]). Any other version has
//! another type, [`UnknownRevision`].

mod revisions;
mod traits;

use std::fmt;
use std::str::FromStr;

pub use self::revisions::Revisions;
pub use self::traits::{Forms, Resumption, Traits, UrlMode};

/// Declares the enum and its list from the same rows, so that neither can have a row that the other
/// lacks.
macro_rules! revisions {
    ($($(#[$doc:meta])+ $variant:ident,)+) => {
        /// A dated protocol version.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[expect(
            clippy::exhaustive_enums,
            reason = "a new revision must be a compile error in every table that it touches"
        )]
        pub enum Revision {
            $($(#[$doc])+ $variant,)+
        }

        impl Revision {
            /// All revisions, oldest first.
            pub const ALL: [Self; [$(Self::$variant),+].len()] = [$(Self::$variant),+];
        }
    };
}

revisions! {
    /// `2024-11-05`: the first one.
    V2024_11_05,
    /// `2025-03-26`: Streamable HTTP, batches, tool annotations.
    V2025_03_26,
    /// `2025-06-18`: structured tool output, elicitation; no more batches.
    V2025_06_18,
    /// `2025-11-25`: icons, URL elicitation; the last one with a handshake.
    V2025_11_25,
    /// `2026-07-28`: stateless; each request has its version and capabilities.
    V2026_07_28,
}

/// The way in which a revision identifies the sender.
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
    /// The newest revision.
    pub const LATEST: Self = Self::ALL[Self::ALL.len() - 1];

    /// The newest revision with an `initialize` handshake. Also the server's answer to an
    /// `initialize` that requests an unknown version.
    pub const LATEST_LEGACY: Self = {
        let mut at = Self::ALL.len() - 1;
        // A loop by index, because constants can't use iterators.
        while !Self::ALL[at].traits().sessions {
            at -= 1;
        }
        Self::ALL[at]
    };

    /// The revision for responses as long as the peer has not stated its own.
    pub const UNKNOWN_PEER: Self = Self::LATEST;

    /// The date that names the revision on the wire.
    pub const fn as_str(self) -> &'static str {
        self.traits().name
    }

    /// The era of the revision.
    pub const fn era(self) -> Era {
        if self.traits().sessions {
            Era::Legacy
        } else {
            Era::Modern
        }
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

/// A protocol version other than the known revisions, as the peer wrote it.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[error("unknown protocol version {0:?}")]
#[expect(clippy::exhaustive_structs, reason = "it is the text and nothing else")]
pub struct UnknownRevision(pub String);

crate::debug_with_causes!(UnknownRevision);

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
    fn the_revisions_are_in_the_order_of_their_dates() {
        assert!(Revision::ALL.is_sorted_by_key(|revision| revision.as_str()));
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
        let modern = Revision::ALL.into_iter();
        let modern = modern.filter(|revision| revision.era() == Era::Modern);
        assert_eq!(modern.collect::<Vec<_>>(), [Revision::LATEST]);
        assert_eq!(Revision::LATEST_LEGACY, Revision::V2025_11_25);
    }

    #[test]
    fn whoever_has_not_said_its_revision_can_be_sent_an_error() {
        assert!(Revision::UNKNOWN_PEER.traits().errors_without_id);
    }
}
