//! The reasons why edits can't be applied.

use std::fmt;

/// The maximum number of lines that a message lists.
const LISTED: usize = 10;

/// An edit that can't be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct EditProblem {
    /// The position of the edit, from 0; `None` if the text, or all edits together, are the
    /// problem.
    pub edit: Option<usize>,
    /// The reason.
    pub fault: EditFault,
}

/// The reason why an edit can't be applied.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum EditFault {
    /// The text is not UTF-8.
    NotUtf8,
    /// The piece is empty.
    Empty,
    /// The replacement equals the piece.
    Same {
        /// Whether only the line endings differ.
        is_in_line_ends: bool,
    },
    /// The piece does not occur.
    Missing {
        /// A line where the replacement occurs.
        new_line: Option<usize>,
        /// A line that equals the first line of the piece.
        first_line: Option<usize>,
    },
    /// The piece occurs more than once.
    Several {
        /// The lines where the piece begins.
        lines: Vec<usize>,
        /// Whether these are all such lines.
        is_all: bool,
        /// Whether the lines were only found by ignoring the blanks around lines.
        is_loose: bool,
    },
    /// The piece overlaps with that of another edit.
    Overlaps {
        /// The position of the other edit, from 0.
        other: usize,
    },
    /// The text has too many lines to be edited.
    TooManyLines {
        /// The maximum number of lines.
        limit: usize,
    },
    /// The edits would change too many places at once.
    TooManyPlaces {
        /// The maximum number of places.
        limit: usize,
    },
    /// The text would be too large.
    TooLarge {
        /// The maximum size, in bytes.
        limit: usize,
    },
}

impl fmt::Display for EditFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotUtf8 => f.write_str("the resource is not text in UTF-8"),
            Self::Empty => f.write_str("`old` is empty"),
            Self::Same {
                is_in_line_ends: true,
            } => f.write_str("`old` and `new` differ in line ends alone, which stay as they are"),
            Self::Same { .. } => f.write_str("`old` and `new` are the same"),
            Self::Missing {
                new_line: Some(line),
                ..
            } => write!(f, "`old` does not occur, but `new` does, on line {line}"),
            Self::Missing {
                first_line: Some(line),
                ..
            } => write!(
                f,
                "`old` does not occur; its first line is line {line}, but what follows differs"
            ),
            Self::Missing { .. } => f.write_str("`old` does not occur"),
            Self::Several {
                lines,
                is_all,
                is_loose,
            } => {
                let least = if *is_all { "" } else { "at least " };
                let how = match is_loose {
                    true => ", without the blanks around its lines",
                    false => "",
                };
                let count = lines.len();
                write!(
                    f,
                    "`old` occurs {least}{count} times{how}, on {}",
                    Lines(lines)
                )
            }
            Self::Overlaps { other } => write!(f, "`old` overlaps with that of edits[{other}]"),
            Self::TooManyLines { limit } => write!(f, "the text has more than {limit} lines"),
            Self::TooManyPlaces { limit } => {
                write!(f, "the edits would change more than {limit} places")
            }
            Self::TooLarge { limit } => {
                write!(f, "the text would have more than {limit} bytes")
            }
        }
    }
}

impl EditFault {
    /// A suggestion for fixing the edit.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NotUtf8 => {
                "To make it UTF-8, write the whole text. In place of a document or picture, write a new resource."
            }
            Self::TooManyLines { .. } => "Write the whole resource instead.",
            Self::Empty => "Put text into `old` that is beside the place, and repeat it in `new`.",
            Self::Same {
                is_in_line_ends: true,
            } => "To change line ends, write the whole text.",
            Self::Same { .. } => "Leave out this edit.",
            Self::Missing {
                new_line: Some(_), ..
            } => "If the edit was made before, leave it out.",
            Self::Missing { .. } => {
                "Read the text again, and copy `old` from it. Each `old` is looked for in the text before all edits."
            }
            Self::Several { .. } => "Put more of the text around it into `old`, or set `all`.",
            Self::Overlaps { .. } => "Make one edit of both.",
            Self::TooManyPlaces { .. } | Self::TooLarge { .. } => "Change less at once.",
        }
    }
}

/// Line numbers; only the first ones if there are many.
struct Lines<'a>(&'a [usize]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut lines = self.0.to_vec();
        lines.dedup();
        let has_more = lines.len() > LISTED;
        lines.truncate(LISTED);
        let lines: Vec<String> = lines.iter().map(usize::to_string).collect();
        match lines.as_slice() {
            [line] => write!(f, "line {line}"),
            some if has_more => write!(f, "lines {} and more", some.join(", ")),
            [most @ .., last] => write!(f, "lines {} and {last}", most.join(", ")),
            [] => f.write_str("no line"),
        }
    }
}
