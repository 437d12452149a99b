//! Older revisions over HTTP, byte by byte: HTTP with SSE, and streams that are resumed.
#![cfg(all(feature = "server", feature = "http-server"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "legacy/support.rs"]
mod support;

#[path = "legacy/sse.rs"]
mod sse;

#[path = "legacy/resume.rs"]
mod resume;
