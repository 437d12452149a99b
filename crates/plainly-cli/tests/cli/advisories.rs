//! Attacks of other file servers, applied to `plainly serve DIR` with its defaults. Each test is
//! named after the advisory, and `docs/advisories.md` lists all of them.

mod place;

#[cfg(target_os = "linux")]
mod memory;
mod network;
mod paths;
mod words;
