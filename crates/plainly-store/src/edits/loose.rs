//! Finds pieces by ignoring the blanks around lines.

use std::ops::Range;

use super::EditFault;
use super::document::{Document, MARK, Place};

/// A text, split into lines.
pub(super) struct Loose<'a> {
    document: &'a Document,
    /// The lines without the blanks around them, with a line ending before and after each.
    trimmed: String,
    /// The position in `trimmed` of the line ending before each line.
    ends: Vec<usize>,
}

impl<'a> Loose<'a> {
    pub(super) fn of(document: &'a Document) -> Self {
        let mut loose = Self {
            document,
            trimmed: String::from("\n"),
            ends: Vec::new(),
        };
        for line in document.plain.lines() {
            loose.ends.push(loose.trimmed.len() - 1);
            loose.trimmed.push_str(line.trim());
            loose.trimmed.push('\n');
        }
        loose
    }

    /// The lines, counted from 0, that equal the piece except for the blanks around them. With
    /// `all`, they don't overlap; otherwise they may. Empty for a piece that consists of blanks.
    pub(super) fn find(&self, old: &str, all: bool) -> Vec<Range<usize>> {
        let lines = lines(old);
        if lines.iter().all(|line| line.trim().is_empty()) {
            return Vec::new();
        }
        let mut piece = String::from("\n");
        for line in &lines {
            piece.push_str(line.trim());
            piece.push('\n');
        }
        // The line ending after an occurrence is also the one before the next.
        let step = if all { piece.len() - 1 } else { 1 };
        let next = |from: usize| Some(from + self.trimmed.get(from..)?.find(&piece)?);
        let places = std::iter::successors(next(0), |start| next(start + step));
        let limit = if all {
            super::PLACES + 1
        } else {
            super::COUNTED
        };
        let places = places.take(limit).map(|place| {
            let first = self.ends.partition_point(|end| *end < place);
            first..first + lines.len()
        });
        places.collect()
    }

    /// The places of these lines, each with the replacement indented like them.
    pub(super) fn places(
        &self,
        found: &[Range<usize>],
        (old, new): (&str, &str),
        edit: usize,
        room: &mut Room,
    ) -> Result<Vec<Place>, EditFault> {
        let indent = indent_of(old);
        let takes_end = old.ends_with('\n');
        let plain = &self.document.plain;
        let place = |lines: &Range<usize>| {
            let start = self.document.start_of(lines.start);
            let after = self.document.start_of(lines.end);
            let has_end = plain.get(..after).is_some_and(|text| text.ends_with('\n'));
            // If the last line has no line ending, neither has its replacement.
            let new = match takes_end && !has_end {
                true => new.strip_suffix('\n').unwrap_or(new),
                false => new,
            };
            let end = after - usize::from(has_end && !takes_end);
            let there = plain.get(start..end).unwrap_or_default();
            let new = indented(new, indent, indent_of(there), room)?.into();
            Ok(Place {
                start,
                end,
                edit,
                new,
            })
        };
        found.iter().map(place).collect()
    }
}

/// The remaining bytes for replacements. Each place has its own when lines are indented, so a short
/// edit could fill the memory.
pub(super) struct Room {
    left: usize,
    limit: usize,
}

impl Room {
    /// Creates the room for the replacements in a text of at most `limit` bytes, which contains all
    /// of them.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            // A mark at the beginning of a replacement may be removed.
            left: limit.saturating_add(MARK.len_utf8()),
            limit,
        }
    }

    fn take(&mut self, bytes: usize) -> Result<(), EditFault> {
        let limit = self.limit;
        let left = self.left.checked_sub(bytes);
        self.left = left.ok_or(EditFault::TooLarge { limit })?;
        Ok(())
    }
}

/// The lines of a piece. A line ending at its end doesn't begin another line.
fn lines(piece: &str) -> Vec<&str> {
    piece
        .strip_suffix('\n')
        .unwrap_or(piece)
        .split('\n')
        .collect()
}

/// The indentation of the first line that is not blank.
fn indent_of(text: &str) -> &str {
    let mut lines = text.split('\n');
    let line = lines
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    line.get(..indent).unwrap_or_default()
}

/// Replaces the indentation `from` of each line by `to`.
fn indented(text: &str, from: &str, to: &str, room: &mut Room) -> Result<String, EditFault> {
    let mut indented = String::new();
    for line in text.split_inclusive('\n') {
        let (indent, rest) = match line.strip_prefix(from) {
            Some(rest) if !line.trim().is_empty() => (to, rest),
            Some(_) | None => ("", line),
        };
        room.take(indent.len() + rest.len())?;
        indented.push_str(indent);
        indented.push_str(rest);
    }
    Ok(indented)
}
