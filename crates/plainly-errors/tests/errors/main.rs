//! The errors from outside: the dialects cell by cell, the policy over all integers, and round
//! trips.

mod allocations;
mod dialects;
mod habits;
mod pins;
mod policy;
mod problem_bags;
mod problem_recognition;
mod problems;
mod recognition;
mod retry;
mod round_trip;
mod rows;
mod strategies;
mod wrapped;

#[path = "../../../../tests/peer/src/table.rs"]
pub mod table;

use plainly_errors::{Dialect, Revision};

/// Every pair of revision and dialect.
fn everywhere() -> impl Iterator<Item = (Revision, Dialect)> {
    Revision::ALL.into_iter().flat_map(|revision| {
        [Dialect::Uniform, Dialect::PerRevision].map(|dialect| (revision, dialect))
    })
}

/// The cases of a table in cases.txt.
fn cases<R: table::Row>(table: &str) -> Vec<R> {
    table::cases(include_str!("cases.txt"), table)
}
