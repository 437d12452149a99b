//! Clients that subscribe to changes, over a byte stream and over HTTP, in either era.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

mod client;
mod http;
mod legacy;
mod many;
mod modern;
mod recursive;
mod spellings;
mod upstream;
