//! Raw bytes to a listening server: requests that HTTP itself must reject never reach a handler,
//! and after every bad request the next good one is answered.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

mod certificates;
mod connections;
mod cors;
mod events;
mod framing;
mod heads;
mod http2;
mod https;
mod mounted;
mod overload;
mod proxies;
mod routes;

/// The cases of a table in cases.txt.
fn cases<R: plainly_peer::table::Row>(table: &str) -> Vec<R> {
    plainly_peer::table::cases(include_str!("http_server/cases.txt"), table)
}
