//! Workbooks as Markdown: one table a sheet, with the values that its cells last had.

mod excel;
mod open_document;
mod value;

use std::fmt::{self, Write};

use super::markdown::write_line;
use super::{ConvertError, Converter, Draft, Original};

/// A kind of workbook, by its MIME type.
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

/// Converts workbooks (`.xlsx`, `.ods` and `.xls`) to `text/markdown`: a heading and a table for each sheet. The first row is
/// the head of the table, empty rows are left out, and of a formula there is its last result.
///
/// A workbook that unpacks to more than 256 MiB or 100 times its size is refused, as is XML with entities or deeper than 64
/// elements, and a table wider than 16,384 columns. No macro, link or formula is followed.
///
/// **Old workbooks (`.xls`) only from people you trust.** One can be crafted so that reading it takes any amount of memory,
/// which nothing inside this process can stop. For other files, read it in a separate process with a limit, as
/// `plainly serve` does.
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Sheets;

impl Sheets {
    /// The converter.
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

    /// Each sheet is one.
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

/// Begins a sheet.
fn write_heading(name: &str, is_first: bool, draft: &mut Draft<'_>) -> fmt::Result {
    if !is_first {
        draft.write_str("\n")?;
    }
    draft.begin_page()?;
    draft.write_str("## ")?;
    write_line(name, draft)?;
    draft.write_str("\n\n")
}
