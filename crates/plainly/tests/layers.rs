//! Layers around dispatch: what they see, what they change, how they answer themselves, and that nothing else changes.
#![cfg(all(feature = "http-client", feature = "http-server"))]
#![expect(clippy::unwrap_used, reason = "what fails here fails the test")]

#[path = "layers/anew.rs"]
mod anew;
#[path = "layers/errors.rs"]
mod errors;
#[path = "layers/passing.rs"]
mod passing;
#[path = "layers/seeing.rs"]
mod seeing;
#[path = "layers/support.rs"]
mod support;
#[path = "layers/tower.rs"]
mod towers;
