//! Older revisions over HTTP, byte by byte: HTTP with SSE, streams that are resumed, and sessions.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

mod sse;

mod many;
mod resume;

mod cluster;

mod sessions;
mod shared;
mod unread;
