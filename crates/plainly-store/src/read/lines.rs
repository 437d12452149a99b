//! Selects the requested lines of a text, as far as they fit.

use plainly_errors::Problem;
use plainly_protocol::part::Part;

use crate::problems;

/// The requested lines of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LineSelection {
    /// `limit` lines, starting with the `offset`th, which counts from 1.
    From { offset: usize, limit: usize },
    /// This number of lines at the end.
    Tail(usize),
}

/// The requested part of a resource: lines of the whole, or of some pages or bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReadPart {
    pub(super) lines: LineSelection,
    /// The pages or bytes that contain the lines; `None` for the whole.
    pub(super) of: Option<Part>,
}

impl ReadPart {
    /// The URI in an argument without the fragment of a part, and the part that the fragment names.
    pub(super) fn of_uri(written: &str) -> (&str, Self) {
        let position = |position: u64| usize::try_from(position).unwrap_or(usize::MAX);
        let of_lines = |lines| Self { lines, of: None };
        match Part::of(written) {
            Some((uri, Ok(Part::Lines { first, last }))) => {
                let limit = last.map_or(usize::MAX, |last| position(last - first));
                let offset = position(first).saturating_add(1);
                (uri, of_lines(LineSelection::From { offset, limit }))
            }
            Some((uri, Ok(Part::Tail(lines)))) => {
                (uri, of_lines(LineSelection::Tail(position(lines))))
            }
            Some((uri, Ok(part @ (Part::Pages(_) | Part::Bytes { .. } | Part::LastBytes(_))))) => {
                let of = Some(part);
                let lines = LineSelection::ALL;
                (uri, Self { lines, of })
            }
            // The fragment belongs to the name.
            Some((_, Err(_))) | None => (written, of_lines(LineSelection::ALL)),
        }
    }
}

impl LineSelection {
    pub(super) const ALL: Self = Self::From {
        offset: 1,
        limit: usize::MAX,
    };

    /// The selection for the arguments of a call.
    pub(super) fn parse(
        offset: Option<usize>,
        limit: Option<usize>,
        tail: Option<usize>,
    ) -> Result<Self, Problem> {
        match (offset, limit, tail) {
            (None, None, Some(tail)) => Ok(Self::Tail(tail)),
            (offset, limit, None) => Ok(Self::From {
                offset: offset.unwrap_or(1).max(1),
                limit: limit.unwrap_or(usize::MAX),
            }),
            (_, _, Some(_)) => Err(Problem::validation(
                "tail",
                "it can't be combined with another part of the text.",
            )
            .suggest("Use `tail` alone for the last lines, or `offset` and `limit` for a range.")),
        }
    }
}

/// Some lines of a text.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct TextExcerpt<'a> {
    pub(super) text: &'a str,
    /// The number of bytes before these lines.
    pub(super) at: usize,
    /// The number of the first line, from 1.
    pub(super) first: usize,
    pub(super) count: usize,
    /// The number of lines in the whole text.
    pub(super) total: usize,
    /// The full size in bytes of the only returned line, if it was cut.
    pub(super) cut: Option<usize>,
}

impl<'a> TextExcerpt<'a> {
    /// The lines of `text` selected by `part`, as many as fit into `room` bytes.
    pub(super) fn of(text: &'a str, part: LineSelection, room: usize) -> Result<Self, Problem> {
        let total = text.split_inclusive('\n').count();
        let (skipped, most) = match part {
            LineSelection::From { offset, .. } if offset > total.max(1) => {
                return Err(problems::after_the_end(total as u64));
            }
            LineSelection::From { offset, limit } => (offset - 1, limit),
            LineSelection::Tail(lines) => (total.saturating_sub(lines), lines),
        };
        let begin: usize = text.split_inclusive('\n').take(skipped).map(str::len).sum();
        let rest = text.get(begin..).unwrap_or_default();
        let mut lines = Self {
            text: "",
            at: begin,
            first: skipped + 1,
            count: 0,
            total,
            cut: None,
        };
        let mut end = 0;
        for line in rest.split_inclusive('\n').take(most) {
            if end + line.len() > room {
                if lines.count == 0 {
                    end = line.floor_char_boundary(room);
                    lines.cut = Some(line.len());
                    lines.count = 1;
                }
                break;
            }
            end += line.len();
            lines.count += 1;
        }
        lines.text = rest.get(..end).unwrap_or_default();
        Ok(lines)
    }

    /// The offset of the next line, if there is one.
    pub(super) fn next(&self) -> Option<usize> {
        let next = self.first + self.count;
        (next <= self.total).then_some(next)
    }

