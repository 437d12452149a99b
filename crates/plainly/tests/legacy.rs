//! Older revisions over HTTP, byte by byte: HTTP with SSE, streams that are resumed, and sessions.
#![cfg(all(feature = "server", feature = "http-server"))]
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "legacy/support.rs"]
mod support;

#[path = "legacy/sse.rs"]
mod sse;

#[path = "legacy/many.rs"]
mod many;
#[path = "legacy/resume.rs"]
mod resume;

#[path = "legacy/sessions.rs"]
mod sessions;
#[path = "legacy/unread.rs"]
mod unread;
