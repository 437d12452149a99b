//! Tools as peers see them: names, schemas, headers that repeat arguments, and tools that are added
//! and removed.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod dynamic;
mod headers;
mod names;
mod schemas;
mod support;
