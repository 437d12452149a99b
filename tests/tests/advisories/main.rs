//! What has gone wrong in other MCP software, done to this one: each test is named after the advisory, the commit or the
//! change by which the fault is known, and `docs/advisories.md` says for each what happened there and what happens here.
//! Servers and clients are as their default constructors make them.

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

/// The cases of a table in cases.txt.
fn cases<R: plainly_peer::table::Row>(table: &str) -> Vec<R> {
    plainly_peer::table::cases(include_str!("cases.txt"), table)
}
