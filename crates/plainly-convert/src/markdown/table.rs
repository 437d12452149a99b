//! Tables of values, as wide as their widest row, which is only known at the end.

use std::fmt::{self, Write};
use std::mem;

use crate::Draft;

/// The maximum number of columns, as in spreadsheets.
const COLUMNS: usize = 1 << 14;

/// A table whose rows are read from top to bottom and left to right. Empty rows are left out.
pub(crate) struct Table<'a, 'd> {
    draft: &'a mut Draft<'d>,
    /// The first row, and the number of its cells.
    head: Option<(String, usize)>,
    body: String,
    /// The current row, and the number of its cells.
    row: String,
    cells: usize,
    width: usize,
}

impl<'a, 'd> Table<'a, 'd> {
    pub(crate) fn new(draft: &'a mut Draft<'d>) -> Self {
        Self {
            draft,
            head: None,
            body: String::new(),
            row: String::new(),
            cells: 0,
            width: 0,
        }
    }

    /// Adds a value in the column with this index, which must be right of the last one. Empty
    /// values may be left out.
    pub(crate) fn cell(&mut self, column: usize, value: &str) -> Result<(), TableError> {
        let value = value.trim();
        if value.is_empty() {
            return Ok(());
        }
        if column >= COLUMNS {
            return Err(TableError::TooWide);
        }
        for _ in self.cells..column {
            self.row.push_str("  |");
        }
        self.cells = column + 1;
        self.row.push(' ');
        write_cell(value, &mut self.row)?;
        self.row.push_str(" |");
        self.fit()
    }

    pub(crate) fn end_row(&mut self) -> Result<(), TableError> {
        if self.cells == 0 {
            return Ok(());
        }
        self.width = self.width.max(self.cells);
        let (row, cells) = (mem::take(&mut self.row), mem::take(&mut self.cells));
        if self.head.is_none() {
            self.head = Some((row, cells));
        } else {
            self.body.push('|');
            self.body.push_str(&row);
            self.body.push('\n');
        }
        self.draft.check()?;
        self.fit()
    }

    /// Writes the table, if it has any rows.
    pub(crate) fn finish(mut self) -> Result<(), TableError> {
        self.end_row()?;
        let Some((head, cells)) = self.head else {
            return Ok(());
        };
        write!(self.draft, "|{head}")?;
        for _ in cells..self.width {
            self.draft.write_str("  |")?;
        }
        self.draft.write_str("\n|")?;
        for _ in 0..self.width {
            self.draft.write_str(" --- |")?;
        }
        write!(self.draft, "\n{}", self.body)?;
        Ok(())
    }

    /// Fails as soon as the table no longer fits into the draft.
    fn fit(&mut self) -> Result<(), TableError> {
        if self.body.len() + self.row.len() > self.draft.room() {
            self.draft.write_str(&self.body)?;
            self.draft.write_str(&self.row)?;
        }
        Ok(())
    }
}

/// The reason why a table is not written.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TableError {
    #[error("a table has more than {COLUMNS} columns")]
    TooWide,
    #[error(transparent)]
    Draft(#[from] fmt::Error),
}

/// The characters that would end a cell or row, or escape the next character.
const SPECIAL: [char; 4] = ['|', '\\', '\n', '\r'];

/// Writes a value with characters escaped that would end the cell or row.
pub(crate) fn write_cell(value: &str, to: &mut impl Write) -> fmt::Result {
    for piece in value.split_inclusive(SPECIAL) {
        let plain = piece.trim_end_matches(SPECIAL);
        to.write_str(plain)?;
        match piece.get(plain.len()..) {
            Some("\n") => to.write_str("<br>")?,
            Some("|") => to.write_str("\\|")?,
            Some("\\") => to.write_str("\\\\")?,
            Some(_) | None => {}
        }
    }
    Ok(())
}
