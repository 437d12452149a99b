//! Markdown as converters write it: words that are nothing but words, blocks that stand apart, tables that are as wide as
//! their widest row. Knows nothing of what it is made from.
// Each converter writes with a part of it.
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
