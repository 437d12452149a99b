//! A text with uniform line endings, and the positions of the original ones.

use std::rc::Rc;

use super::EditFault;

/// The byte order mark.
pub(super) const MARK: char = '\u{feff}';

/// The maximum number of lines of a text that is edited.
const LINES: usize = 1 << 20;

/// A text without its byte order mark, with `
/// ` as every line ending.
pub(super) struct Document {
    pub(super) plain: String,
    has_mark: bool,
    /// The line endings, in order.
    ends: Vec<LineEnd>,
}

/// A line ending.
struct LineEnd {
    /// The position of the `\n`.
    at: usize,
    /// Whether the original is `\r
    /// `.
    is_wide: bool,
}

/// A place in the plain text, and its replacement.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) start: usize,
    pub(super) end: usize,
    /// The position of the edit.
    pub(super) edit: usize,
    pub(super) new: Rc<str>,
}

impl Document {
    pub(super) fn of(text: &str) -> Result<Self, EditFault> {
        let unmarked = text.strip_prefix(MARK);
        let mut document = Self {
            plain: String::with_capacity(text.len()),
            has_mark: unmarked.is_some(),
            ends: Vec::new(),
        };
        for line in unmarked.unwrap_or(text).split_inclusive('\n') {
            let Some(ended) = line.strip_suffix('\n') else {
                document.plain.push_str(line);
                break;
            };
            let wide = ended.strip_suffix('\r');
            document.plain.push_str(wide.unwrap_or(ended));
            document.ends.push(LineEnd {
                at: document.plain.len(),
                is_wide: wide.is_some(),
            });
            document.plain.push('\n');
            if document.ends.len() > LINES {
                return Err(EditFault::TooManyLines { limit: LINES });
            }
        }
        Ok(document)
    }

    pub(super) fn has_ends(&self) -> bool {
        !self.ends.is_empty()
    }

    /// The number of the line, from 1, that contains this position.
    pub(super) fn line_of(&self, position: usize) -> usize {
        1 + self.ends_before(position)
    }

    /// The number of line endings before this position.
    fn ends_before(&self, position: usize) -> usize {
        self.ends.partition_point(|end| end.at < position)
    }

    /// The position of a line, counted from 0. For the line after the last, the end of the text.
    pub(super) fn start_of(&self, line: usize) -> usize {
        let Some(before) = line.checked_sub(1) else {
            return 0;
        };
        let end = self.ends.get(before);
        end.map_or(self.plain.len(), |end| end.at + 1)
    }

    /// Replaces these places, which are in order and do not overlap. Returns the text, of at most
    /// `limit` bytes, and the same text without its mark and with plain line endings.
    pub(super) fn with(
        &self,
        places: &[Place],
        limit: usize,
    ) -> Result<(String, String), EditFault> {
        let mut text = String::from_iter(self.has_mark.then_some(MARK));
        let mut plain = String::new();
        let mut at = 0;
        for place in places {
            self.copy(at, place.start, &mut text);
            plain.push_str(self.plain.get(at..place.start).unwrap_or_default());
            // The mark is written once at the beginning, so a replacement there must not repeat it.
            let new = match plain.is_empty() {
                true => place.new.strip_prefix(MARK).unwrap_or(&place.new),
                false => &place.new,
            };
            plain.push_str(new);
            match self.is_wide_near(place.start) {
                true => text.push_str(&new.replace('\n', "\r\n")),
                false => text.push_str(new),
            }
            if text.len() > limit {
                return Err(EditFault::TooLarge { limit });
            }
            at = place.end;
        }
        self.copy(at, self.plain.len(), &mut text);
        if text.len() > limit {
            return Err(EditFault::TooLarge { limit });
        }
        plain.push_str(self.plain.get(at..).unwrap_or_default());
        Ok((text, plain))
    }

    /// Appends a piece of the text with its original line endings.
    fn copy(&self, start: usize, end: usize, text: &mut String) {
        let ends = self.ends.iter().skip(self.ends_before(start));
        let mut at = start;
        for wide in ends
            .take_while(|one| one.at < end)
            .filter(|one| one.is_wide)
        {
            text.push_str(self.plain.get(at..wide.at).unwrap_or_default());
            text.push_str("\r\n");
            at = wide.at + 1;
        }
        text.push_str(self.plain.get(at..end).unwrap_or_default());
    }

    /// Whether the next line ending after this position, or else the last one, is `\r
    /// `.
    fn is_wide_near(&self, position: usize) -> bool {
        let following = self.ends.get(self.ends_before(position));
        following
            .or(self.ends.last())
            .is_some_and(|end| end.is_wide)
    }
}