    /// The rest of a cut line. `at` is the position of the text in its resource.
    pub(super) fn rest(&self, at: u64) -> Option<Part> {
        let start = at + self.at as u64;
        Some(Part::Bytes {
            first: start + self.text.len() as u64,
            end: Some(start + self.cut? as u64),
        })
    }

    /// A note that names the part of the text, and how to get the rest.
    pub(super) fn note(&self) -> Option<String> {
        if self.total == 0 {
            return Some("The text is empty.".to_owned());
        }
        if self.count == self.total && self.cut.is_none() {
            return None;
        }
        let which = match self.count {
            0 => "No line".to_owned(),
            1 => format!("Line {}", self.first),
            _ => format!("Lines {} to {}", self.first, self.first + self.count - 1),
        };
        let mut note = format!("{which} of {}.", self.total);
        if let Some(size) = self.cut {
            note += &format!(" It is cut after {} of its {size} bytes.", self.text.len());
        }
        if let Some(next) = self.next() {
            note += &format!(" To continue: offset={next}.");
        }
        Some(note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(offset: usize, limit: usize) -> LineSelection {
        LineSelection::From { offset, limit }
    }

    #[test]
    fn parts_of_a_text_are_its_lines() {
        let text = "one\ntwo\nthree";
        for (part, room, expected, note) in [
            (LineSelection::ALL, 100, text, None),
            (
                part(1, 2),
                100,
                "one\ntwo\n",
                Some("Lines 1 to 2 of 3. To continue: offset=3."),
            ),
            (part(3, 9), 100, "three", Some("Line 3 of 3.")),
            (
                LineSelection::Tail(2),
                100,
                "two\nthree",
                Some("Lines 2 to 3 of 3."),
            ),
            (LineSelection::Tail(9), 100, text, None),
            (LineSelection::Tail(0), 100, "", Some("No line of 3.")),
            (
                part(1, 0),
                100,
                "",
                Some("No line of 3. To continue: offset=1."),
            ),
            (
                LineSelection::ALL,
                8,
                "one\ntwo\n",
                Some("Lines 1 to 2 of 3. To continue: offset=3."),
            ),
            (
                LineSelection::ALL,
                7,
                "one\n",
                Some("Line 1 of 3. To continue: offset=2."),
            ),
            (
                LineSelection::ALL,
                2,
                "on",
                Some("Line 1 of 3. It is cut after 2 of its 4 bytes. To continue: offset=2."),
            ),
        ] {
            let lines = TextExcerpt::of(text, part, room).unwrap();
            assert_eq!(lines.text, expected, "{part:?} {room}");
            assert_eq!(lines.note().as_deref(), note, "{part:?} {room}");
        }
    }

    #[test]
    fn a_last_line_end_begins_no_line() {
        for (text, total) in [("", 0), ("\n", 1), ("a", 1), ("a\n", 1), ("a\n\n", 2)] {
            assert_eq!(
                TextExcerpt::of(text, LineSelection::ALL, 9).unwrap().total,
                total,
                "{text:?}"
            );
        }
        assert_eq!(
            TextExcerpt::of("a\nb\n", LineSelection::Tail(1), 9)
                .unwrap()
                .text,
            "b\n"
        );
    }

    #[test]
    fn a_cut_keeps_characters_whole() {
        let lines = TextExcerpt::of("éé\n", LineSelection::ALL, 3).unwrap();
        assert_eq!((lines.text, lines.cut), ("é", Some(5)));
    }

    #[test]
    fn beyond_the_end_is_no_part() {
        let problem = TextExcerpt::of("a\nb", part(3, 1), 9).unwrap_err();
        assert_eq!(
            problem.message(),
            "Invalid value for 'offset': the text has 2 lines."
        );
        assert!(TextExcerpt::of("", part(2, 1), 9).is_err());
        assert!(TextExcerpt::of("", part(1, 1), 9).is_ok());
    }

    #[test]
    fn parts_that_contradict_each_other_are_refused() {
        assert_eq!(
            LineSelection::parse(None, None, None).unwrap(),
            LineSelection::ALL
        );
        assert_eq!(
            LineSelection::parse(Some(0), None, None).unwrap(),
            LineSelection::ALL
        );
        assert_eq!(
            LineSelection::parse(Some(2), Some(3), None).unwrap(),
            part(2, 3)
        );
        for (offset, limit) in [(None, Some(1)), (Some(1), None), (Some(1), Some(1))] {
            assert!(LineSelection::parse(offset, limit, Some(1)).is_err());
        }
    }
}
