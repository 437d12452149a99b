//! Layers around dispatch: what they see, what they change, how they answer themselves, and that nothing else changes.
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

mod anew;
mod errors;
mod passing;
mod seeing;
mod support;
#[path = "layers/tower.rs"]
mod towers;
