//! Clients of servers with skills: their requests, the data that they accept, and the data that
//! they reject, over a byte stream with a server that the test plays. The rows of the tables are in
//! `skills/rows.txt`.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod entries;
mod files;
mod listing;
mod script;

const ROWS: &str = include_str!("skills/rows.txt");
