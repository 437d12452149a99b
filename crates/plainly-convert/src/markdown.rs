//! Writes Markdown for the converters: escaped words, separate blocks, and tables as wide as their
//! widest row. Independent of the source format.
// Each converter uses only a part of this module.
#![cfg_attr(
    not(all(feature = "html", feature = "word", feature = "sheets")),
    expect(dead_code, unused_imports, reason = "other converters need the rest")
)]

mod containers;
mod paper;
mod rows;
mod table;
mod words;

pub(crate) use self::paper::{Break, Paper};
pub(crate) use self::rows::Rows;
pub(crate) use self::table::{Table, TableError, write_cell};
pub(crate) use self::words::{fence, write_line};
