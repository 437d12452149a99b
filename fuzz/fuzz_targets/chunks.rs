//! A byte stream that comes in pieces, as a network would cut it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, ReadBuf};

/// Gives one piece for each read.
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
