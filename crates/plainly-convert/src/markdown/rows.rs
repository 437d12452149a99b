//! The rows of a table whose cells are written while they are read.

use std::fmt;

use super::paper::{Break, Paper};

/// The state of such a table.
#[derive(Default)]
pub(crate) struct Rows {
    /// The number of cells in the first row so far.
    head: usize,
    has_head: bool,
    in_row: bool,
}

impl Rows {
    pub(crate) fn start_cell(&mut self, paper: &mut Paper<'_, '_>) -> fmt::Result {
        let separator = if self.in_row { " | " } else { "| " };
        if !self.has_head {
            self.head += 1;
        }
        if !self.in_row {
            paper.end_block(Break::Line)?;
        }
        self.in_row = true;
        paper.in_cell(true);
        paper.mark(separator)
    }

    pub(crate) fn end_row(&mut self, paper: &mut Paper<'_, '_>) -> fmt::Result {
        if !self.in_row {
            return Ok(());
        }
        self.in_row = false;
        paper.mark(" |")?;
        paper.in_cell(false);
        paper.end_block(Break::Line)?;
        if !self.has_head {
            self.has_head = true;
            for _ in 0..self.head {
                paper.mark("| --- ")?;
            }
            paper.mark("|")?;
            paper.end_block(Break::Line)?;
        }
        Ok(())
    }
}
