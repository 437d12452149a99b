//! Who is let in over HTTP, byte by byte: by tokens of an authorization server that can misbehave, and by keys.
#![cfg(feature = "auth")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "authorized/issuer.rs"]
mod issuer;
#[path = "authorized/support.rs"]
mod support;

#[path = "authorized/bound.rs"]
mod bound;
#[path = "authorized/doors.rs"]
mod doors;
#[path = "authorized/introspected.rs"]
mod introspected;
#[path = "authorized/issuer_keys.rs"]
mod issuer_keys;
#[path = "authorized/keys.rs"]
mod keys;
#[path = "authorized/proofs.rs"]
mod proofs;
#[path = "authorized/scopes.rs"]
mod scopes;
#[path = "authorized/setup.rs"]
mod setup;
#[path = "authorized/streams.rs"]
mod streams;
#[path = "authorized/tokens.rs"]
mod tokens;
