//! Rules of the workspace that no compiler knows: each is a test that reads the sources.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod source;
mod workspace;

mod code;
mod manifests;
mod pages;
mod rooms;
