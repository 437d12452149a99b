//! Peers that listen to changes, over a byte stream and over HTTP, of either era.
#![cfg(all(feature = "server", feature = "http-server"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

#[cfg(feature = "http-client")]
mod client;
mod http;
mod legacy;
mod many;
mod modern;
