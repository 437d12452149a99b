//! Clients of servers with skills: what they ask, what they take for true, and what they refuse, over a byte stream whose other
//! end the test plays. The rows of the tables are in `skills/rows.txt`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod entries;
mod files;
mod listing;
mod script;

const ROWS: &str = include_str!("skills/rows.txt");
