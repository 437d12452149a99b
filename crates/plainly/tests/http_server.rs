//! Raw bytes into a listening server: what HTTP itself must refuse never reaches a handler, and after every bad request
//! the next good one is answered.
#![cfg(all(feature = "server", feature = "http-server"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "http_server/support.rs"]
mod support;

#[cfg(feature = "tls")]
#[path = "http_server/certificates.rs"]
mod certificates;
#[path = "http_server/connections.rs"]
mod connections;
#[path = "http_server/events.rs"]
mod events;
#[path = "http_server/framing.rs"]
mod framing;
#[path = "http_server/heads.rs"]
mod heads;
#[cfg(feature = "tls")]
#[path = "http_server/http2.rs"]
mod http2;
#[cfg(feature = "tls")]
#[path = "http_server/https.rs"]
mod https;
#[path = "http_server/mounted.rs"]
mod mounted;
#[path = "http_server/overload.rs"]
mod overload;
#[path = "http_server/proxies.rs"]
mod proxies;

/// The cases of a table in cases.txt.
fn cases<R: plainly_peer::table::Row>(table: &str) -> Vec<R> {
    plainly_peer::table::cases(include_str!("http_server/cases.txt"), table)
}
