//! Peers that listen to changes, over a byte stream and over HTTP, of either era.
#![cfg(all(feature = "server", feature = "http-server"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "subscriptions/support.rs"]
mod support;

#[cfg(feature = "http-client")]
#[path = "subscriptions/client.rs"]
mod client;
#[path = "subscriptions/http.rs"]
mod http;
#[path = "subscriptions/legacy.rs"]
mod legacy;
#[path = "subscriptions/many.rs"]
mod many;
#[path = "subscriptions/modern.rs"]
mod modern;
