//! A set of revisions: one row in a table with a column for each revision.

use std::fmt;

use super::Revision;

/// The revisions that have a feature: true or false for each, oldest first. After a new revision is
/// added, the compiler requires another value in every row.
///
/// ```
/// use plainly_errors::Revision;
/// use plainly_errors::revision::Revisions;
///
/// let elicitation = Revisions([false, false, true, true, true]);
/// assert!(elicitation.has(Revision::LATEST));
/// assert_eq!(elicitation.to_string(), "from 2025-06-18");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(
    clippy::exhaustive_structs,
    reason = "it is its cells and nothing else"
)]
pub struct Revisions(pub [bool; Revision::ALL.len()]);

impl Revisions {
    /// All revisions.
    pub const ALL: Self = Self([true, true, true, true, true]);
    /// No released revision.
    pub const NONE: Self = Self([false, false, false, false, false]);
    /// The revisions with a handshake.
    pub const LEGACY: Self = Self([true, true, true, true, false]);
    /// The revisions whose peers identify themselves in each request.
    pub const MODERN: Self = Self([false, false, false, false, true]);

    /// Whether `revision` is in the set.
    pub const fn has(self, revision: Revision) -> bool {
        self.0[revision as usize]
    }

    /// The revisions in the set, oldest first.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Revision> + Clone {
        Revision::ALL
            .into_iter()
            .filter(move |revision| self.has(*revision))
    }

    /// The revisions for which `holds` is true.
    pub fn filter(holds: impl FnMut(Revision) -> bool) -> Self {
        Self(Revision::ALL.map(holds))
    }
}

/// The set in words: `all`, `none released`, `from 2026-07-28`, `2024-11-05 to 2025-11-25`, or one
/// or several dates.
impl fmt::Display for Revisions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (Some(first), Some(last)) = (self.iter().next(), self.iter().next_back()) else {
            return f.pad("none released");
        };
        let is_without_gap = self.0[first as usize..=last as usize]
            .iter()
            .all(|has| *has);
        let is_oldest = first == Revision::ALL[0];
        let text = match (is_without_gap, last == Revision::LATEST) {
            (true, true) if is_oldest => "all".to_owned(),
            (true, true) => format!("from {first}"),
            (true, false) if first != last => format!("{first} to {last}"),
            (true | false, _) => self
                .iter()
                .map(Revision::as_str)
                .collect::<Vec<_>>()
                .join(", "),
        };
        f.pad(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_in_words() {
        for (cells, words) in [
            ([true; 5], "all"),
            ([false; 5], "none released"),
            ([false, false, false, false, true], "from 2026-07-28"),
            ([true, true, true, true, false], "2024-11-05 to 2025-11-25"),
            ([false, true, false, false, false], "2025-03-26"),
            ([true, false, true, false, false], "2024-11-05, 2025-06-18"),
            ([false, true, false, false, true], "2025-03-26, 2026-07-28"),
        ] {
            assert_eq!(Revisions(cells).to_string(), words);
        }
    }
}
