//! Faults of other MCP software, tried on this one. Each test is named after the advisory, commit
//! or change by which the fault is known; `docs/advisories.md` describes for each what happened
//! there and what happens here. Servers and clients have their default configuration.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod http;
mod routes;
mod site;
mod stream;

mod browsers;
mod crossing;
mod malformed;
mod principals;
mod registry;
mod rmcp;
mod unbounded;

mod client;
mod hostile;

#[path = "../wire/log.rs"]
mod log;

use plainly_peer::within;

/// Returns the cases of a table in cases.txt.
fn cases<R: plainly_peer::table::Row>(table: &str) -> Vec<R> {
    plainly_peer::table::cases(include_str!("cases.txt"), table)
}
