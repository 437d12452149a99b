//! What several targets need: bytes cut as a network might, and a raw client of a server on the same thread.

mod chunks;
mod peer;
#[path = "../../tests/peer/src/words.rs"]
mod words;

pub use chunks::{Chunks, pieces};
pub use peer::{MODERN, Peer, REVISIONS, initialize, modern, request, settle, simulate};
pub use words::{check_words, told};
