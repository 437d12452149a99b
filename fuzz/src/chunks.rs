//! Splits bytes into pieces, like a network.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// The pieces of `bytes`. Their sizes are the `lengths` plus one, repeated.
pub fn pieces<'a>(lengths: &'a [u8], mut bytes: &'a [u8]) -> impl Iterator<Item = &'a [u8]> {
    lengths.iter().cycle().map_while(move |length| {
        let (piece, rest) = bytes.split_at(bytes.len().min(usize::from(*length) + 1));
        bytes = rest;
        (!piece.is_empty()).then_some(piece)
    })
}

/// A byte stream that returns one piece for each read.
pub struct Chunks<I>(pub I);

impl<'a, I: Iterator<Item = &'a [u8]> + Unpin> AsyncRead for Chunks<I> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let piece = self.0.next().unwrap_or_default();
        buffer.put_slice(piece);
        Poll::Ready(Ok(()))
    }
}
