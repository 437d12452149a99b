//! URI templates: the examples of RFC 6570, invalid templates, matching, and its time.

mod expanding;
mod matching;
mod parsing;
mod properties;
#[path = "../../../../tests/peer/src/table.rs"]
pub mod table;
mod time;

/// The cases of a table in cases.txt.
fn cases<R: table::Row>(table: &str) -> Vec<R> {
    table::cases(include_str!("cases.txt"), table)
}
