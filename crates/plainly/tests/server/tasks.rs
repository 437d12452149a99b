//! Calls that continue as tasks, over a byte stream and over HTTP.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

mod asking;
mod bounds;
mod lifecycle;
mod listening;
mod refusals;
mod replicas;
