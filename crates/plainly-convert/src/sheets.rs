//! Converts workbooks to Markdown: one table for each sheet, with the last values of its cells.

mod excel;
mod open_document;
mod value;

use std::fmt::{self, Write};

use super::markdown::write_line;
use super::{ConvertError, Converter, Draft, Original};

/// A type of workbook: its MIME type, and the function that writes it.
type Kind = (
    &'static str,
    fn(Original<'_>, &mut Draft<'_>) -> Result<(), ConvertError>,
);

const KINDS: [Kind; 3] = [
    (
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        excel::write,
    ),
    (
        "application/vnd.oasis.opendocument.spreadsheet",
        open_document::write,
    ),
    ("application/vnd.ms-excel", excel::write_old),
];

/// Converts workbooks (`.xlsx`, `.ods` and `.xls`) to `text/markdown`: a heading and a table for
/// each sheet. The first row is the head of the table, empty rows are left out, and formulas are
/// represented by their last results.
///
/// Rejects a workbook that unpacks to more than 256 MiB or 100 times its size, XML with entities or
/// nested deeper than 64 elements, and a table wider than 16,384 columns. Never follows a macro,
/// link or formula.
///
/// **Old workbooks (`.xls`) only from trusted sources.** A crafted one can use any amount of
/// memory, and nothing inside this process can stop that. Read other files in a separate process
/// with a limit, like `plainly serve`.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Sheets;

impl Sheets {
    /// Creates the converter.
    #[must_use]
    pub fn new() -> Self {
        Self
    }
}

impl Converter for Sheets {
    fn gives(&self, mime_type: &str) -> Option<&str> {
        let is_known = KINDS.iter().any(|(known, _)| *known == mime_type);
        is_known.then_some("text/markdown")
    }

    /// Each sheet is a page.
    fn has_pages(&self, mime_type: &str) -> bool {
        self.gives(mime_type).is_some()
    }

    fn convert(&self, original: Original<'_>, draft: &mut Draft<'_>) -> Result<(), ConvertError> {
        let kind = KINDS.iter().find(|(known, _)| *known == original.mime_type);
        match kind {
            Some((_, write)) => write(original, draft),
            None => Ok(()),
        }
    }
}

/// Writes the heading of a sheet.
fn write_heading(name: &str, is_first: bool, draft: &mut Draft<'_>) -> fmt::Result {
    if !is_first {
        draft.write_str("\n")?;
    }
    draft.begin_page()?;
    draft.write_str("## ")?;
    write_line(name, draft)?;
    draft.write_str("\n\n")
}
