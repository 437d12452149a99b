//! Streams that fail or end at any point.

#![expect(
    clippy::duplicate_mod,
    reason = "both talk in the same ways, each over a wire of its own"
)]

mod cut;
mod torture;
