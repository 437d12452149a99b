//! A client over HTTP whose server is played by the test.
#![cfg(feature = "http-client")]

#[path = "client_http/asking.rs"]
mod asking;
#[path = "client_http/authorized.rs"]
mod authorized;
#[path = "client_http/caching.rs"]
mod caching;
#[path = "client_http/calls.rs"]
mod calls;
#[path = "client_http/clocks.rs"]
mod clocks;
#[path = "client_http/eras.rs"]
mod eras;
#[path = "client_http/listening.rs"]
mod listening;
#[path = "client_http/mirroring.rs"]
mod mirroring;
#[path = "client_http/older.rs"]
mod older;
#[path = "client_http/refusals.rs"]
mod refusals;
#[path = "client_http/retrying.rs"]
mod retrying;
#[path = "client_http/secrets.rs"]
mod secrets;
#[path = "client_http/server.rs"]
mod server;
#[path = "client_http/sessions.rs"]
mod sessions;

/// The cases of a table in cases.txt.
fn cases<R: plainly_peer::table::Row>(table: &str) -> Vec<R> {
    plainly_peer::table::cases(include_str!("client_http/cases.txt"), table)
}
