//! What several targets need: bytes cut as a network might, a raw client of a server on the same thread, signed texts, and
//! documents.

mod chunks;
mod documents;
mod peer;
mod signing;
#[path = "../../tests/peer/src/words.rs"]
mod words;

pub use chunks::{Chunks, pieces};
pub use documents::{Piece, Words, archive, converted, relationships, xml};
pub use peer::{MODERN, Peer, REVISIONS, initialize, modern, request, settle, simulate};
pub use signing::{NOW, public_jwk, signed, type_of};
pub use words::{check_words, told};

/// Whether an input has a word itself that no error may have: it hears it again, quoted, or as one of several.
pub fn has_words(input: &str) -> bool {
    let is_quoted = |word: &str| {
        let word = word.trim_matches('`');
        input.contains(word.trim_start_matches([',', ' ']))
    };
    words::WORDS.into_iter().any(is_quoted)
}
