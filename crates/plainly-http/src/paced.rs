//! A TCP stream that fails when its peer reads too slowly. It is below TLS, whose buffer hides how
//! much of a response the peer has read.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{Instant, Sleep, sleep};

use super::HttpLimits;
use super::limits::{after, time_for};

/// A TCP connection with a pace.
pub(super) struct PacedStream {
    stream: TcpStream,
    pace: Pace,
}

/// The pace at which a peer must read.
pub(super) struct Pace {
    stall: Duration,
    rate: u32,
    slow: Option<SlowReader>,
}

/// A peer that has not read all written bytes.
struct SlowReader {
    since: Instant,
    /// The number of bytes that it has read since then.
    read: u64,
    late: Pin<Box<Sleep>>,
}

impl PacedStream {
    pub(super) fn new(stream: TcpStream, limits: &HttpLimits) -> Self {
        let pace = Pace::new(limits);
        Self { stream, pace }
    }

    pub(super) fn take_error(&self) -> io::Result<Option<io::Error>> {
        self.stream.take_error()
    }
}

impl Pace {
    pub(super) fn new(limits: &HttpLimits) -> Self {
        Self {
            stall: limits.write_stall,
            rate: limits.write_rate,
            slow: None,
        }
    }

    /// Records that the peer has read all written bytes, so that time without data to read does not
    /// count.
    pub(super) fn note_flushed(&mut self) {
        self.slow = None;
    }

    /// Fails if the peer takes too long to read.
    pub(super) fn check(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match (&written, &mut self.slow) {
            (Poll::Ready(Ok(bytes)), Some(slow)) => {
                slow.read += *bytes as u64;
                let spent = slow.since.elapsed();
                let earned = time_for(slow.read, self.rate).unwrap_or(Duration::MAX);
                let left = self.stall.saturating_sub(spent.saturating_sub(earned));
                slow.late.as_mut().reset(after(left));
            }
            (Poll::Pending, slow) => {
                let slow = slow.get_or_insert_with(|| SlowReader {
                    since: Instant::now(),
                    read: 0,
                    late: Box::pin(sleep(self.stall)),
                });
                if slow.late.as_mut().poll(cx).is_ready() {
                    return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
                }
            }
            (Poll::Ready(_), _) => {}
        }
        written
    }
}

impl AsyncRead for PacedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for PacedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.pace.check(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, slices);
        self.pace.check(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        // All bytes are written, because a TCP stream has no buffer of its own.
        self.pace.note_flushed();
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use super::*;

    /// The number of seconds after which a write fails to a peer that reads `bytes` every ten
    /// seconds.
    async fn fails_after(bytes: usize, change: fn(&mut HttpLimits)) -> Option<u64> {
        let mut limits = HttpLimits::default();
        change(&mut limits);
        let mut pace = Pace::new(&limits);
        let begun = Instant::now();
        for _ in 0..100 {
            let mut pause = Box::pin(sleep(Duration::from_secs(10)));
            let written = poll_fn(|cx| match pause.as_mut().poll(cx) {
                Poll::Ready(()) => pace.check(cx, Poll::Ready(Ok(bytes))),
                Poll::Pending => pace.check(cx, Poll::Pending),
            });
            if written.await.is_err() {
                return Some(begun.elapsed().as_secs());
            }
        }
        None
    }

    #[tokio::test(start_paused = true)]
    async fn a_peer_that_reads_too_slowly_is_closed() {
        assert_eq!(fails_after(1, |_default| {}).await, Some(30));
        assert_eq!(fails_after(5 << 10, |_default| {}).await, Some(55));
        assert_eq!(fails_after(10 << 10, |_default| {}).await, None);
        assert_eq!(fails_after(1, |limits| limits.write_rate = 0).await, None);
    }
}
