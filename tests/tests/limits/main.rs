//! Tests of limits: a value at its limit is accepted, one above it has the documented answer, and
//! endless input costs bounded memory and time while others are served. Most limits are tested next
//! to the code that they limit.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod documented;
mod support;

mod client;
mod files;
#[cfg(target_os = "linux")]
mod memory;
mod principals;
mod replies;
mod streams;
