//! A client over HTTP, with a server that the test plays.

mod asking;
mod authorized;
mod caching;
mod calls;
mod clocks;
mod eras;
mod listening;
mod mirroring;
mod older;
mod refusals;
mod resuming;
mod retrying;
mod secrets;
mod server;
mod sessions;
mod unattended;

/// The cases of a table in cases.txt.
fn cases<R: plainly_peer::table::Row>(table: &str) -> Vec<R> {
    plainly_peer::table::cases(include_str!("client_http/cases.txt"), table)
}
