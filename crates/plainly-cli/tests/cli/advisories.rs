//! What has gone wrong in other servers of files, done to `plainly serve DIR` as whoever starts it gets it: each test is
//! named after the advisory, and `docs/advisories.md` has them all.

mod place;

#[cfg(target_os = "linux")]
mod memory;
mod network;
mod paths;
mod words;
