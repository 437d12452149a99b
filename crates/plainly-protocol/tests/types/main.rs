//! The types: their rules and wire names, and their comparison with the spec's examples and
//! schemas.

#![expect(
    clippy::unwrap_used,
    reason = "a failure in building a test's data is a failure of the test"
)]

mod names;
mod params;
mod rules;

mod samples;
mod spec;

mod asking;
mod examples;
mod schema;
mod shape;
mod tasks;

#[path = "../../../../tests/peer/src/table.rs"]
pub mod table;

use plainly_protocol::types::CallToolParams;
use plainly_protocol::writer;
use serde::{Deserialize, Serialize};

/// Reads the text as a type and writes it again.
fn again<T: for<'de> Deserialize<'de> + Serialize>(text: &str) -> serde_json::Result<String> {
    written(&serde_json::from_str::<T>(text)?)
}

/// Like `again`, for a type that borrows.
fn call_again(text: &str) -> serde_json::Result<String> {
    written(&serde_json::from_str::<CallToolParams<'_>>(text)?)
}

/// Returns the JSON of a value, and checks that plainly's writer and `serde_json` agree on it.
fn written<T: Serialize>(value: &T) -> serde_json::Result<String> {
    let json = serde_json::to_string(value)?;
    let mut out = Vec::new();
    writer::write(&mut out, value)?;
    assert_eq!(String::from_utf8_lossy(&out), json);
    Ok(json)
}

/// The cases of a table in cases.txt.
fn cases<R: table::Row>(table: &str) -> Vec<R> {
    table::cases(include_str!("cases.txt"), table)
}
