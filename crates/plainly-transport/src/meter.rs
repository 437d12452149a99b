//! Counts received bytes, to show progress.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use tokio::io::{AsyncRead, ReadBuf};

use crate::messages::{FlushProgress, Inbound, Messages};

/// The number of received bytes. Clones share the count.
#[derive(Clone, Debug, Default)]
pub struct Meter(Arc<AtomicU64>);

impl Meter {
    /// Adds `bytes` to the count.
    pub fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// The bytes counted so far.
    pub fn bytes(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Counts the bytes or messages that are read from `inner`.
    pub fn count<R>(&self, inner: R) -> MeteredReader<R> {
        let meter = self.clone();
        MeteredReader { inner, meter }
    }
}

/// A reader, or messages, whose bytes are counted.
#[derive(Debug)]
pub struct MeteredReader<R> {
    inner: R,
    meter: Meter,
}

impl<R: AsyncRead + Unpin> AsyncRead for MeteredReader<R> {
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

impl<M> MeteredReader<M> {
    fn counted(&self, received: Option<Inbound>) -> Option<Inbound> {
        if let Some(Inbound::Message(message)) = &received {
            self.meter.add(message.len());
        }
        received
    }
}

impl<M: Messages> Messages for MeteredReader<M> {
    fn poll_receive(&mut self, context: &mut Context<'_>) -> Poll<io::Result<Option<Inbound>>> {
        let received = ready!(self.inner.poll_receive(context))?;
        Poll::Ready(Ok(self.counted(received)))
    }

    fn take_buffered(&mut self) -> Option<Inbound> {
        let received = self.inner.take_buffered();
        self.counted(received)
    }

    fn send(&mut self, message: Bytes) {
        self.inner.send(message);
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<FlushProgress>> {
        self.inner.poll_flush(context)
    }

    fn poll_close(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.inner.poll_close(context)
    }
}
