//! Authorization over HTTP, byte by byte: by tokens of an authorization server that can misbehave,
//! and by keys.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod issuer;
mod support;

mod bound;
mod doors;
mod introspected;
mod issuer_keys;
mod keys;
mod proofs;
mod public_client;
mod scopes;
mod setup;
mod streams;
mod tokens;
