//! Layers around the dispatch: what they see and change, their own replies, and everything that
//! must not change.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod anew;
mod errors;
mod passing;
mod seeing;
mod support;
#[path = "layers/tower.rs"]
mod towers;
