//! Finds the places of a piece in a text.

use std::cell::OnceCell;
use std::rc::Rc;

use super::document::{Document, MARK, Place};
use super::loose::{Loose, Room};
use super::{COUNTED, Edit, EditFault, PLACES};

/// The places that an edit changes.
pub(super) struct Found {
    pub(super) places: Vec<Place>,
    /// Whether the places were only found by ignoring the blanks around lines.
    pub(super) is_loose: bool,
}

/// A search for the places of all edits in a text.
pub(super) struct Search<'a> {
    document: &'a Document,
    loose: OnceCell<Loose<'a>>,
    room: Room,
}

impl<'a> Search<'a> {
    /// Starts a search in a text that may have at most `limit` bytes after the edits.
    pub(super) fn new(document: &'a Document, limit: usize) -> Self {
        Self {
            document,
            loose: OnceCell::new(),
            room: Room::new(limit),
        }
    }

    /// Finds the places that the edit at this position changes.
    pub(super) fn places(&mut self, index: usize, edit: &Edit<'_>) -> Result<Found, EditFault> {
        let document = self.document;
        let (old, new) = plain(document, edit);
        if old.is_empty() {
            return Err(EditFault::Empty);
        }
        if old == new.replace("\r\n", "\n") {
            return Err(EditFault::Same {
                is_in_line_ends: edit.old != edit.new,
            });
        }
        let starts = starts(&document.plain, &old, edit.all);
        if !starts.is_empty() {
            let lines = || {
                let lines = starts.iter().map(|start| document.line_of(*start));
                lines.collect()
            };
            check_count(starts.len(), edit.all, false, lines)?;
            let new: Rc<str> = new.into();
            let place = |start| Place {
                start,
                end: start + old.len(),
                edit: index,
                new: Rc::clone(&new),
            };
            return Ok(Found {
                places: starts.into_iter().map(place).collect(),
                is_loose: false,
            });
        }
        let loose = self.loose.get_or_init(|| Loose::of(document));
        let found = loose.find(&old, edit.all);
        if found.is_empty() {
            return Err(missing(document, loose, &old, &new));
        }
        let lines = || found.iter().map(|range| range.start + 1).collect();
        check_count(found.len(), edit.all, true, lines)?;
        Ok(Found {
            places: loose.places(&found, (&old, &new), index, &mut self.room)?,
            is_loose: true,
        })
    }
}

/// The piece and its replacement in the form of the plain text. A mark at the beginning of the
/// piece stands for the text's own mark.
fn plain(document: &Document, edit: &Edit<'_>) -> (String, String) {
    let old = edit.old.replace("\r\n", "\n");
    // A text without line endings gets those of the edit.
    let new = match document.has_ends() {
        true => edit.new.replace("\r\n", "\n"),
        false => edit.new.to_owned(),
    };
    match old.strip_prefix(MARK) {
        Some(unmarked) if !document.plain.contains(&old) => {
            let new = new.strip_prefix(MARK).unwrap_or(&new).to_owned();
            (unmarked.to_owned(), new)
        }
        Some(_) | None => (old, new),
    }
}

/// The positions of the piece. With `all`, they don't overlap, because all are replaced. Otherwise
/// they may overlap, because each could be meant.
fn starts(text: &str, old: &str, all: bool) -> Vec<usize> {
    if all {
        let places = text.match_indices(old).take(PLACES + 1);
        return places.map(|(start, _)| start).collect();
    }
    let step = old.chars().next().map_or(1, char::len_utf8);
    let next = |from: usize| Some(from + text.get(from..)?.find(old)?);
    let places = std::iter::successors(next(0), |start| next(start + step));
    places.take(COUNTED).collect()
}

fn check_count(
    count: usize,
    all: bool,
    is_loose: bool,
    lines: impl FnOnce() -> Vec<usize>,
) -> Result<(), EditFault> {
    match all || count == 1 {
        true => Ok(()),
        false => Err(EditFault::Several {
            lines: lines(),
            is_all: count < COUNTED,
            is_loose,
        }),
    }
}

/// The error of a piece that does not occur, with the lines where the replacement or its first line
/// occurs.
fn missing(document: &Document, loose: &Loose<'_>, old: &str, new: &str) -> EditFault {
    let is_done = !new.trim().is_empty();
    let done = document.plain.find(new).filter(|_| is_done);
    let first = old.lines().find(|line| !line.trim().is_empty());
    let begins = first.and_then(|line| loose.find(line, false).first().map(|lines| lines.start));
    EditFault::Missing {
        new_line: done.map(|start| document.line_of(start)),
        first_line: begins.map(|line| line + 1),
    }
}
