//! Edits of a text: each replaces a piece that occurs exactly once. Either all edits are applied,
//! or none. The text keeps its line endings and its byte order mark, whatever the edits contain.
//! Independent of stores and of the protocol.
//!
//! ```
//! use plainly::store::tools::edits::{Edit, apply};
//!
//! let edited = apply(b"one\r\ntwo\r\n", &[Edit::new("one\ntwo", "1\n2")], 1 << 20).unwrap();
//! assert_eq!(edited.text, "1\r\n2\r\n");
//! ```

mod diff;
mod document;
mod find;
mod loose;
mod problem;

use std::collections::BTreeSet;

use self::document::{Document, Place};
use self::find::Search;
pub use self::problem::{EditFault, EditProblem};

/// The maximum number of places that the edits of one call change.
const PLACES: usize = 1 << 20;

/// The maximum number of occurrences that are counted of a piece that must occur once.
const COUNTED: usize = 100;

/// A replacement of a piece of a text.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct Edit<'a> {
    /// The piece to replace.
    pub old: &'a str,
    /// The replacement.
    pub new: &'a str,
    /// Whether to replace every occurrence of the piece. Otherwise the piece must occur once.
    pub all: bool,
}

impl<'a> Edit<'a> {
    /// Replaces a piece that occurs once.
    pub fn new(old: &'a str, new: &'a str) -> Self {
        Self {
            old,
            new,
            all: false,
        }
    }

    /// Replaces every occurrence of the piece.
    #[must_use]
    pub fn all(mut self) -> Self {
        self.all = true;
        self
    }
}

/// A text after its edits.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Edited {
    /// The text.
    pub text: String,
    /// The positions, from 0, of edits whose pieces were only found by ignoring the blanks around
    /// lines.
    pub loose: Vec<usize>,
    before: String,
    after: String,
}

impl Edited {
    /// The changes as a unified diff under this name. All its line endings are `
    /// `.
    pub fn diff(&self, name: &str) -> String {
        diff::unified(name, &self.before, &self.after)
    }
}

/// Applies the edits to a UTF-8 text. The result may have at most `limit` bytes. Pieces are
/// searched for in the original text, and must not overlap. On failure, reports each edit that
/// can't be applied.
pub fn apply(text: &[u8], edits: &[Edit<'_>], limit: usize) -> Result<Edited, Vec<EditProblem>> {
    let of_text = |fault| vec![EditProblem { edit: None, fault }];
    let text = str::from_utf8(text).map_err(|_invalid| of_text(EditFault::NotUtf8))?;
    let document = Document::of(text).map_err(of_text)?;
    let mut search = Search::new(&document, limit);
    let mut places = Vec::new();
    let mut loose = Vec::new();
    let mut problems = Vec::new();
    for (index, edit) in edits.iter().enumerate() {
        match search.places(index, edit) {
            Ok(found) => {
                loose.extend(found.is_loose.then_some(index));
                places.extend(found.places);
            }
            Err(fault @ EditFault::TooLarge { .. }) => return Err(of_text(fault)),
            Err(fault) => problems.push(EditProblem {
                edit: Some(index),
                fault,
            }),
        }
        if places.len() > PLACES {
            return Err(of_text(EditFault::TooManyPlaces { limit: PLACES }));
        }
    }
    places.sort_by_key(|place| (place.start, place.end));
    problems.extend(overlaps(&places));
    if !problems.is_empty() {
        return Err(problems);
    }
    let (text, after) = document.with(&places, limit).map_err(of_text)?;
    Ok(Edited {
        text,
        loose,
        before: document.plain,
        after,
    })
}

/// The edits whose pieces overlap with that of an earlier edit.
fn overlaps(places: &[Place]) -> impl Iterator<Item = EditProblem> {
    let pairs = places.windows(2).filter_map(|pair| match pair {
        [one, other] if other.start < one.end => {
            Some((one.edit.max(other.edit), one.edit.min(other.edit)))
        }
        _ => None,
    });
    let pairs: BTreeSet<(usize, usize)> = pairs.collect();
    pairs.into_iter().map(|(edit, other)| EditProblem {
        edit: Some(edit),
        fault: EditFault::Overlaps { other },
    })
}

#[cfg(test)]
mod tests;
