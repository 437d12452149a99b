//! Shared code of the targets: bytes split like by a network, a raw client of a server on the same
//! thread, signed texts, and documents.

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

/// Whether an input itself contains a word that errors must not contain, because errors may quote
/// the input.
pub fn has_words(input: &str) -> bool {
    let is_quoted = |word: &str| {
        let word = word.trim_matches('`');
        input.contains(word.trim_start_matches([',', ' ']))
    };
    words::WORDS.into_iter().any(is_quoted)
}
