//! A stream whose operations are counted, one of which fails.

use std::io::{self, ErrorKind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, DuplexStream, ReadBuf};
use tokio::time::Sleep;

/// A fault of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// No fault.
    None,
    /// From this operation on, all reads and writes have one byte.
    Short,
    /// The operation takes a while.
    Late,
    /// This operation and all later ones fail.
    Error(ErrorKind),
    /// Only this operation fails.
    Once(ErrorKind),
    /// From this operation on, reads reach the end and writes fail.
    End,
    /// From this operation on, nothing completes.
    Never,
}

pub(crate) const FAULTS: [Fault; 7] = [
    Fault::Short,
    Fault::Late,
    Fault::Error(ErrorKind::ConnectionReset),
    Fault::Once(ErrorKind::Interrupted),
    Fault::Once(ErrorKind::BrokenPipe),
    Fault::End,
    Fault::Never,
];

impl Fault {
    /// Returns whether the conversation must still succeed.
    pub(crate) fn is_harmless(self) -> bool {
        match self {
            Self::None | Self::Short | Self::Late => true,
            Self::Error(_) | Self::Once(_) | Self::End | Self::Never => false,
        }
    }
}

/// The fault and its time, which all streams of a conversation share.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) fault: Fault,
    /// The number of the operation, from 1.
    at: usize,
    pub(crate) done: AtomicUsize,
}

impl Plan {
    pub(crate) fn new(fault: Fault, at: usize) -> Arc<Self> {
        let done = AtomicUsize::new(0);
        Arc::new(Self { fault, at, done })
    }

    /// Returns the fault of the next operation.
    fn next(&self) -> Fault {
        let number = self.done.fetch_add(1, Ordering::SeqCst) + 1;
        let is_now = match self.fault {
            Fault::Late | Fault::Once(_) => number == self.at,
            Fault::None | Fault::Short | Fault::Error(_) | Fault::End | Fault::Never => {
                number >= self.at
            }
        };
        if is_now { self.fault } else { Fault::None }
    }
}

/// One end of a pipe, with an operation that fails.
#[derive(Debug)]
pub(crate) struct Faulty {
    stream: DuplexStream,
    plan: Arc<Plan>,
    /// The timer of an operation that takes a while.
    waiting: Option<Pin<Box<Sleep>>>,
}

/// The outcome of an operation.
enum Turn {
    AsEver,
    OneByte,
    Failed(io::Error),
    Ended,
}

impl Faulty {
    pub(crate) fn new(stream: DuplexStream, plan: &Arc<Plan>) -> Self {
        Self {
            stream,
            plan: Arc::clone(plan),
            waiting: None,
        }
    }

    fn poll_turn(&mut self, cx: &mut Context<'_>) -> Poll<Turn> {
        if let Some(waiting) = &mut self.waiting {
            ready!(waiting.as_mut().poll(cx));
            self.waiting = None;
            return Poll::Ready(Turn::AsEver);
        }
        match self.plan.next() {
            Fault::None => Poll::Ready(Turn::AsEver),
            Fault::Short => Poll::Ready(Turn::OneByte),
            Fault::Error(kind) | Fault::Once(kind) => {
                Poll::Ready(Turn::Failed(io::Error::new(kind, "as planned")))
            }
            Fault::End => Poll::Ready(Turn::Ended),
            Fault::Never => Poll::Pending,
            Fault::Late => {
                let sleep = tokio::time::sleep(Duration::from_millis(10));
                self.waiting
                    .insert(Box::pin(sleep))
                    .as_mut()
                    .poll(cx)
                    .map(|()| Turn::AsEver)
            }
        }
    }
}

impl AsyncRead for Faulty {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match ready!(self.poll_turn(cx)) {
            Turn::AsEver => Pin::new(&mut self.stream).poll_read(cx, buffer),
            Turn::OneByte => {
                let mut byte = [0];
                let mut one = ReadBuf::new(&mut byte);
                ready!(Pin::new(&mut self.stream).poll_read(cx, &mut one))?;
                buffer.put_slice(one.filled());
                Poll::Ready(Ok(()))
            }
            Turn::Failed(error) => Poll::Ready(Err(error)),
            Turn::Ended => Poll::Ready(Ok(())),
        }
    }
}

impl AsyncWrite for Faulty {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match ready!(self.poll_turn(cx)) {
            Turn::AsEver => Pin::new(&mut self.stream).poll_write(cx, bytes),
            Turn::OneByte => {
                let first = bytes.get(..1).unwrap_or_default();
                Pin::new(&mut self.stream).poll_write(cx, first)
            }
            Turn::Failed(error) => Poll::Ready(Err(error)),
            Turn::Ended => Poll::Ready(Ok(0)),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match ready!(self.poll_turn(cx)) {
            Turn::AsEver | Turn::OneByte | Turn::Ended => Pin::new(&mut self.stream).poll_flush(cx),
            Turn::Failed(error) => Poll::Ready(Err(error)),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match ready!(self.poll_turn(cx)) {
            Turn::AsEver | Turn::OneByte | Turn::Ended => {
                Pin::new(&mut self.stream).poll_shutdown(cx)
            }
            Turn::Failed(error) => Poll::Ready(Err(error)),
        }
    }
}
