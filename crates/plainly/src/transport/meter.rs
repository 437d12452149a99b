//! Counts the bytes that arrive, for whoever shows progress.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, ReadBuf};

/// How many bytes have arrived. Clones count together.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter(Arc<AtomicU64>);

impl Meter {
    pub(crate) fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts what is read from `inner`.
    pub(crate) fn count<R>(&self, inner: R) -> Metered<R> {
        let meter = self.clone();
        Metered { inner, meter }
    }
}

/// A reader whose bytes are counted.
#[derive(Debug)]
pub(crate) struct Metered<R> {
    inner: R,
    meter: Meter,
}

impl<R: AsyncRead + Unpin> AsyncRead for Metered<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.inner).poll_read(context, buffer))?;
        self.meter.add(buffer.filled().len() - before);
        Poll::Ready(Ok(()))
    }
}
