//! Calls that go on as tasks, over a byte stream and over HTTP.
#![cfg(all(feature = "server", feature = "http-server"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "tasks/support.rs"]
mod support;

#[path = "tasks/asking.rs"]
mod asking;
#[path = "tasks/bounds.rs"]
mod bounds;
#[path = "tasks/lifecycle.rs"]
mod lifecycle;
#[path = "tasks/listening.rs"]
mod listening;
#[path = "tasks/refusals.rs"]
mod refusals;
