//! Cuts bytes as a network might.

/// The pieces of `bytes`: each of `lengths` in turn, and one byte more.
pub fn pieces<'a>(lengths: &'a [u8], mut bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    lengths.iter().cycle().map_while(move |length| {
        let (piece, rest) = bytes.split_at(bytes.len().min(usize::from(*length) + 1));
        bytes = rest;
        (!piece.is_empty()).then_some(piece)
    })
}
