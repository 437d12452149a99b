//! What is signed, and how strictly it is verified.
#![cfg(feature = "jose")]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod anything;
mod forging;
mod keys;
mod proofs;
mod signing;
mod tokens;
mod vectors;
