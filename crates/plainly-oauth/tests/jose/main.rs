//! Tests signatures, and the strictness of their verification.
#![cfg(feature = "jose")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod anything;
mod forging;
mod keys;
mod proofs;
mod signing;
mod tokens;
mod vectors;
