//! Rules of the workspace that the compiler does not check: each test reads the sources.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod source;
mod workspace;

mod code;
mod manifests;
mod pages;
mod rooms;
