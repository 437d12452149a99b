//! Streams that fail or end anywhere.

mod cut;
mod torture;
